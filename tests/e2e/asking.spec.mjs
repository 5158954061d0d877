// Open questions: every way through a lesson stops at them, nothing on the page answers them before
// people do, and they are answered by the keys that stand in their discs.
import { expect, openText, test, until } from './page.mjs';

const options = (page) => page.locator('.option');
const narration = (page) => page.locator('.narration');

/** Opens a lesson at an instant. */
async function at(page, id, ms) {
  await page.goto(`./#s=${id}&t=${ms}`);
  await until(page, (now) => now.scenario === id && now.time === ms && !now.playing);
}

const WAYS = {
  // At the question it says what it does.
  'Next of the narration': (page) => narration(page).getByRole('button', { name: /^(Next|Skip the question)$/ }).click(),
  'Alt →': (page) => page.keyboard.press('Alt+ArrowRight'),
  ']': (page) => page.keyboard.press(']'),
  'the step size Beat': async (page) => {
    await page.getByRole('group', { name: 'Step by' }).getByRole('button', { name: 'Beat' }).click();
    await page.locator('.transport-forward').click();
  },
  'a beat of the panel': (page) => page.locator('.beat.is-to-come > button').last().click(),
  'a beat of the timeline': (page) => page.locator('.tl-beat:not(.is-seen)').last().click(),
};

for (const [name, way] of Object.entries(WAYS)) {
  test(`${name} stops at an open question, and passes it when it is asked again`, async ({ page }) => {
    await at(page, '05-1-poison-message', 4_900);
    await way(page);
    await until(page, (now) => !now.playing && now.time === 5_000);
    await expect(page.locator('.question')).toBeInViewport({ ratio: 1 });
    await expect(options(page).first()).toBeEnabled();
    await way(page);
    await until(page, (now) => now.time >= 5_800);
  });
}

test('Next stops at the question on a telephone, and its sheet opens', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await at(page, '01-1-orders-on-four-queues', 3_700);
  await narration(page).getByRole('button', { name: 'Next' }).click();
  await until(page, (now) => now.time === 3_900);
  await expect(options(page).first()).toBeInViewport();
});

test('back, a link, and a stop condition of nothing pass a question', async ({ page }) => {
  await page.goto('./#s=05-1-poison-message&b=6');
  await until(page, (now) => now.time === 11_200);
  await page.keyboard.press('[');
  await until(page, (now) => now.time === 5_800);
  await page.keyboard.press('[');
  await until(page, (now) => now.time === 4_800);
  await page.getByLabel('Stop at').selectOption({ label: 'nothing' });
  await page.keyboard.press(']');
  await until(page, (now) => now.time === 5_800);
});

for (const [width, height] of [[1440, 900], [1000, 800], [700, 800], [390, 844]]) {
  test(`nothing tells what comes next while a question is open, at ${width} x ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await at(page, '05-1-poison-message', 4_900);
    const shown = page.locator('.stage-svg, .tl-timers, .tl-marks');
    const told = async () => (await shown.allTextContents()).join(' ');
    expect(await told()).toContain('A2 again');
    await at(page, '05-1-poison-message', 5_000);
    await expect.poll(told).not.toContain('again');
    // That something comes, and when, is on the stage all the same.
    await expect(page.locator('.stage-svg.is-timed, .stage-svg').filter({ hasText: /in 0\.\d s/ }).first()).toBeAttached();
    if (width >= 600) {
      const beats = page.locator('.tl-beat:not(.is-seen)');
      for (const name of ['aria-label', 'title']) {
        const labels = await beats.evaluateAll((all, name) => all.map((each) => each.getAttribute(name)), name);
        expect(labels.length).toBeGreaterThan(0);
        for (const label of labels.flatMap((label) => label.split('\n'))) expect(label).toContain('After the question');
      }
    }
    if (width < 1200) await page.getByTestId('to-question').click();
    await options(page).first().click();
    await expect.poll(told).toContain('A2 again');
    await expect(page.locator('.tl-beat:not(.is-seen)[title*="After the question"]')).toHaveCount(0);
  });
}

test('the delay shelf keeps the name of what is due next while a question is open', async ({ page }) => {
  await at(page, '07-1-unpaid-order-30m', 1_789_000);
  const due = page.locator('.stage-svg text').filter({ hasText: 'next due' });
  await expect(due).toContainText('T1');
  await at(page, '07-1-unpaid-order-30m', 1_790_000);
  await expect(due).not.toContainText('T1');
  await expect(due).toContainText(/next due in \d/);
});

/** What stands in the discs, and the answers beside them. */
const offered = async (page) => ({
  discs: await page.locator('.option .disc').allTextContents(),
  texts: await page.locator('.option .option-text').allTextContents(),
});

test('keys answer an open question by the sign in its disc, and change no tab', async ({ page }) => {
  await at(page, '05-1-poison-message', 5_000);
  expect((await offered(page)).discs).toEqual(['1', '2', '3', '4']);
  await page.keyboard.press('3');
  await expect(options(page).nth(2)).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('tab', { name: 'Lesson' })).toHaveAttribute('aria-selected', 'true');
  // Answered, the keys are those of the tabs again.
  await page.keyboard.press('3');
  await expect(page.getByRole('tab', { name: 'Inspect' })).toHaveAttribute('aria-selected', 'true');
});

const FIGURES = `topic orders FIFO 1 queue
series A message-group order-1
group billing reads orders orderly
producer p1
consumer c1 in billing
at 1s p1 sends A1 A2
ask 2s What is the offset?  2 * | 1 | 0
beat 3s It is 2.
`;

for (const [key, option] of [['2', 0], ['1', 1], ['0', 2], ['3', 2], ['a', 0], ['B', 1], ['c', 2]]) {
  test(`figures as answers stand beside letters, and ${key} gives the right one of them`, async ({ page }) => {
    await openText(page, FIGURES, 2_000);
    await expect(options(page)).toHaveCount(3);
    expect(await offered(page)).toEqual({ discs: ['a', 'b', 'c'], texts: ['2', '1', '0'] });
    await page.keyboard.press(key);
    await expect(options(page).nth(option)).toHaveAttribute('aria-pressed', 'true');
  });
}

test('where the question is not in view keys are those of the page', async ({ page }) => {
  await at(page, '05-8-wrong-answer', 7_000);
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.keyboard.press('3');
  await expect(page.getByRole('tab', { name: 'Inspect' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('1');
  await expect(page.getByRole('tab', { name: 'Lesson' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.option[aria-pressed=true]')).toHaveCount(0);
});

for (const [id, ms, tokens] of [
  ['06-2-invisible-time', null, ['', 'A1', 'A2']],
  ['05-6-dead-letter-again', null, ['', '', '']],
  ['06-3-gap-in-the-acks', 11_500, ['A4', 'A4', '']],
]) {
  test(`a picture of a message stands only before an answer that begins with it: ${id}`, async ({ page }) => {
    if (ms === null) {
      await page.goto(`./#s=${id}&t=0`);
      await until(page, (now) => now.scenario === id && now.time === 0);
      await page.keyboard.press('End');
    } else {
      await at(page, id, ms);
    }
    await expect(options(page)).toHaveCount(tokens.length);
    const shown = await options(page).evaluateAll((all) => all.map((each) => each.querySelector('.option-token').textContent.replace(/×\d+$/, '')));
    expect(shown).toEqual(tokens);
  });
}

