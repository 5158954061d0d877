import { expect, open, runUntil, state, test, until } from './page.mjs';

test('a run stops at the first broken guarantee, and the timeline marks it', async ({ page }) => {
  await open(page);
  await page.locator('.scenario-picker > button').first().click();
  await page.locator('[data-lesson="03-1-demo-concurrent"]').click();
  await until(page, (now) => now.scenario === '03-1-demo-concurrent' && now.event > 0);
  await expect(page.locator('.tl-broken span')).toHaveCount(0);
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
  await expect(page.getByTestId('why')).toContainText('The group has consumed it', { timeout: 15_000 });
});
