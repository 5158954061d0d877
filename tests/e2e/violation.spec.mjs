import { expect, open, runUntil, state, test, until } from './page.mjs';

test('a run stops at the first broken guarantee, and the timeline marks it', async ({ page }) => {
  await open(page);
  await page.locator('.scenario-picker > button').first().click();
  await page.locator('[data-lesson="03-1-demo-concurrent"]').click();
  await until(page, (now) => now.scenario === '03-1-demo-concurrent' && now.event > 0);
  await expect(page.locator('.tl-broken span')).toHaveCount(0);
  // A lesson is read from beat to beat; here it is run.
  await page.getByLabel('Stop at').selectOption({ label: 'first violation' });
  await page.getByLabel('Speed').selectOption({ label: '10×' });
  // The question of 31.4 s stops it first.
  await runUntil(page, (now) => now.time > 31_450);
  await until(page, (now) => !now.playing);
  const stopped = await state(page);
  expect(stopped.time).toBeLessThan(33_000);
  await expect(page.locator('.tl-broken span')).toHaveCount(1);
  await expect(page.locator('header.header')).toContainText('Order broken in');
  // One step before it, the guarantee still holds and nothing is marked.
  await page.getByRole('button', { name: 'Back one event' }).click();
  await until(page, (now) => now.event === stopped.event - 1);
  await expect(page.locator('.tl-broken span')).toHaveCount(0);
});

test('what would move a message is tried in a branch, told with what comes otherwise, and carried out', async ({ page }) => {
  await page.goto('./#s=05-1-poison-message&t=5000');
  await until(page, (now) => now.time === 5000 && Boolean(now.hash));
  await page.getByRole('tab', { name: 'Why' }).click();
  await page.locator('.tok', { hasText: 'B2' }).first().click();
  await expect(page.getByTestId('why')).toContainText('A2');
  const before = await state(page);
  await page.getByTestId('try').click();
  const moves = page.getByTestId('moves');
  await expect(moves.locator('li').first()).toContainText('billing begins to handle B2');
  await expect(moves).toContainText('It would not happen within ten minutes otherwise.');
  // A branch leaves the run alone.
  expect(await state(page)).toEqual(before);
  await moves.getByRole('button', { name: 'Do it now' }).first().click();
  await until(page, (now) => now.hash && now.hash !== before.hash);
  await page.getByTestId('play').click();
  await expect(page.getByTestId('why')).toContainText('The group has handled it and counts it as consumed', { timeout: 15_000 });
});

const CONCURRENT = './#s=03-1-demo-concurrent&t=32000';
const STARTED = 31_524;

/** Opens the concurrent demo behind its broken order. */
async function behind(page) {
  await page.goto(CONCURRENT);
  await until(page, (now) => now.time === 32_000 && Boolean(now.hash));
}

test('the chips tell what is kept, broken and not promised; the list behind them has all of it', async ({ page }) => {
  await behind(page);
  const chips = page.locator('.verdict-chips > .chip');
  await expect(page.locator('.verdict-chips > .broken')).toHaveText(['Order broken in A']);
  await expect(chips.filter({ hasText: 'One owner not promised' })).toHaveClass(/open/);
  await expect(chips.filter({ hasText: 'Nothing lost' })).toHaveClass(/holds/);
  await page.getByRole('button', { name: 'All guarantees' }).click();
  const list = page.getByRole('dialog', { name: 'Guarantees' });
  await expect(list.locator('.guarantee')).toHaveCount(10);
  const handled = list.locator('[data-guarantee=OrderHandled]');
  await expect(handled).toContainText('not promised and not so');
  await expect(handled).toContainText('MessageListenerOrderly in demo');
  await expect(list.locator('[data-guarantee=Progress]')).toContainText('longest standstill: q2');
  // Its instant leads there, and the list is out of the way.
  await handled.getByRole('button').click();
  await until(page, (now) => now.time === STARTED && !now.playing);
  await expect(list).toBeHidden();
  await expect(page.getByTestId('broken')).toContainText('A1 is handled before A0 is finished.');
});

test('a violation is told as two chains of steps, each of which leads to its instant and lights up', async ({ page }) => {
  await behind(page);
  await page.locator('.verdict-chips > .broken').click();
  await until(page, (now) => now.time === STARTED);
  const story = page.getByTestId('broken');
  await expect(page.locator('#tab-why')).toHaveAttribute('aria-selected', 'true');
  await expect(story.locator('.chain')).toHaveCount(2);
  await expect(story.locator('.step.is-guilty')).toHaveCount(1);
  await expect(page.getByTestId('problem')).toContainText('concurrent listener');
  const stored = story.locator('.step', { hasText: 'A1 is stored in q1' });
  await stored.hover();
  await expect(page.locator('.tok.is-hovered', { hasText: 'A1' })).toHaveCount(1);
  await stored.getByRole('button').click();
  await until(page, (now) => now.time === 1_006);
  // The story stays while people walk along its steps, and so does what would have kept the order.
  await expect(story).toContainText('A1 is handled before A0 is finished.');
  await story.getByTestId('try').click();
  await expect(page.getByTestId('moves')).toContainText('The order of A is kept in demo.');
  await story.locator('.effect button').click();
  await until(page, (now) => now.time === STARTED);
  // Whoever selects something asks about that.
  await page.locator('.tok', { hasText: 'A0' }).first().click();
  await expect(story).toHaveCount(0);
});