test('a picture of a message in an answer does not tell how the message stands', async ({ page }) => {
  // A2 is to be tried again, and B2 and A3 are blocked behind it.
  await at(page, '05-1-poison-message', 5_000);
  await expect(options(page)).toHaveCount(4);
  // How often a message failed would stand behind its name.
  await expect(page.locator('.option-token:not(:empty)')).toHaveText(['A2', 'B2', 'A3']);
  // In Chinese the same answers have the same pictures.
  await page.getByRole('button', { name: '中文' }).click();
  await expect(page.locator('.option-token:not(:empty)')).toHaveText(['A2', 'B2', 'A3']);
});

test('behind a wrong answer there is a way to the reason, and another try, by keyboard alone', async ({ page }) => {
  await at(page, '05-1-poison-message', 5_000);
  await page.keyboard.press('2');
  await expect(page.locator('.question [role=status]')).toContainText('It happens otherwise');
  const focused = () => page.evaluate(() => document.activeElement.dataset.testid ?? document.activeElement.textContent.trim());
  await expect.poll(focused).toMatch(/Let it run$/);
  await page.keyboard.press('Tab');
  await expect.poll(focused).toBe('see-why');
  await page.keyboard.press('Enter');
  await until(page, (now) => now.time === 5_800 && !now.playing);
  await expect(page.locator('.beat.is-now > button')).toBeFocused();
  await expect(page.locator('.beat.is-now .beat-rest')).toBeInViewport();
  // Asked again it is open as it was: at its instant, with nothing told, and keys answer it.
  await page.getByTestId('answer-again').focus();
  await page.keyboard.press('Enter');
  await until(page, (now) => now.time === 5_000 && !now.playing);
  await expect(options(page).first()).toBeFocused();
  await expect(page.locator('.option-mark:not(:empty)')).toHaveCount(0);
  await expect(page.locator('.beat.is-to-come').first()).toHaveText(/After the question/);
  await page.keyboard.press('1');
  await expect(page.locator('.question [role=status]')).toContainText('That is what happens');
  await expect(page.getByTestId('answer-again')).toHaveCount(0);
});

test('while the run plays the answered question offers to pause it', async ({ page }) => {
  await at(page, '05-1-poison-message', 5_000);
  await options(page).first().click();
  const button = page.locator('.question-foot button');
  await expect(button).toHaveText('Let it run');
  await button.click();
  await expect(button).toHaveText('Pause');
  await button.click();
  await until(page, (now) => !now.playing);
  await expect(button).toHaveText('Let it run');
});

