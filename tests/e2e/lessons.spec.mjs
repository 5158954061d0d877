// Lessons, as people go through them: beats, questions, goals with their hints, progress.
import { readFileSync, readdirSync } from 'node:fs';
import { expect, open, runUntil, state, test, until } from './page.mjs';

const folder = new URL('../../www/lessons/', import.meta.url);
const ids = readdirSync(folder)
  .filter((name) => name.endsWith('.scn') && !name.endsWith('-repaired.scn'))
  .map((name) => name.slice(0, -'.scn'.length))
  .sort();

/** What a lesson's text says: how many beats, and for each question its answers and the right one. */
function lesson(id) {
  const lines = readFileSync(new URL(`${id}.scn`, folder), 'utf8').split('\n');
  const asks = lines.filter((line) => line.startsWith('ask '));
  return {
    title: lines.find((line) => line.startsWith('title ')).slice('title'.length).trim(),
    beats: lines.filter((line) => line.startsWith('beat ')).length,
    asks: asks.map((line) => {
      const answers = line.slice(line.lastIndexOf('?', line.indexOf('|')) + 1).split('|');
      return { count: answers.length, right: answers.findIndex((answer) => answer.trim().endsWith('*')) };
    }),
  };
}

const options = (page) => page.locator('.option');
const opener = (page) => page.locator('.scenario-picker > button').first();

/** Opens a lesson at its first beat by a link. */
async function begin(page, id) {
  const { run } = await state(page);
  await page.goto(`./#s=${id}&b=1`);
  // The lesson may be the one that was open: it is there when it is another run.
  await until(page, (now) => now.scenario === id && !now.playing && now.run !== run);
}

/** Answers the question that stands, by keyboard. */
async function answer(page, option) {
  await options(page).nth(option).focus();
  await page.keyboard.press('Enter');
  await expect(options(page).nth(option)).toHaveAttribute('aria-pressed', 'true');
}

test('a lesson is gone through: question, beats, prediction, hints, repaired version', async ({ page }) => {
  await begin(page, '05-5-neighbour-pays');
  const panel = page.locator('.lesson');
  await expect(panel).toContainText('Why must order 2 wait when only order 1 fails?');
  await expect(panel.getByRole('link', { name: 'alibaba/rocketmq #23' })).toHaveAttribute('href', /^https:/);
  await expect(panel).toContainText('nothing is wrong with');

  // The clock stands at the question by itself, and goes on when it is told to.
  await page.getByTestId('play').click();
  await until(page, (now) => !now.playing && now.time === 3_200);
  await answer(page, 1);
  await expect(page.locator('.question [role=status]')).toContainText('It happens otherwise');
  await page.getByRole('button', { name: 'Let it run' }).click();
  await until(page, (now) => now.time > 3_300);
  await page.keyboard.press('End');
  await until(page, (now) => !now.playing && now.time >= 12_000);
  await expect(page.locator('.beat.is-done')).toHaveCount(2);

  for (let hint = 1; hint <= 3; hint += 1) {
    await page.getByRole('button', { name: `Hint ${hint} of 3` }).click();
    await expect(page.locator('.hints li')).toHaveCount(hint);
  }
  await expect(page.locator('.hints li code')).toHaveText(['topic', '1 queue', '2 queues']);
  await expect(page.locator('.hint-button')).toBeHidden();
  await expect(page.locator('.goal.is-reached')).toHaveCount(0);

  await page.getByRole('button', { name: 'See it repaired' }).click();
  await until(page, (now) => now.scenario === '05-5-neighbour-pays-repaired');
  await page.getByRole('button', { name: 'Back to what breaks' }).click();
  await until(page, (now) => now.scenario === '05-5-neighbour-pays');
  await expect(page.locator('.hints li')).toHaveCount(0);
});

/** The token or slot of a message on the stage. */
const thing = (page, name) => page.locator('.stage-region svg [data-subject]').filter({ hasText: new RegExp(`^${name}$`) }).first();

