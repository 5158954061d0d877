// Two runs side by side on one clock: opened, moved, understood and shared, by mouse and keyboard.
import AxeBuilder from '@axe-core/playwright';
import { expect, openText, state, test, until } from './page.mjs';

const POISON = '05-1-poison-message';
const PAYS = '05-5-neighbour-pays';

/** Opens a lesson at an instant with another run beside it, and waits until both were played ahead. */
async function beside(page, hash, ms) {
  await page.goto(`./#${hash}`);
  await until(page, (now) => now.time === ms && !now.playing && Boolean(now.hash));
  await expect(page.getByTestId('to-divergence')).toBeVisible();
}

const run = (page, number) => page.locator('.pair-run').nth(number - 1);
const row = (page, message) => page.locator('.pair-table tr').filter({ has: page.locator('th', { hasText: new RegExp(`^${message}$`) }) });
const slot = (page, number, message) => run(page, number).locator('.stage-svg [data-subject^="m"]').filter({ hasText: new RegExp(`^${message}$`) }).first();

test('broken and repaired are opened from the lesson, and the first divergence is named', async ({ page }) => {
  await page.goto(`./#s=${PAYS}&t=2000`);
  await until(page, (now) => now.scenario === PAYS && now.time === 2_000);
  await page.getByRole('button', { name: 'Compare with the repaired run' }).click();
  await expect(page.locator('.pair-run')).toHaveCount(2);
  await expect(run(page, 1).locator('.pair-head h2')).toHaveText('The neighbour pays');
  await expect(run(page, 2).locator('.pair-head h2')).toHaveText('What the documents describe');
  const parting = page.locator('.pair-parting');
  await expect(parting.getByRole('heading')).toHaveText('First divergence: 00:03.100');
  await expect(parting.locator('dd').nth(0)).toContainText('3.4 s later: c1 handles B1 from q0.');
  await expect(parting.locator('dd').nth(0)).toContainText('A1 before it failed');
  await expect(parting.locator('dd').nth(1)).toHaveText('c1 handles B1 from q0.');
  // Nothing differs yet, and nothing is said of what is to come.
  await expect(page.locator('.pair-now')).toContainText('Nothing differs yet.');
  await page.getByTestId('to-divergence').click();
  await until(page, (now) => now.time === 3_100);
  await expect(row(page, 'B1').locator('td').nth(1)).toContainText('with c1 since 00:03.100');
  await expect(page.locator('.tl-parting')).toBeVisible();
  await page.getByRole('button', { name: 'Close comparison' }).click();
  await expect(page.locator('.pair-run')).toHaveCount(0);
  await until(page, (now) => now.scenario === PAYS && now.time === 3_100);
});

test('from the repaired run, what breaks comes first', async ({ page }) => {
  await page.goto(`./#s=${PAYS}-repaired&t=2000`);
  await until(page, (now) => now.scenario === `${PAYS}-repaired` && now.time === 2_000);
  await page.getByRole('button', { name: 'Compare with the run that breaks' }).click();
  await until(page, (now) => now.scenario === PAYS && now.time === 2_000);
  await expect(run(page, 2).locator('.pair-head h2')).toHaveText('What the documents describe');
});

