// Commands that people give while the clock stands between two events: they are carried out at the
// instant of the clock, and not at that of the event before it.
import { expect, state, test, until } from './page.mjs';

const POISON = '05-1-poison-message';
/** q1 is suspended from 4.8 s on; A2 comes again at 5.8 s, and the next event is at 6.1 s. */
const BETWEEN = 6_000;

/** Opens the lesson between two events, selects B2 and tries in branches what would move it. */
async function tried(page) {
  await page.goto(`./#s=${POISON}&t=${BETWEEN}`);
  await until(page, (now) => now.scenario === POISON && now.time === BETWEEN && !now.playing);
  await page.locator('.stage-svg [data-subject^="m"]').filter({ hasText: /^B2$/ }).first().click();
  await page.getByTestId('try').click();
  return page.getByTestId('moves');
}

test('"Do it now" between two events is done at the instant of the clock, and stays there', async ({ page }) => {
  const moves = await tried(page);
  const before = await state(page);
  await moves.getByRole('button', { name: 'Do it now' }).first().click();
  await until(page, (now) => now.event > before.event);
  const done = await state(page);
  expect(done.time).toBe(BETWEEN);
  expect(done.hash).not.toBe(before.hash);
  // Stepped back, the clock stands at the event before; forward again, at the instant of the command.
  await page.keyboard.press('ArrowLeft');
  await until(page, (now) => now.event === before.event && now.time < BETWEEN && now.hash === before.hash);
  await page.keyboard.press('ArrowRight');
  await until(page, (now) => now.event === done.event && now.time === BETWEEN && now.hash === done.hash);
  // Sought and replayed it is the same run.
  await page.keyboard.press('End');
  await until(page, (now) => now.time === 16_000);
  const end = await state(page);
  await page.keyboard.press('Home');
  await until(page, (now) => now.event === 0);
  await page.keyboard.press('End');
  await until(page, (now) => now.time === 16_000 && now.hash === end.hash && now.event === end.event);
});

test('a branch between two events begins at the instant of the clock', async ({ page }) => {
  const moves = await tried(page);
  await moves.getByRole('button', { name: 'Compare both runs' }).first().click();
  await expect(page.getByTestId('to-divergence')).toBeVisible();
  await page.getByTestId('to-divergence').click();
  await until(page, (now) => now.time !== BETWEEN && !now.playing);
  // Nothing differs before the command.
  expect((await state(page)).time).toBeGreaterThan(BETWEEN);
});

test('an offer quotes the lines as they stand in the text', async ({ page }) => {
  await page.goto('./#s=03-7-two-tag-filters&t=20000');
  await until(page, (now) => now.scenario === '03-7-two-tag-filters' && now.time === 20_000 && !now.playing);
  await page.locator('.stage-svg [data-subject^="m"]').filter({ hasText: /^A1/ }).first().click();
  await page.getByTestId('try').click();
  const instead = page.getByTestId('moves');
  await expect(instead).toContainText('instead of');
  await expect(instead).toContainText('consumer c1 in billing reads orders tagged a');
  await expect(instead).toContainText('at 2s c2 joins billing reads orders tagged b');
});