test('a question for a thing on the stage is answered by a click on it', async ({ page }) => {
  await page.goto('./#s=01-3-offsets-and-lag&t=12000');
  await until(page, (now) => now.scenario === '01-3-offsets-and-lag' && now.time === 12_000);
  await expect(page.locator('.question [role=status]')).toContainText('click it on the stage');
  // Another kind of thing is only selected.
  await page.locator('.stage-region svg .lane[data-subject]').first().click({ position: { x: 12, y: 12 } });
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await expect(page.locator('.option[aria-pressed=true]')).toHaveCount(0);
  await thing(page, 'A6').click();
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await expect(options(page).nth(2)).toHaveAttribute('aria-pressed', 'true');
});

test('a click is no answer to a question that asks for anything else', async ({ page }) => {
  await page.goto('./#s=05-1-poison-message&t=5000');
  await until(page, (now) => now.scenario === '05-1-poison-message' && now.time === 5_000);
  // One of its answers is `nothing at all`, so nobody is asked to point at a message.
  await expect(page.locator('.question [role=status]')).toHaveText('');
  await thing(page, 'B2').click();
  await expect(page.getByTestId('why')).toContainText('A2');
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await expect(page.locator('.option[aria-pressed=true]')).toHaveCount(0);
  // Nor is one on the timeline.
  await page.locator('.tl-bar').filter({ hasText: 'B1' }).first().click();
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await expect(page.locator('.option[aria-pressed=true]')).toHaveCount(0);
  await expect(page.locator('.option:enabled')).toHaveCount(4);
});

test('a question stops the run whatever tab is open, and says that it waits', async ({ page }) => {
  await page.goto('./#s=05-1-poison-message&t=4000');
  await until(page, (now) => now.scenario === '05-1-poison-message' && now.time === 4_000);
  await page.getByRole('tab', { name: 'Scenario' }).click();
  await page.getByTestId('play').click();
  await until(page, (now) => !now.playing && now.time === 5_000);
  await expect(page.locator('.narration')).toContainText('A question waits: What does c1 handle next from q1?');
  await page.getByTestId('to-question').click();
  await expect(options(page)).toHaveCount(4);
  await expect(page.getByTestId('to-question')).toBeHidden();
  await answer(page, 0);
  // Answered, or passed over by playing on, it stops nothing more.
  await page.getByRole('tab', { name: 'Scenario' }).click();
  await expect(page.getByTestId('to-question')).toBeHidden();
});

test('no line is cut in half above the question', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('./#s=05-1-poison-message&t=4500');
  await until(page, (now) => now.scenario === '05-1-poison-message' && now.time === 4_500);
  await page.getByTestId('play').click();
  await until(page, (now) => !now.playing && now.time === 5_000);
  await expect(page.locator('.question')).toBeInViewport({ ratio: 1 });
  const cut = await page.locator('.panel-body').evaluate((body) => {
    const edge = body.getBoundingClientRect().top;
    const lines = [...body.querySelectorAll('p, h2, h3, .beat > button')].map((line) => [line.textContent, line.getBoundingClientRect()]);
    return lines.filter(([, rect]) => rect.height > 0 && rect.top < edge - 1 && rect.bottom > edge + 1).map(([text]) => text);
  });
  expect(cut).toEqual([]);
});

test('on a telephone a question stops the run as well, and its sheet opens for it', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  await until(page, (now) => !now.playing && now.time === 5_000);
  await expect(page.locator('.narration')).toContainText('A question waits');
  await page.getByTestId('to-question').click();
  await expect(options(page).first()).toBeInViewport();
  await expect(page.getByTestId('to-question')).toBeHidden();
});

test('what a question asks for is not told before by the headings of later beats', async ({ page }) => {
  await page.goto('./#s=05-1-poison-message&t=5000');
  await until(page, (now) => !now.playing && now.time === 5_000);
  const later = page.locator('.beat.is-to-come').first();
  await expect(later).toHaveText(/After the question/);
  await answer(page, 0);
  await expect(later).toHaveText(/A2 again/);
});

test('a lesson that is chosen is in the address, and the way back leads to the one before', async ({ page }) => {
  await page.goto('./#s=01-1-orders-on-four-queues&t=0');
  await until(page, (now) => now.scenario === '01-1-orders-on-four-queues');
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.keyboard.press('/');
  await page.keyboard.type('life of a message');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until(page, (now) => now.scenario === '01-2-life-of-a-message');
  await expect(page.getByRole('tab', { name: 'Lesson' })).toHaveAttribute('aria-selected', 'true');
  expect(page.url()).toContain('#s=01-2-life-of-a-message');
  await page.goBack();
  await until(page, (now) => now.scenario === '01-1-orders-on-four-queues');
});