test('the focus stays in the narration when Next comes to the last beat', async ({ page }) => {
  await page.goto('./#s=05-1-poison-message&b=6');
  await until(page, (now) => now.time === 11_200);
  const next = narration(page).getByRole('button', { name: 'Next' });
  await next.focus();
  await page.keyboard.press('Enter');
  await until(page, (now) => now.time === 16_000);
  await expect(next).toBeDisabled();
  await expect(narration(page).locator(':focus')).toHaveCount(1);
});

test('Change the text opens the editor in the text, at the line that the last hint names', async ({ page }) => {
  await at(page, '05-8-wrong-answer', 11_000);
  for (let hint = 1; hint <= 3; hint += 1) await page.getByRole('button', { name: `Hint ${hint} of 3` }).click();
  await page.getByTestId('change-text').click();
  const editor = page.getByTestId('editor');
  await expect(editor).toBeFocused();
  const line = () => editor.evaluate((field) => field.value.slice(field.selectionStart).split('\n')[0]);
  expect(await line()).toMatch(/^at +2s +A1 fails once/);
  await expect.poll(() => page.locator('.editor-scroll').evaluate((sheet) => sheet.scrollTop)).toBeGreaterThan(0);
});

/** The consumer group whose states the lanes show. */
const group = (page) => page.locator('.group-choice .select-text');

test('the stage shows the consumer group that the lesson is about', async ({ page }) => {
  await at(page, '05-2-max-reconsume', 3_000);
  await expect(group(page)).toContainText('billing');
  await page.keyboard.press(']');
  await until(page, (now) => now.time === 5_500);
  await expect(group(page)).toContainText('shipping');
  // What people choose stays until the next beat.
  await page.keyboard.press('g');
  await expect(group(page)).toContainText('billing');
  await page.keyboard.press('m');
  await expect(group(page)).toContainText('billing');
  await page.keyboard.press(']');
  await until(page, (now) => now.time === 6_000);
  await expect(group(page)).toContainText('shipping');
});

test('the tray of dead letters says when another group has some', async ({ page }) => {
  await at(page, '05-2-max-reconsume', 10_000);
  await expect(group(page)).toContainText('shipping');
  await page.keyboard.press('g');
  await expect(page.locator('.stage-svg').first()).toContainText('shipping has 1');
});

test('a telephone shows other topics, delay levels and dead letters below the lanes', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await at(page, '03-4-four-combinations', 3_050);
  await expect(page.locator('.folded')).toContainText('loose');
  await expect(page.locator('.twin')).toContainText('loose');
  await at(page, '07-1-unpaid-order-30m', 10_000);
  await expect(page.locator('.level.is-used')).toHaveCount(1);
  await expect(page.locator('.twin')).toContainText('Delay levels');
  await at(page, '05-2-max-reconsume', 10_000);
  await expect(page.locator('.tray-frame')).toHaveCount(1);
  await expect(page.locator('.twin')).toContainText('Dead letters: 1');
});

test('where the lanes do not fit, the stage and the timeline show the queue that the beat is about', async ({ page }) => {
  await page.setViewportSize({ width: 844, height: 390 });
  await page.goto('./#s=09-3-four-to-eight&b=4');
  await until(page, (now) => now.scenario === '09-3-four-to-eight' && !now.playing && now.time > 0);
  const row = page.locator('.tl-name').filter({ hasText: /^q6/ });
  await expect(page.locator('.lane').filter({ hasText: /^q6/ }).first()).toBeInViewport();
  await expect(row).toBeInViewport({ ratio: 1 });
});

/** Neighbours of a line of texts that run into each other. */
const touching = (page, selector) =>
  page.locator(selector).evaluateAll((all) => {
    const rects = all.map((each) => [each.textContent, each.getBoundingClientRect()]);
    return rects.slice(1).flatMap(([text, rect], i) => (rect.left < rects[i][1].right && rect.top === rects[i][1].top ? [`${rects[i][0]} ${text}`] : []));
  });

for (const [width, height] of [[1440, 900], [1200, 900], [390, 844]]) {
  test(`delay levels do not run into each other, at ${width} x ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await at(page, '07-1-unpaid-order-30m', 70_000);
    await expect(page.locator('.level-text').first()).toBeAttached();
    expect(await touching(page, '.level-text')).toEqual([]);
    if (width < 600) return;
    await page.keyboard.press('c');
    await page.locator('.compare-dialog .menu-item').first().click();
    await expect(page.locator('.shell.is-pair')).toHaveCount(1);
    for (const stage of await page.locator('.stage').all()) {
      const inside = stage.locator('.level-text');
      const rects = await inside.evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map(({ left, right }) => [left, right]));
      for (let i = 1; i < rects.length; i += 1) expect(rects[i][0]).toBeGreaterThanOrEqual(rects[i - 1][1]);
    }
  });
}

test('the narration has the lines that it needs', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const beat of [1, 2, 3, 4, 5]) {
    await page.goto(`./#s=01-1-orders-on-four-queues&b=${beat}`);
    await until(page, (now) => now.scenario === '01-1-orders-on-four-queues' && !now.playing);
    const hidden = () => page.locator('.narration-text').evaluate((text) => text.scrollHeight - text.clientHeight);
    await expect.poll(hidden).toBeLessThanOrEqual(1);
  }
});
