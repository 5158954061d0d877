import { expect, open, pause, state, stopAfter, test, until } from './page.mjs';

const tracks = (page) => page.getByRole('slider', { name: 'Timeline' });

test('dragging the timeline pauses and goes to the instant under the pointer', async ({ page }) => {
  await open(page);
  await until(page, (now) => now.time > 4_000);
  const box = await tracks(page).boundingBox();
  const y = box.y + box.height / 2;
  const at = (seconds) => box.x + (box.width * seconds) / 16;
  await page.mouse.move(at(3.9), y - 40);
  await page.mouse.down();
  await page.mouse.move(at(2.5), y, { steps: 4 });
  await page.mouse.move(at(1.5), y, { steps: 4 });
  await page.mouse.up();
  await until(page, (now) => !now.playing);
  const now = await state(page);
  expect(Math.abs(now.time - 1_500)).toBeLessThan(40);
  await expect(tracks(page)).toHaveAttribute('aria-valuenow', String(now.time));
  await expect(tracks(page)).toHaveAttribute('aria-valuetext', /00:01\.\d{3}, event \d+/);
});

test('the future is not shown: a step back hides what came after', async ({ page }) => {
  await open(page);
  await stopAfter(page, 6_000);
  const before = await page.locator('.tl-bar').count();
  expect(before).toBeGreaterThan(4);
  await page.getByRole('button', { name: 'To the beginning' }).click();
  await until(page, (now) => now.event === 0);
  await expect(page.locator('.tl-bar')).toHaveCount(0);
});

test('a click on a bar selects its message and says why it waits', async ({ page }) => {
  // An instant at which A2 has failed and q1 is suspended, whatever the machine's speed.
  await page.goto('./#s=05-1-poison-message&t=5000');
  await until(page, (now) => now.time >= 5_000 && now.event > 0);
  await pause(page);
  await page.locator('.tl-bar.is-failed').last().click();
  await expect(page.getByRole('tab', { name: 'Why' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByTestId('why')).toContainText('suspended until');
  await expect(page.locator('.tl-bar.is-selected').first()).toBeVisible();
});

test('zoom changes what a screen shows and keeps the playhead', async ({ page }) => {
  await open(page);
  await stopAfter(page, 5_000);
  const head = page.locator('.tl-head');
  const before = (await head.boundingBox()).x;
  await expect(page.locator('.tl-zoom')).toContainText('16 s');
  await page.getByRole('button', { name: 'Show less time' }).click();
  await expect(page.locator('.tl-zoom')).toContainText('8 s');
  await expect.poll(async () => Math.abs((await head.boundingBox()).x - before)).toBeLessThan(2);
  await tracks(page).focus();
  await page.keyboard.press('-');
  await page.keyboard.press('-');
  await expect(page.locator('.tl-zoom')).toContainText('30 s');
});

test('the beats stand below the rows and lead to their instants', async ({ page }) => {
  await open(page);
  await pause(page);
  await page.locator('.tl-beat').nth(1).click();
  await until(page, (now) => now.time === 2_000);
  await expect(page.locator('.tl-beat.is-seen')).toHaveCount(2);
});