/** Does what the last hint of 05-5 says, and runs it by the keyboard right after the last key. */
async function followHint(page) {
  await page.getByTestId('change-text').click();
  const text = page.getByRole('textbox', { name: 'Scenario text' });
  await text.fill((await text.inputValue()).replace('FIFO 1 queue', 'FIFO 2 queues'));
  await page.keyboard.press('Control+Enter');
  await until(page, (now) => now.scenario === '');
}

test('a goal is reached by following its last hint, and the lesson stays the lesson', async ({ page }) => {
  await begin(page, '05-5-neighbour-pays');
  for (let hint = 1; hint <= 3; hint += 1) await page.locator('.hint-button').click();
  await followHint(page);
  // Where one writes, the hint is read, and what became of the goal.
  await expect(page.getByTestId('editor-hint')).toContainText('replace 1 queue by 2 queues');
  await expect(page.getByTestId('reached')).toContainText('Goal reached');
  await expect(page.locator('.verdict.fails')).toHaveCount(0);
  await expect(page.locator('.verdict.was').first()).toContainText('held before your change');
  await expect(page.locator('.scenario-title')).toHaveText('5.5 The neighbour pays, changed by you');
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await expect(page.locator('.hints li')).toHaveCount(3);
  await runUntil(page, (now) => now.time > 4_000);
  await expect(page.locator('.goal.is-reached')).toHaveCount(1);
  // Whoever has reached it may go on trying.
  await expect(page.getByTestId('change-text')).toBeVisible();
  await expect(page.getByTestId('changed')).toContainText('From 00:03.000 on the run is yours');
  await expect(page.locator('.beat.is-before')).toHaveCount(3);
  await expect(page.locator('.narration-text')).toHaveText(/^Before your change: /);
  // The way on, and the way back.
  await expect(page.locator('.lesson-ways [data-opens="05-6-dead-letter-again"]')).toBeVisible();
  await page.getByTestId('back-to-lesson').click();
  await until(page, (now) => now.scenario === '05-5-neighbour-pays');
  await expect(page.getByTestId('changed')).toHaveCount(0);
  await expect(page.locator('.beat.is-before')).toHaveCount(0);
});

test('a beat that is about another consumer group says so', async ({ page }) => {
  await page.goto('./#s=01-3-offsets-and-lag&b=6');
  await until(page, (now) => now.scenario === '01-3-offsets-and-lag' && now.time === 13_500);
  await expect(page.locator('.narration-turned')).toHaveCount(0);
  await page.locator('.narration').getByRole('button', { name: 'Next' }).click();
  await until(page, (now) => now.time === 19_500);
  await expect(page.locator('.narration-text')).toHaveText(/^The stage now shows the group report\. r1 begins with A1/);
});

test('the editor of a lesson shows what happens, not its prose', async ({ page }) => {
  await begin(page, '01-3-offsets-and-lag');
  await page.getByRole('tab', { name: 'Scenario' }).click();
  const lines = (await page.getByTestId('editor').inputValue()).split('\n');
  const first = lines.findIndex((line) => line.startsWith('at '));
  await expect(page.locator('.editor-gutter li').nth(first)).toBeInViewport();
});

test('a change that shows only behind the lesson\'s own end is told of', async ({ page }) => {
  await begin(page, '01-3-offsets-and-lag');
  await page.getByTestId('change-text').click();
  const text = page.getByRole('textbox', { name: 'Scenario text' });
  const reset = 'at 70s reset billing in q0 to offset 0\n';
  await text.fill(`${(await text.inputValue()).replace('75s', '95s')}\n${reset}`);
  await page.keyboard.press('Control+Enter');
  await until(page, (now) => now.scenario === '');
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await expect(page.getByTestId('changed')).toContainText(/From 01:(1[5-9]|[23]\d)\.\d+ on the run is yours/);
});