test('a keyboard is enough: chosen, stepped, sought and closed', async ({ page }) => {
  await page.goto(`./#s=${POISON}&t=3000`);
  await until(page, (now) => now.scenario === POISON && now.time === 3_000);
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'What to compare this run with' });
  await expect(dialog).toBeVisible();
  // What would change nothing is not offered: the group is orderly, the queue is what blocks, by 5.3.
  await expect(dialog.locator('[data-against]')).toHaveCount(6);
  await expect(dialog.locator('[data-against="orderly"], [data-against="model-5.3"]')).toHaveCount(0);
  await dialog.locator('[data-against="blocking-message-group"]').focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByTestId('to-divergence')).toBeVisible();

  // A step is the next event of either run, and back is as fine as forward.
  const events = [await state(page)];
  for (let i = 0; i < 6; i += 1) {
    await page.keyboard.press('ArrowRight');
    await expect.poll(async () => page.locator('.pair > [role=status]').textContent()).toContain('Run ');
    events.push(await state(page));
  }
  expect(events.map((now) => now.time).every((ms, i, all) => i === 0 || ms >= all[i - 1])).toBe(true);
  for (let i = 5; i >= 0; i -= 1) {
    await page.keyboard.press('ArrowLeft');
    const { event, hash } = events[i];
    await until(page, (now) => now.event === event && now.hash === hash);
  }

  await page.keyboard.press('End');
  await until(page, (now) => now.time === 16_000);
  await expect(row(page, 'B2').locator('td')).toHaveText(['waits since 00:03.800', 'acknowledged at 00:05.400']);
  await page.keyboard.press('c');
  await expect(page.locator('.pair-run')).toHaveCount(0);
});

test('both runs play on one clock, and no question stops them', async ({ page }) => {
  await beside(page, `s=${POISON}&t=4500&c=blocking-message-group`, 4_500);
  await page.getByTestId('play').click();
  await until(page, (now) => now.time > 5_500);
  await page.getByTestId('play').click();
  await until(page, (now) => !now.playing);
  const now = await state(page);
  for (const number of [1, 2]) {
    await expect(run(page, number).locator('.stage-svg').first()).toBeVisible();
  }
  // B2 went past in the second run alone, and is marked there and in the first one.
  expect(now.time).toBeGreaterThan(5_400);
  await expect(run(page, 1).locator('.tok.is-different').filter({ hasText: /^B2$/ })).toHaveCount(1);
  await expect(run(page, 2).locator('.tok').filter({ hasText: /^B2$/ })).toHaveCount(0);
});

test('a click in either run selects there, and its counterpart in the other', async ({ page }) => {
  await beside(page, `s=${POISON}&t=9900&c=blocking-message-group`, 9_900);
  await slot(page, 2, 'A3').click();
  const panel = page.locator('.panel');
  await expect(panel.locator('h2')).toContainText('A3');
  for (const number of [1, 2]) {
    await expect(run(page, number).locator('.tok.is-selected').filter({ hasText: /^A3$/ })).toHaveCount(1);
  }
  await slot(page, 1, 'B2').click();
  await expect(panel.getByTestId('why')).toContainText('A2 before it failed');
  // The row in the table does the same.
  await row(page, 'B3').getByRole('button').click();
  await expect(panel.locator('h2')).toContainText('B3');
  // A bar on the timeline belongs to its run.
  await page.locator('.tl-row[data-run="2"] .tl-bar').filter({ hasText: 'B2' }).first().click();
  await expect(panel.locator('h2')).toContainText('B2');
  await expect(panel.getByTestId('why')).not.toContainText('A2 before it failed');
  await page.locator('.tl-row:not([data-run]) .tl-bar.is-failed').first().click();
  await expect(panel.locator('h2')).toContainText('A2');
  await expect(panel.getByTestId('why')).toContainText('suspended until');
});

test('the timeline has a row for each run where they differ, and one where they do not', async ({ page }) => {
  await beside(page, `s=${POISON}&t=9900&c=blocking-message-group`, 9_900);
  await expect(page.locator('.tl-row[data-run="2"]')).toHaveCount(1);
  await expect(page.locator('.tl-name').filter({ has: page.locator('.run-sign ~ .run-sign') })).toHaveCount(3);
});

test('ordered and concurrent: the broken order is in the head of its run', async ({ page }) => {
  await beside(page, `s=${POISON}&t=9900&c=concurrent`, 9_900);
  await expect(run(page, 1).locator('.chip.broken')).toHaveCount(0);
  await run(page, 2).locator('.chip.broken').click();
  await until(page, (now) => now.time < 9_900);
  await expect(page.locator('.pair-run')).toHaveCount(2);
});

test('4.9 beside 5.3', async ({ page }) => {
  await beside(page, `s=${POISON}&t=3000&c=model-4.9`, 3_000);
  await expect(run(page, 2).locator('.pair-head h2')).toHaveText('RocketMQ 4.9');
});

