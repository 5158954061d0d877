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

test.describe('rows', () => {
  const names = (page) => page.locator('.tl-name b').allTextContents();

  test('are queues, message groups or consumers, and stay so after a reload', async ({ page }) => {
    await page.goto('./#s=05-1-poison-message&t=5000');
    await until(page, (now) => now.time === 5_000 && !now.playing);
    const queues = await names(page);
    expect(queues.every((name) => /^q\d+$/.test(name))).toBe(true);
    const rows = page.getByLabel('One row for each');
    await rows.selectOption('group');
    await expect.poll(async () => (await names(page)).slice(0, 2)).toEqual(['A', 'B']);
    const groups = await names(page);
    expect(groups.every((name) => /^[A-Z]$/.test(name))).toBe(true);
    await expect(page.locator('.tl-bar, .tl-bits-svg path').first()).toBeAttached();
    await page.locator('.tl-name', { hasText: 'A' }).first().click();
    await expect(page.locator('.tl-name.is-selected')).toHaveText(/^A/);
    // By keyboard, as with any list of the browser.
    await rows.focus();
    await page.keyboard.press('ArrowDown');
    await expect(rows).toHaveValue('consumer');
    const clients = await names(page);
    expect(clients.length).toBeGreaterThan(0);
    expect(clients.every((name) => /^c\d+/.test(name))).toBe(true);
    await page.reload();
    await until(page, (now) => now.time === 5_000);
    await expect.poll(() => names(page)).toEqual(clients);
  });
});

test('a strip shows the whole run where the screen shows less, and moves the window', async ({ page }) => {
  await page.goto('./#s=04-1-kill-minus-nine&t=2000');
  await until(page, (now) => now.time === 2_000 && !now.playing);
  const strip = page.locator('.tl-map');
  await expect(strip).toBeVisible();
  const lens = page.locator('.tl-lens');
  const before = (await lens.boundingBox()).x;
  const box = await strip.boundingBox();
  await page.mouse.move(box.x + box.width * 0.7, box.y + 5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, box.y + 5);
  await page.mouse.up();
  await expect.poll(async () => (await lens.boundingBox()).x).toBeGreaterThan(before + 100);
  // The window moved; the present did not.
  expect((await state(page)).time).toBe(2_000);
  await expect(page.locator('.tl-head')).toBeHidden();
  // The keyboard moves the window from the timeline itself.
  const dragged = (await lens.boundingBox()).x;
  await tracks(page).focus();
  await page.keyboard.press('PageUp');
  await expect.poll(async () => (await lens.boundingBox()).x).toBeLessThan(dragged - 5);
  // Where all of the run is on the screen there is nothing to show.
  for (let press = 0; press < 8; press += 1) await page.keyboard.press('-');
  await expect(strip).toBeHidden();
});

test('bookmarks are set by key and button, lead back, stop the run, and are remembered', async ({ page }) => {
  await page.goto('./#s=05-1-poison-message&t=3000');
  await until(page, (now) => now.time === 3_000 && !now.playing);
  await page.keyboard.press('m');
  const flags = page.locator('.tl-bookmark');
  await expect(flags).toHaveCount(1);
  const mark = page.getByRole('button', { name: 'Bookmark this instant' });
  await expect(mark).toHaveAttribute('aria-pressed', 'true');
  await page.goto('./#s=05-1-poison-message&t=1000');
  await until(page, (now) => now.time === 1_000 && !now.playing);
  await expect(flags).toHaveCount(1);
  await mark.click();
  await expect(flags).toHaveCount(2);
  await page.keyboard.press('.');
  await until(page, (now) => now.time === 3_000);
  await page.keyboard.press(',');
  await until(page, (now) => now.time === 1_000);
  await page.getByLabel('Stop at').selectOption('next bookmark');
  await page.getByTestId('play').click();
  await until(page, (now) => now.playing);
  await until(page, (now) => !now.playing);
  expect((await state(page)).time).toBe(3_000);
  await flags.first().click();
  await until(page, (now) => now.time === 1_000);
  await page.keyboard.press('M');
  await expect(flags).toHaveCount(1);
  await page.reload();
  await expect(flags).toHaveCount(1);
});