for (const tab of ['Why', 'Inspect', 'Log']) {
  test(`${tab} shows nothing of what is selected before it is there, and shows it again behind that`, async ({ page }) => {
    await page.goto('./#s=05-1-poison-message&t=6000');
    await until(page, (now) => now.scenario === '05-1-poison-message' && now.time === 6_000 && !now.playing);
    await thing(page, 'B2').click();
    await page.getByRole('tab', { name: tab }).click();
    // In a list of tabs Home means the first tab.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('Home');
    await until(page, (now) => now.event === 0);
    await expect(page.locator('.panel-body')).not.toContainText('B2');
    await page.keyboard.press('End');
    await until(page, (now) => now.time === 16_000);
    // The log has rows only where people look, and those are the newest ones.
    await expect(page.locator('.panel-body')).toContainText(tab === 'Log' ? 'A2 fails' : 'B2');
  });
}

test('Inspect counts the lag from the offset that the broker knows', async ({ page }) => {
  await page.goto('./#s=01-3-offsets-and-lag&t=4600');
  await until(page, (now) => now.scenario === '01-3-offsets-and-lag' && now.time === 4_600);
  await page.locator('.stage-region svg .lane[data-subject]').first().click({ position: { x: 12, y: 12 } });
  await page.getByRole('tab', { name: 'Inspect' }).click();
  const value = (name) => page.locator('.panel-body dt, .panel-body th').filter({ hasText: new RegExp(`^${name}$`) }).locator('xpath=following-sibling::*[1]');
  const shown = {};
  for (const name of ['maxOffset', 'consumerOffset', 'nextOffset', 'diffTotal']) shown[name] = await value(name).textContent();
  expect(shown).toEqual({ maxOffset: '2', consumerOffset: '1', nextOffset: '2', diffTotal: '1' });
});