test('chips, list and steps work by keyboard', async ({ page }) => {
  await behind(page);
  await page.getByRole('button', { name: 'All guarantees' }).focus();
  await page.keyboard.press('Enter');
  const list = page.getByRole('dialog', { name: 'Guarantees' });
  await expect(list).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list).toBeHidden();
  await page.locator('.verdict-chips > .broken').focus();
  await page.keyboard.press('Enter');
  const story = page.getByTestId('broken');
  await expect(story).toBeVisible();
  await story.locator('.step button').last().focus();
  await page.keyboard.press('Enter');
  await until(page, (now) => now.time === 1_000);
  await story.locator('.step', { hasText: 'A0 is stored in q1' }).getByRole('button').focus();
  await page.keyboard.press('Enter');
  await until(page, (now) => now.time === 1_002);
  await expect(page.locator('.tok.is-hovered', { hasText: 'A0' })).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(story).toHaveCount(0);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('one chip stands for what holds and opens the list', async ({ page }) => {
    await behind(page);
    await page.getByRole('button', { name: 'guarantees hold' }).click();
    const list = page.getByRole('dialog', { name: 'Guarantees' });
    await expect(list.locator('.guarantee').last()).toBeVisible();
    const box = await list.boundingBox();
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(390);
    await list.locator('[data-guarantee=OrderAcknowledged] button').click();
    await expect(page.getByTestId('broken')).toContainText('is acknowledged after');
  });
});

test('a cause lights up all that it is about: lane, thread, consumer, lock, level, bands', async ({ page }) => {
  await page.goto('./#s=05-1-poison-message&t=5000');
  await until(page, (now) => now.time === 5000 && Boolean(now.hash));
  await page.getByRole('tab', { name: 'Why' }).click();
  await page.locator('.tok', { hasText: 'B2' }).first().click();
  const style = (selector, name) =>
    page.locator(selector).first().evaluate((node, property) => getComputedStyle(node)[property], name);
  const parts = [
    ['.lane[data-subject="q4.0.0"] > .lane-frame', 'strokeWidth', '2.5px'],
    ['.row[data-of="q4.0.0"] > .row-frame', 'strokeWidth', '2px'],
    ['.card[data-subject="c0"] .card-frame', 'strokeWidth', '2.5px'],
    ['.tl-row[data-subject="q4.0.0"] .tl-band', 'outlineStyle', 'solid'],
    ['.tl-name[data-subject="q4.0.0"] b', 'textDecorationLine', 'underline'],
  ];
  // The queue that is suspended.
  const queue = await page.locator('.lane.is-blocked').first().getAttribute('data-subject');
  const own = parts.map(([selector, ...rest]) => [selector.replaceAll('q4.0.0', queue), ...rest]);
  for (const [selector, name, lit] of own) expect(await style(selector, name), selector).not.toBe(lit);
  const cause = page.locator('.lately li', { hasText: 'is suspended until' });
  await cause.hover();
  for (const [selector, name, lit] of own) await expect.poll(() => style(selector, name), selector).toBe(lit);
  // By keyboard as well; whoever goes away leaves nothing lit.
  await page.mouse.move(5, 5);
  await expect.poll(() => style(own[0][0], 'strokeWidth')).not.toBe('2.5px');
  await cause.getByRole('button').focus();
  await expect.poll(() => style(own[0][0], 'strokeWidth')).toBe('2.5px');
});

test('a lock that is clicked is explained, not its queue', async ({ page }) => {
  await page.goto('./#s=04-1-kill-minus-nine&t=30000');
  await until(page, (now) => now.time === 30_000 && Boolean(now.hash));
  const gate = page.locator('.gate[data-subject^="k"]').first();
  await gate.locator('.gate-ring').click({ force: true });
  await expect(page.locator('#tab-why')).toHaveAttribute('aria-selected', 'true');
  await expect(page.locator('.subject h2')).toContainText('Lock of');
  await expect(page.getByTestId('why')).toContainText('holds it');
  await expect(gate).toHaveClass(/is-selected/);
});

test('a violation of the second run has its story, with the same means', async ({ page }) => {
  await page.goto('./#s=03-2-demo-orderly&t=32000&c=concurrent');
  await until(page, (now) => now.time === 32_000 && Boolean(now.hash));
  const second = page.locator('.pair-run[data-run="2"]');
  await second.locator('.chip.broken').first().click();
  await until(page, (now) => now.time === STARTED);
  const story = page.getByTestId('broken');
  await expect(story).toContainText('A1 is handled before A0 is finished.');
  await expect(story.locator('.chain')).toHaveCount(2);
  // Its steps light up the second run alone, and lead to its own instants.
  const stored = story.locator('.step', { hasText: 'A1 is stored in q1' });
  await stored.hover();
  await expect(second.locator('.tok.is-hovered', { hasText: 'A1' })).toHaveCount(1);
  await expect(page.locator('.pair-run[data-run="1"] .tok.is-hovered')).toHaveCount(0);
  await stored.getByRole('button').click();
  await until(page, (now) => now.time === 1_006);
  await expect(story).toContainText('A1 is handled before A0 is finished.');
  await story.getByTestId('try').click();
  await expect(page.getByTestId('moves')).toContainText('The order of A is kept in demo.');
});