test('a text that was changed is compared with the one before', async ({ page }) => {
  await page.goto(`./#s=${POISON}&t=3000`);
  await until(page, (now) => now.scenario === POISON && now.time === 3_000);
  await page.getByRole('tab', { name: 'Scenario' }).click();
  const field = page.getByRole('textbox', { name: 'Scenario text' });
  await field.fill((await field.inputValue()).replace('handles in 600ms', 'handles in 600ms, suspend 5s'));
  await expect(page.getByTestId('run')).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await until(page, (now) => now.scenario === '');
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await page.getByRole('button', { name: 'Compare with the run before' }).click();
  await expect(page.locator('.pair-run')).toHaveCount(2);
  // The one before is the first: there A2 comes again after one second.
  const parting = page.locator('.pair-parting dd');
  await expect(parting.nth(0)).toContainText('c1 handles A2 from q1');
  await expect(parting.nth(1)).toContainText('4.0 s later');
  await expect(page.locator('.pair-run[data-run="1"] .pair-head h2')).toHaveText(/the text before$/);
  await expect(page.locator('.pair-run[data-run="2"] .pair-head h2')).toHaveText(/your text$/);
  // Closed, the newer one stays, and nothing of it is lost.
  await page.getByRole('button', { name: 'Close comparison' }).click();
  await expect(page.locator('.pair-run')).toHaveCount(0);
  await page.getByRole('tab', { name: 'Scenario' }).click();
  await expect(field).toHaveValue(/suspend 5s/);
});

test('a change that was tried is looked at as a whole run', async ({ page }) => {
  await page.goto(`./#s=${POISON}&t=9900`);
  await until(page, (now) => now.scenario === POISON && now.time === 9_900);
  await page.locator('.stage-svg [data-subject^="m"]').filter({ hasText: /^B2$/ }).first().click();
  await page.getByTestId('try').click();
  await page.getByTestId('moves').getByRole('button', { name: 'Compare both runs' }).first().click();
  await expect(page.locator('.pair-run')).toHaveCount(2);
  await expect(page.getByTestId('to-divergence')).toBeVisible();
});

test('the lesson goes on in a comparison: its captions stand below both runs, and Next moves both', async ({ page }) => {
  await beside(page, `s=${PAYS}&t=3000&c=${PAYS}-repaired`, 3_000);
  const narration = page.locator('.narration');
  await expect(narration).toHaveCount(1);
  await expect(narration).toContainText('Two orders, one queue.');
  await narration.getByRole('button', { name: 'Next' }).click();
  // No question stops two runs.
  await until(page, (now) => now.time === 3_500 && !now.playing);
  await expect(narration).toContainText('Nothing moves.');
  await expect(narration).toBeInViewport({ ratio: 1 });
});

test('the list of what differs is cut off between two rows', async ({ page }) => {
  for (const size of [{ width: 1440, height: 900 }, { width: 1200, height: 760 }]) {
    await page.setViewportSize(size);
    await beside(page, `s=${POISON}&t=15000&c=concurrent`, 15_000);
    await expect(page.locator('.pair-table tbody tr').first()).toBeVisible();
    const cut = () =>
      page.locator('.pair-table').evaluate((list) => {
        const edge = list.getBoundingClientRect().bottom;
        const rows = [...list.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect());
        return rows.filter(({ top, bottom }) => top < edge - 1 && bottom > edge + 1).length;
      });
    await expect.poll(cut).toBe(0);
    const more = await page.locator('.pair-table').evaluate((list) => list.scrollHeight > list.clientHeight);
    expect(more, 'there are more rows than fit').toBe(true);
  }
});

/** Opens the comparison, selects a message in one of the runs and tries what would move it. */
async function tried(page, number, message) {
  await beside(page, `s=${POISON}&t=9900&c=blocking-message-group`, 9_900);
  await slot(page, number, message).click();
  await page.getByTestId('try').click();
  await expect(page.getByTestId('moves')).toBeVisible();
  return page.getByTestId('moves').getByRole('button', { name: 'Compare both runs' });
}