test('what is shared of a changed lesson is that lesson, changed', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await begin(page, '05-5-neighbour-pays');
  await followHint(page);
  await page.getByRole('button', { name: 'Share' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto('about:blank');
  await page.goto(link);
  await expect(page.locator('.scenario-title')).toHaveText('5.5 The neighbour pays, changed by you');
  await page.getByTestId('back-to-lesson').click();
  await until(page, (now) => now.scenario === '05-5-neighbour-pays');
});

/** Where the focus is: the id or the test id of its element, and its words. */
const focused = (page) =>
  page.evaluate(() => {
    const { id, tagName, dataset, textContent } = document.activeElement;
    return `${id || dataset.testid || tagName} ${textContent.trim().slice(0, 20)}`;
  });

test('the focus stays where something can be done with it', async ({ page }) => {
  await page.goto('./#s=05-5-neighbour-pays&t=3000');
  await until(page, (now) => now.scenario === '05-5-neighbour-pays' && now.time === 3_000);
  // A number finds its lesson, and Enter opens it.
  await page.keyboard.press('/');
  for (const number of ['05-1', '5.1']) {
    await page.getByRole('searchbox').fill(number);
    await expect(page.locator('.picker-item.is-first')).toHaveAttribute('data-lesson', '05-1-poison-message');
  }
  await page.keyboard.press('Enter');
  await until(page, (now) => now.scenario === '05-1-poison-message');
  expect(await focused(page)).toMatch(/^panel-body /);
  await page.goto('./#s=05-1-poison-message&t=5000');
  await until(page, (now) => now.time === 5_000 && !now.playing);
  await answer(page, 0);
  await expect.poll(() => focused(page)).toMatch(/Let it run$/);
  await page.keyboard.press('Enter');
  await until(page, (now) => now.time >= 5_800);
  await page.keyboard.press('End');
  await until(page, (now) => !now.playing && now.time === 16_000);
  // At the end there is nothing to run on to.
  await page.getByRole('button', { name: 'Play it again' }).press('Enter');
  await until(page, (now) => now.playing && now.time < 5_000);
  await page.goto('./#s=05-1-poison-message&t=6000');
  await until(page, (now) => now.time === 6_000 && !now.playing);
  await thing(page, 'B2').click();
  await page.getByTestId('try').press('Enter');
  await expect(page.getByTestId('moves')).toBeVisible();
  expect(await focused(page)).toMatch(/^SECTION What would move it/);
  await page.locator('.move-deeds').getByRole('button', { name: 'Do it now' }).first().press('Enter');
  await expect.poll(() => focused(page)).toMatch(/^panel-body /);
  // What is taken away with the button leaves the focus near it.
  await page.goto('./#s=05-5-neighbour-pays&t=12000');
  await until(page, (now) => now.scenario === '05-5-neighbour-pays' && now.time === 12_000);
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await page.getByRole('button', { name: 'Compare with the repaired run' }).press('Enter');
  await expect(page.locator('.pair-run')).toHaveCount(2);
  await expect.poll(() => focused(page)).toMatch(/^stage /);
});

test('what is done is remembered in the browser, and shown in the list', async ({ page }) => {
  const id = '01-1-orders-on-four-queues';
  await begin(page, id);
  await page.keyboard.press('End');
  await until(page, (now) => now.time > 6_000);
  const { asks } = lesson(id);
  await answer(page, asks[0].right);
  await page.reload();
  await open(page);
  await opener(page).click();
  const list = page.getByRole('dialog', { name: 'Scenarios' });
  await expect(list.locator(`[data-lesson="${id}"] .picker-mark.is-done`)).toHaveCount(1);
  await expect(list).toContainText(`1 of ${ids.length} lessons done`);
  await expect(list.locator('[data-lesson]')).toHaveCount(ids.length);
  // A symptom finds the lesson that somebody with it needs.
  await list.getByRole('searchbox').fill('kill -9');
  await expect(list.locator('[data-lesson]').first()).toHaveAttribute('data-lesson', /^04-/);
});

for (const part of [0, 1, 2, 3]) {
  test(`every lesson is played by keyboard, every question answered wrongly and rightly (${part + 1} of 4)`, async ({ page }) => {
    test.setTimeout(240_000);
    for (const id of ids.filter((_, index) => index % 4 === part)) {
      const { title, beats, asks } = lesson(id);
      for (const rightly of [false, true]) {
        await page.goto('./#s=01-1-orders-on-four-queues&t=0');
        await until(page, (now) => now.scenario === '01-1-orders-on-four-queues' && now.time === 0);
        await begin(page, id);
        await expect(page.locator('.lesson h2'), id).toHaveText(title);
        await page.locator('body').click({ position: { x: 2, y: 2 } });
        for (let beat = 1; beat < beats; beat += 1) {
          const before = await state(page);
          await page.keyboard.press(']');
          await until(page, (now) => now.time > before.time);
        }
        await expect(page.locator('.beat.is-now'), id).toHaveCount(1);
        await page.keyboard.press('End');
        const { count, right } = asks.at(-1);
        await expect(options(page), id).toHaveCount(count);
        await answer(page, rightly ? right : (right + 1) % count);
        const verdict = rightly ? 'That is what happens' : 'It happens otherwise';
        await expect(page.locator('.question [role=status]'), id).toContainText(verdict);
      }
    }
  });
}

/** What following the last hint makes of each lesson's text: the native tests' own list. */
const goals = readFileSync(new URL('../lessons/changes.txt', import.meta.url), 'utf8')
  .split(/^== /m)
  .slice(1)
  .map((section) => section.trimEnd().split('\n'))
  .filter(([head]) => head.endsWith(' goal'))
  .map(([head, ...lines]) => ({
    id: head.slice(0, head.indexOf(' ')),
    out: lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2)),
    put: lines.filter((line) => line.startsWith('+ ')).map((line) => line.slice(2)),
  }));

/** A line without comment and without alignment. */
const bare = (line) => line.split(' #')[0].trim().split(/\s+/).join(' ');

/** A lesson's text with its hint followed; its own expectations are left out. */
function followed(text, { id, out, put }) {
  const lines = text.split('\n').filter((line) => !line.startsWith('expect '));
  for (const gone of out) {
    const place = lines.findIndex((line) => bare(line) === bare(gone));
    expect(place, `${id}: no line \`${gone}\``).toBeGreaterThanOrEqual(0);
    lines.splice(place, 1);
  }
  return [...lines, ...put, ''].join('\n');
}

