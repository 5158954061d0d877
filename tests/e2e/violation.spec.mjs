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