test('in a comparison a change of the first run takes the place of the second one', async ({ page }) => {
  const compare = await tried(page, 1, 'B2');
  await expect(page.getByTestId('beside')).toContainText('takes the place of run 2');
  const title = run(page, 2).locator('.pair-head h2');
  const before = await title.textContent();
  await compare.first().click();
  await expect(page.locator('.pair-run')).toHaveCount(2);
  await expect(title).not.toHaveText(before);
});

test('in a comparison it is said why a change of the second run cannot be compared', async ({ page }) => {
  const compare = await tried(page, 2, 'A3');
  await expect(page.getByTestId('beside')).toContainText('only changes of run 1');
  await expect(compare).toHaveCount(0);
});

test('a link opens the comparison, and a shared link is that link', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await beside(page, `s=${PAYS}&t=4500&c=${PAYS}-repaired`, 4_500);
  await page.getByRole('button', { name: 'Share' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain(`#s=${PAYS}&t=4500&c=${PAYS}-repaired`);
  // A text beside a text.
  const text = 'topic orders FIFO 1 queue\ngroup billing reads orders orderly\nproducer p1\nconsumer c1 in billing\nat 1s p1 sends A1\n';
  const other = text.replace('at 1s', 'at 2s');
  await page.goto(`./#x=${encodeURIComponent(text)}&t=1000&y=${encodeURIComponent(other)}`);
  await expect(page.locator('.pair-parting dd').nth(1)).toContainText('1.0 s later');
});

test('a damaged comparison is told of, and the first run is shown alone', async ({ page }) => {
  for (const part of ['c=nothing', 'c=', 'y=%E0%A4%A']) {
    await page.goto('./#s=01-1-orders-on-four-queues&t=0');
    await until(page, (now) => now.scenario === '01-1-orders-on-four-queues');
    await page.goto(`./#s=${POISON}&t=3000&${part}`);
    await until(page, (now) => now.scenario === POISON && now.time === 3_000);
    await expect(page.locator('.notice'), part).toContainText('cut off or changed on its way');
    await expect(page.locator('.pair-run')).toHaveCount(0);
  }
  // A change that changes nothing.
  await page.goto(`./#s=${POISON}&t=2000&c=orderly`);
  await expect(page.locator('.notice')).toContainText('makes no difference');
  // A text that cannot be played with the first one.
  await openText(page, 'topic orders 1 queue\n', 0);
  await page.goto(`./#x=${encodeURIComponent('topic orders 1 queue\n')}&t=0&y=nonsense`);
  await expect(page.locator('.notice')).toContainText('cannot be compared');
});

test.describe('on a telephone', () => {
  test.use({ viewport: { width: 360, height: 780 } });

  test('the sheet makes way for a comparison, however far it was raised', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`./#s=${PAYS}&t=12000`);
    await until(page, (now) => now.scenario === PAYS && now.time === 12_000);
    const handle = page.locator('.sheet-handle');
    for (let stop = 0; stop < 2; stop += 1) await handle.press('Enter');
    await expect(page.locator('.shell.panel-full')).toHaveCount(1);
    await page.getByRole('button', { name: 'Compare with the repaired run' }).click();
    await expect(run(page, 1)).toBeVisible();
    await expect(page.locator('.shell.panel-full, .shell.panel-open')).toHaveCount(0);
    const covered = () =>
      page.getByTestId('to-divergence').evaluate((button) => {
        const { left, top, width, height } = button.getBoundingClientRect();
        return document.elementFromPoint(left + width / 2, top + height / 2) !== button;
      });
    await expect.poll(covered).toBe(false);
  });

  test('one run at a time, by a switch', async ({ page }) => {
    await beside(page, `s=${POISON}&t=9900&c=blocking-message-group`, 9_900);
    await expect(run(page, 1)).toBeVisible();
    await expect(run(page, 2)).toBeHidden();
    await page.locator('.pair-switch button').nth(1).click();
    await expect(run(page, 2)).toBeVisible();
    await expect(run(page, 1)).toBeHidden();
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  });
});

