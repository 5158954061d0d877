import { expect, open, pause, runUntil, state, stopAfter, test, until } from './page.mjs';

test('the poison message plays within two seconds, without a click', async ({ page }) => {
  await page.goto('./');
  await page.waitForFunction(() => Number(document.body.dataset.event) > 0, undefined, { timeout: 2_000 });
  const first = await state(page);
  expect(first.scenario).toMatch(/poison-message/);
  expect(first.playing).toBe(true);
  await until(page, (now) => now.time > first.time + 300);
  await expect(page.locator('.stage-region')).toContainText('q1');
});

test('twenty events back and forward again lead to the same hash', async ({ page }) => {
  await open(page);
  await stopAfter(page, 5_000);
  const start = await state(page);
  const back = page.getByRole('button', { name: 'Back one event' });
  const forward = page.getByRole('button', { name: 'Forward one event' });
  const hashes = new Map([[start.event, start.hash]]);
  for (let n = 1; n <= 20; n += 1) {
    await back.click();
    await until(page, (now) => now.event === start.event - n);
    const now = await state(page);
    hashes.set(now.event, now.hash);
  }
  expect(new Set(hashes.values()).size).toBe(21);
  for (let n = 19; n >= 0; n -= 1) {
    await forward.click();
    await until(page, (now) => now.event === start.event - n);
    const now = await state(page);
    expect(now.hash).toBe(hashes.get(now.event));
  }
});

test('a decision is a larger step than an event, and back is as fine as forward', async ({ page }) => {
  await open(page);
  await stopAfter(page, 4_500);
  await page.getByRole('button', { name: 'Decision', exact: true }).click();
  const start = await state(page);
  await page.getByRole('button', { name: 'Forward one decision' }).click();
  await until(page, (now) => now.event > start.event);
  await page.getByRole('button', { name: 'Forward one decision' }).click();
  await page.getByRole('button', { name: 'Back one decision' }).click();
  await page.getByRole('button', { name: 'Back one decision' }).click();
  await until(page, (now) => now.event <= start.event);
});

test('speed changes how fast virtual time passes, not where events stand', async ({ page }) => {
  await open(page);
  await page.getByLabel('Speed').selectOption({ label: '10×' });
  await runUntil(page, (now) => now.time > 9_000);
  await pause(page);
  const fast = await state(page);
  const seen = await page.locator('.clock').textContent();
  expect(seen).toMatch(/^\d\d:\d\d\.\d{3}$/);
  await page.getByRole('button', { name: 'To the beginning' }).click();
  await until(page, (now) => now.event === 0);
  await page.getByLabel('Speed').selectOption({ label: '1 000×'.replace(' ', '\u2009') });
  await page.getByTestId('play').click();
  await runUntil(page, (now) => now.event >= fast.event);
  expect((await state(page)).event).toBeGreaterThanOrEqual(fast.event);
});

test('the lesson goes to its beats and keeps the first answer', async ({ page }) => {
  await open(page);
  await page.locator('.beat > button').nth(3).click();
  await until(page, (now) => !now.playing && now.time === 4_800);
  await expect(page.locator('.beat.is-now')).toHaveCount(1);
  await page.locator('.beat > button').nth(4).click();
  await until(page, (now) => now.time === 5_800);
  const options = page.locator('.option');
  await expect(options).toHaveCount(4);
  await options.nth(1).click();
  await expect(options.nth(1)).toHaveAttribute('aria-pressed', 'true');
  await expect(options.nth(0)).toBeDisabled();
  await page.getByRole('button', { name: 'Let it run' }).click();
  await until(page, (now) => now.playing);
});

test('nothing steps over the beginning or the end of the run', async ({ page }) => {
  await open(page);
  await pause(page);
  await page.keyboard.press('End');
  await until(page, (now) => now.time === 16_000);
  const end = await state(page);
  for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Alt+ArrowRight', 'n']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(50);
    expect(await state(page), key).toEqual(end);
  }
  await page.keyboard.press('Home');
  await until(page, (now) => now.event === 0);
  const beginning = await state(page);
  for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'Alt+ArrowLeft']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(50);
    expect(await state(page), key).toEqual(beginning);
  }
});