for (const part of [0, 1, 2, 3]) {
  test(`every goal is reached by keyboard, by following its hints in the editor (${part + 1} of 4)`, async ({ page }) => {
    test.setTimeout(240_000);
    for (const goal of goals.filter((_, index) => index % 4 === part)) {
      await page.goto('./#s=01-1-orders-on-four-queues&t=0');
      await until(page, (now) => now.scenario === '01-1-orders-on-four-queues' && now.time === 0);
      await begin(page, goal.id);
      // Hint after hint, until none is left; nothing is reached by reading.
      const hint = page.locator('.hint-button').first();
      for (let more = 0; more < 3 && (await hint.isVisible()); more += 1) {
        await hint.focus();
        await page.keyboard.press('Enter');
      }
      await expect(hint, goal.id).toBeHidden();
      await page.keyboard.press('6');
      const field = page.getByRole('textbox', { name: 'Scenario text' });
      await field.fill(followed(await field.inputValue(), goal));
      await expect(page.getByTestId('run'), goal.id).toBeEnabled();
      await page.keyboard.press('Control+Enter');
      await until(page, (now) => now.scenario === '');
      await field.blur();
      await page.keyboard.press('End');
      await page.keyboard.press('1');
      await expect(page.locator('.goal'), goal.id).not.toHaveCount(0);
      await expect(page.locator('.goal:not(.is-reached)'), goal.id).toHaveCount(0);
    }
  });
}

test('a lesson that is opened is read from beat to beat, at the speed of the clock, from its top', async ({ page }) => {
  await open(page);
  await page.getByTestId('begin').click();
  await until(page, (now) => now.scenario === '01-1-orders-on-four-queues' && !now.playing && now.event > 0);
  await expect(page.locator('.beat.is-now')).toHaveCount(1);
  const first = await state(page);
  await page.getByTestId('play').click();
  await until(page, (now) => !now.playing && now.time > first.time);
  await expect(page.locator('.beat').nth(1)).toHaveClass(/is-now/);
  // Faster here, at the clock's speed again in the next lesson.
  await page.getByLabel('Speed').selectOption({ label: '5×' });
  await opener(page).click();
  await page.locator('[data-lesson="05-5-neighbour-pays"]').click();
  await until(page, (now) => now.scenario === '05-5-neighbour-pays');
  await expect(page.locator('.speed-select option:checked')).toHaveText('1×');
  await expect(page.locator('.stop-select option:checked')).toHaveText('next beat');
  await expect(page.locator('.panel-body')).toHaveJSProperty('scrollTop', 0);
});

test('what a lesson answers is told in short behind its last beat, not before its question', async ({ page }) => {
  await begin(page, '01-1-orders-on-four-queues');
  const short = page.locator('.lesson').getByText('In short');
  await expect(short).toBeHidden();
  await page.keyboard.press('End');
  await until(page, (now) => !now.playing && now.time > 10_000);
  await expect(short).toBeHidden();
  await page.locator('.question').scrollIntoViewIfNeeded();
  await answer(page, 0);
  await expect(short).toBeVisible();
});

test('a message says in Inspect how far it is with each consumer group', async ({ page }) => {
  await page.goto('./#s=01-2-life-of-a-message&t=9000');
  await until(page, (now) => now.time === 9_000 && Boolean(now.hash));
  await thing(page, 'A2').click();
  await page.keyboard.press('3');
  await expect(page.locator('.panel-body')).toContainText('billingA2 is a dead letter');
  await expect(page.locator('.panel-body')).toContainText('auditA2 is acknowledged');
});

test('a folded topic shows its queues when it is chosen, by the pointer and in the list', async ({ page }) => {
  await page.goto('./#s=01-4-topic-types&t=16000');
  await until(page, (now) => now.time === 16_000 && Boolean(now.hash));
  const notice = page.locator('.stage-region svg .folded').filter({ hasText: 'notices' });
  await notice.click();
  await expect(notice).toHaveCount(0);
  await expect(thing(page, 'P2')).toBeVisible();
  await page.locator('.twin').getByRole('button', { name: /^orders: FIFO/ }).press('Enter');
  await expect(thing(page, 'A1')).toBeVisible();
  await expect(notice).toHaveCount(1);
});