for (const [size, viewport] of Object.entries({ wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } })) {
  for (const colorScheme of ['light', 'dark']) {
    for (const locale of ['en-US', 'zh-CN']) {
      test.describe(`${size} ${colorScheme} ${locale}`, () => {
        test.use({ viewport, colorScheme, locale });
        test('axe finds nothing', async ({ page }) => {
          await beside(page, `s=${POISON}&t=9900&c=concurrent`, 9_900);
          const { violations } = await new AxeBuilder({ page }).analyze();
          expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`)).toEqual([]);
        });
      });
    }
  }
}

test('a telephone on its side shows the stage, and what is told below it', async ({ page }) => {
  await page.setViewportSize({ width: 844, height: 390 });
  await beside(page, `s=${PAYS}&t=4500&c=${PAYS}-repaired`, 4_500);
  const { height } = await run(page, 1).locator('.stage-scroll').boundingBox();
  expect(height).toBeGreaterThan(110);
  await expect(slot(page, 1, 'B1')).toBeInViewport();
  await page.getByTestId('to-divergence').click();
  await until(page, (now) => now.time === 3_100);
});

test('of 64 queues those in which the runs part are marked and brought into view', async ({ page }) => {
  // The hash of `order-1050` is 708181017, and that is 25 modulo 64: below what is seen at first.
  const text = `topic orders FIFO 64 queues
group billing reads orders orderly, handles in 300ms
series B message-group order-1050
producer p1 selects by hash
consumer c1 in billing
at 3s B1 fails twice
at 3s p1 sends B1 B2
run until 12s
`;
  await beside(page, `x=${encodeURIComponent(text)}&t=5000&c=concurrent`, 5_000);
  for (const number of [1, 2]) {
    const marked = run(page, number).locator('.strip.is-different');
    await expect(marked).toHaveCount(1);
    await expect(marked).toBeInViewport();
  }
});

test('two stages that do not fit are scrolled together', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto('./#s=09-3-four-to-eight&t=20000&c=09-3-four-to-eight-repaired');
  await expect(page.locator('.pair-run')).toHaveCount(2);
  await until(page, (now) => now.time === 20_000);
  const tops = () => page.locator('.stage-scroll').evaluateAll((hosts) => hosts.map((host) => host.scrollTop));
  await expect.poll(async () => new Set(await tops()).size).toBe(1);
  for (const [run, top] of [[0, 0], [1, 60], [0, 25]]) {
    await page.locator('.stage-scroll').nth(run).evaluate((host, to) => { host.scrollTop = to; }, top);
    await expect.poll(tops).toEqual([top, top]);
  }
  // The repaired run has four queues before its change: where it ends, the other one goes on.
  await page.goto('./#s=09-3-four-to-eight&t=6500&c=09-3-four-to-eight-repaired');
  await until(page, (now) => now.time === 6_500);
  await expect(page.locator('.pair-run[data-run="2"] .lane')).toHaveCount(4);
  await page.locator('.stage-scroll').first().evaluate((host) => { host.scrollTop = 120; });
  await expect.poll(async () => (await tops())[1]).toBeGreaterThan(0);
  expect((await tops())[0]).toBe(120);
});

test('a change that was tried is named without the marks of its code', async ({ page }) => {
  await page.goto(`./#s=${POISON}&t=9900`);
  await until(page, (now) => now.scenario === POISON && now.time === 9_900);
  await page.locator('.stage-svg [data-subject^="m"]').filter({ hasText: /^B2$/ }).first().click();
  await page.getByTestId('try').click();
  const changes = page.getByTestId('moves').locator('.move-change');
  await expect(changes.first()).toBeVisible();
  expect((await changes.allTextContents()).join()).not.toContain('`');
  await page.getByTestId('moves').getByRole('button', { name: 'Compare both runs' }).last().click();
  await expect(run(page, 2).locator('.pair-head h2')).not.toContainText('`');
});
