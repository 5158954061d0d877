// Every control, by mouse and by keyboard, each with what it does. The last test looks for controls
// that stand in neither of the lists.
import { expect, state, test, until } from './page.mjs';

test.use({ reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'] });

/** The poison message, behind its first failure, with its question open. */
async function poison(page) {
  await page.goto('./#s=05-1-poison-message&t=5000');
  await until(page, (now) => !now.playing && now.time === 5_000 && Boolean(now.hash));
}

/** Two ways to press something and to choose from a list. */
const HANDS = {
  mouse: {
    press: (_page, control) => control.click(),
    choose: (select, index) => select.selectOption({ index }),
  },
  keyboard: {
    press: async (page, control) => {
      await control.focus();
      await expect(control).toBeFocused();
      await page.keyboard.press('Enter');
    },
    choose: async (select, index) => {
      await select.focus();
      await select.press('Home');
      for (let step = 0; step < index; step += 1) await select.press('ArrowDown');
    },
  },
};

const button = (page, name) => page.getByRole('button', { name, exact: true });
const tab = (page, name) => page.getByRole('tab', { name, exact: true });

/** Opens a tab of the panel. */
async function open(page, name) {
  await tab(page, name).click();
  await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true');
}

for (const [hand, { press, choose }] of Object.entries(HANDS)) {
  test.describe(`by ${hand}`, () => {
    test.beforeEach(({ page }) => poison(page));

    test('the header: scenarios, guarantees, comparison, link, language, theme, keys', async ({ page }) => {
      const opens = async (control, name) => {
        await press(page, control);
        await expect(page.getByRole('dialog', { name })).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(page.getByRole('dialog', { name })).toBeHidden();
      };
      await opens(page.locator('.scenario-button'), 'Scenarios');
      await opens(page.locator('.verdict-chips > .holds').first(), 'Guarantees');
      await opens(button(page, 'All guarantees'), 'Guarantees');
      await opens(page.locator('.compare-button'), 'What to compare this run with');
      await opens(button(page, 'Keys and words'), 'Keys');
      for (const [control, name] of [[page.locator('.compare-button'), 'What to compare this run with'], [button(page, 'Keys and words'), 'Keys']]) {
        await press(page, control);
        const dialog = page.getByRole('dialog', { name });
        await press(page, dialog.getByRole('button', { name: 'Close' }));
        await expect(dialog).toBeHidden();
      }
      await press(page, page.locator('.share-button'));
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('#s=05-1-poison-message&t=5000');
      await press(page, page.locator('.locale-button'));
      await expect(page.locator('html')).toHaveAttribute('lang', /zh/);
      await press(page, page.locator('.locale-button'));
      await expect(page.locator('html')).toHaveAttribute('lang', 'en');
      await press(page, button(page, 'Dark theme'));
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
      await press(page, button(page, 'Light theme'));
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
    });

    test('the transport: steps of each size, next due, beginning, play, speed, where to stop', async ({ page }) => {
      const at = await state(page);
      for (const size of ['Event', 'Decision', 'Beat']) {
        await press(page, button(page, size));
        await expect(button(page, size)).toHaveAttribute('aria-pressed', 'true');
        await press(page, page.locator('.transport-back'));
        await until(page, (now) => now.event < at.event || now.time < at.time);
        const back = await state(page);
        await press(page, page.locator('.transport-forward'));
        await until(page, (now) => now.event > back.event || now.time > back.time);
        await page.goto('about:blank');
        await poison(page);
      }
      await press(page, button(page, 'Next due'));
      await until(page, (now) => now.event > at.event);
      await press(page, button(page, 'To the beginning'));
      await until(page, (now) => now.event === 0);
      await choose(page.getByLabel('Speed'), 0);
      await expect(page.locator('.speed-select .select-text')).toHaveText('1/10×');
      await choose(page.getByLabel('Stop at'), 1);
      await expect(page.locator('.stop-select .select-text')).toHaveText(/beat/);
      await press(page, page.getByTestId('play'));
      await until(page, (now) => now.playing);
      await press(page, page.getByTestId('play'));
      await until(page, (now) => !now.playing);
    });

    test('the timeline: zoom, bookmark, beats, rows, and the narration beside it', async ({ page }) => {
      await press(page, button(page, 'Show less time'));
      await expect(page.locator('.tl-zoom')).toContainText('8 s');
      await press(page, button(page, 'Show more time'));
      await expect(page.locator('.tl-zoom')).toContainText('16 s');
      await press(page, page.locator('.tl-mark-now'));
      await expect(page.locator('.tl-bookmark')).toHaveCount(1);
      await press(page, page.locator('.tl-beat').nth(1));
      await until(page, (now) => now.time === 2_000);
      await press(page, page.locator('.tl-bookmark'));
      await until(page, (now) => now.time === 5_000);
      await choose(page.getByLabel('One row for each'), 1);
      await expect(page.locator('.tl-name b').first()).toHaveText('A');
      await press(page, button(page, 'Previous beat'));
      await until(page, (now) => now.time < 5_000);
      const before = await state(page);
      await press(page, page.locator('.narration').getByRole('button', { name: 'Next' }));
      await until(page, (now) => now.time > before.time);
    });

    test('the lines between the regions', async ({ page }) => {
      for (const [name, region, grow, side] of [[/^Width of the panel/, '.panel-region', 'ArrowLeft', 'width'], [/^Height of the timeline/, '.timeline-region', 'ArrowUp', 'height']]) {
        const line = page.getByRole('separator', { name });
        const size = async () => (await page.locator(region).boundingBox())[side];
        const before = await size();
        if (hand === 'mouse') {
          const box = await line.boundingBox();
          const [x, y] = [box.x + Math.min(3, box.width / 2), box.y + Math.min(3, box.height / 2)];
          await page.mouse.move(x, y);
          await page.mouse.down();
          await page.mouse.move(side === 'width' ? x - 40 : x, side === 'height' ? y - 40 : y, { steps: 4 });
          await page.mouse.up();
        } else {
          await line.focus();
          for (let step = 0; step < 3; step += 1) await page.keyboard.press(grow);
        }
        await expect.poll(size).toBeGreaterThan(before + 30);
        expect(Math.abs(Number(await line.getAttribute('aria-valuenow')) - (await size()))).toBeLessThan(3);
        await page.reload();
        await until(page, (now) => Boolean(now.hash));
        await expect.poll(size).toBeGreaterThan(before + 30);
        if (hand === 'mouse') await line.dblclick();
        else await line.press('Home');
        await expect.poll(size).toBe(before);
      }
      // Keys that move a line do nothing else.
      expect((await state(page)).time).toBe(5_000);
    });

    test('the lesson: beats, the question, hints, the text, other ways to go on', async ({ page }) => {
      await press(page, page.locator('.question .tick-link'));
      await until(page, (now) => now.time === 5_000);
      await press(page, page.locator('.option').nth(1));
      await expect(page.locator('.option').nth(1)).toHaveAttribute('aria-pressed', 'true');
      await open(page, 'Lesson');
      await press(page, page.locator('.hint-button'));
      await expect(page.locator('.hints li')).toHaveCount(1);
      const answer = page.locator('.twist-answer p');
      await expect(answer).toBeHidden();
      await press(page, page.locator('.twist-answer summary'));
      await expect(answer).toContainText('Three times');
      await press(page, page.getByTestId('change-text'));
      await expect(page.getByTestId('editor')).toBeVisible();
      await open(page, 'Lesson');
      await press(page, page.locator('.question-foot button'));
      await until(page, (now) => now.playing || now.time > 5_000);
      await press(page, page.locator('.beat > button').nth(1));
      await until(page, (now) => now.time === 2_000);
    });

    test('the tabs and the log', async ({ page }) => {
      const names = ['Lesson', 'Why', 'Inspect', 'Log', 'Charts', 'Scenario'];
      if (hand === 'keyboard') await tab(page, 'Lesson').focus();
      for (const name of names.slice(1)) {
        if (hand === 'mouse') await tab(page, name).click();
        else await page.keyboard.press('ArrowRight');
        await expect(tab(page, name)).toHaveAttribute('aria-selected', 'true');
      }
      await open(page, 'Log');
      for (const name of ['Send', 'Delay', 'Handle', 'Retry', 'Lock', 'Rebalance', 'Pull', 'Fault', 'Client log', 'Routine too']) {
        const toggle = button(page, name);
        const was = await toggle.getAttribute('aria-pressed');
        await press(page, toggle);
        await expect(toggle).toHaveAttribute('aria-pressed', was === 'true' ? 'false' : 'true');
        await press(page, toggle);
      }
      const now = await state(page);
      // One in the middle: the list scrolls for those at its ends, and draws others.
      const lines = page.locator('.log-line button');
      await press(page, lines.nth(Math.floor((await lines.count()) / 2)));
      await until(page, (then) => then.event < now.event);
    });

    test('the charts: views, width, range, tables, files', async ({ page }) => {
      await open(page, 'Charts');
      const panel = page.locator('.panel-region');
      const wide = (await panel.boundingBox()).width;
      await press(page, button(page, 'Narrow'));
      await expect.poll(async () => (await panel.boundingBox()).width).toBeLessThan(wide);
      await choose(page.getByLabel('Range'), 1);
      await expect(page.locator('.panel-region .select-text').first()).not.toHaveText('whole run');
      await press(page, button(page, 'Lag per queue, as a table'));
      await expect(page.locator('.view-card.lag table')).toBeVisible();
      for (const name of ['CSV', 'SVG']) {
        const waiting = page.waitForEvent('download');
        await press(page, button(page, name));
        expect((await waiting).suggestedFilename()).toMatch(/\.(csv|svg)$/);
      }
      for (const name of ['Order strips', 'Routing', 'Charts']) {
        await press(page, button(page, name));
        await expect(button(page, name)).toHaveAttribute('aria-pressed', 'true');
      }
    });

    test('the scenario: format, run, text before, save, open, lines', async ({ page }) => {
      await open(page, 'Scenario');
      const field = page.getByTestId('editor');
      const text = await field.inputValue();
      await field.fill(text.replace(/seed +7/, 'seed 7'));
      await press(page, button(page, 'Format'));
      await expect(field).toHaveValue(text);
      await field.fill(text.replace('throws always', 'throws once'));
      await press(page, page.getByTestId('run'));
      await until(page, (now) => now.scenario === '');
      await press(page, button(page, 'Text before'));
      await expect(field).toHaveValue(text);
      const saved = page.waitForEvent('download');
      await press(page, button(page, 'Save'));
      expect((await saved).suggestedFilename()).toMatch(/\.scn$/);
      const chooser = page.waitForEvent('filechooser');
      await press(page, button(page, 'Open'));
      await chooser;
      await press(page, page.locator('.verdict .link').first());
      await expect(field).toBeFocused();
    });

    test('the stage: a queue and a message are selected, and what would move it is tried', async ({ page }) => {
      await open(page, 'Why');
      if (hand === 'mouse') {
        await page.locator('.lane .lane-name').nth(1).click();
      } else {
        await page.locator('.stage-scroll').focus();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
      }
      await expect(page.locator('.lane.is-selected')).toHaveCount(1);
      const why = page.locator('.panel-body');
      await expect(why).toContainText('q1 waits');
      const link = why.locator('.tick-link').first();
      await press(page, link);
      await until(page, (now) => now.time < 5_000);
      // What is a token for the mouse is a line of the list behind the stage for the keyboard.
      const message = { mouse: page.locator('.tok', { hasText: 'B2' }), keyboard: page.locator('.twin button', { hasText: 'B2' }) };
      await press(page, message[hand].first());
      await expect(why).toContainText('B2');
      await press(page, page.getByTestId('try'));
      await expect(page.getByTestId('moves').locator('li').first()).toBeVisible();
    });
  });
}

test('the group whose states the queues show is chosen from its list, by its key, and by its heading', async ({ page }) => {
  await page.goto('./#s=10-3-sessions&t=3500');
  await until(page, (now) => now.time === 3_500 && Boolean(now.hash));
  const select = page.locator('.stage-region select');
  const chosen = () => select.evaluate((list) => list.selectedIndex);
  await select.selectOption({ index: 1 });
  await expect.poll(chosen).toBe(1);
  await select.focus();
  // The arrows are the list's own, and move nothing on the stage.
  await page.keyboard.press('ArrowUp');
  await expect.poll(chosen).toBe(0);
  await expect(page.locator('.lane.is-selected')).toHaveCount(0);
  await select.blur();
  await page.keyboard.press('g');
  await expect.poll(chosen).toBe(1);
});

// Below: every control that the page has in its main states, by what finds it. One that is new has
// to be driven above, or in the spec that is named, before it can be added.
const DRIVEN = [
  '.skip-link', '.scenario-button', '.chip', '.compare-button', '.share-button', '.locale-button', '.header-actions .icon-button',
  '.stage-scroll', '.twin button', '.stage-region select', '.narration button', '.transport button', '.transport select',
  '.tl-zoom button', '.tl-name', '.tl-tracks', '.tl-mark-now', '.tl-beat', '.tl-bookmark', '.tl-rows-select select', '.splitter',
  '[role=tab]', '.beat > button', '.option', '.question .tick-link', '.question-foot button', '.hint-button', '[data-testid=change-text]',
  '.twist-answer summary',
  // lessons.spec: ways on; compare.spec: comparisons; violation.spec: causes and what would move a thing.
  '[data-opens]', '[data-testid=compare]', '.lesson-ways button', '.tick-link', '[data-testid=try]', '[data-testid=to-question]', '[data-testid=why] button',
  '.toggle', '.log-list', '.log-line button', 'input[type=search]',
  // glossary.spec: terms.
  '.term', '.term-card .link', '.terms summary', '.terms .link',
  // panels.spec: views and their tables.
  '.segment button', '.wide-button', '.view-card button', '.panel-region select', '.panel-region .button.small', '.panel-region .link', '.table-box',
  '[data-testid=editor]', '[data-testid=run]',
];

test('there is no control that no test drives', async ({ page }) => {
  const strangers = () =>
    page.evaluate((driven) => {
      const all = 'button, input, select, textarea, summary, a[href]:not([target]), [tabindex="0"], [role=slider], [role=separator], [role=button]';
      return [...document.querySelectorAll(all)]
        .filter((control) => control.getClientRects().length > 0 && !control.matches(driven))
        .map((control) => control.outerHTML.slice(0, 160));
    }, DRIVEN.join(', '));
  await poison(page);
  for (const name of ['Lesson', 'Why', 'Inspect', 'Log', 'Charts', 'Scenario']) {
    await open(page, name);
    expect(await strangers(), name).toEqual([]);
  }
  await open(page, 'Why');
  await page.locator('.tok', { hasText: 'B2' }).first().click();
  expect(await strangers(), 'a message').toEqual([]);
  await open(page, 'Inspect');
  expect(await strangers(), 'its inspection').toEqual([]);
});
