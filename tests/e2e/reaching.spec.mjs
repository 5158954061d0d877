// Ways to reach everything: the list of scenarios, the keyboard, the languages, the themes.
import { expect, open, pause, state, stopAfter, test, until } from './page.mjs';

const opener = (page) => page.locator('.scenario-picker > button').first();

test('the list of scenarios opens, finds, and plays what is chosen', async ({ page }) => {
  await open(page);
  const before = await state(page);
  await opener(page).click();
  const list = page.getByRole('dialog', { name: 'Scenarios' });
  await expect(list).toBeVisible();
  await expect(list.locator('[aria-current=true]')).toHaveCount(1);
  const lessons = await list.locator('[data-lesson]').count();
  expect(lessons).toBeGreaterThan(5);
  await list.getByRole('searchbox').fill('clean stop');
  await expect(list.locator('[data-lesson]')).not.toHaveCount(lessons);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until(page, (now) => now.run > before.run && now.scenario !== before.scenario);
  await expect(list).toHaveCount(0);
});

test('Escape closes the list and gives the focus back', async ({ page }) => {
  await open(page);
  await opener(page).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Scenarios' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Scenarios' })).toHaveCount(0);
  await expect(opener(page)).toBeFocused();
});

test('everything about time works from the keyboard, and never while typing', async ({ page }) => {
  await open(page);
  await until(page, (now) => now.time > 3_000);
  await page.keyboard.press(' ');
  await until(page, (now) => !now.playing);
  const start = await state(page);
  await page.keyboard.press('ArrowLeft');
  await until(page, (now) => now.event === start.event - 1);
  await page.keyboard.press('ArrowRight');
  await until(page, (now) => now.event === start.event);
  expect((await state(page)).hash).toBe(start.hash);
  await page.keyboard.press('Shift+ArrowRight');
  await until(page, (now) => now.event > start.event);
  await page.keyboard.press('Home');
  await until(page, (now) => now.event === 0);
  await page.keyboard.press(']');
  await until(page, (now) => now.time > 0);
  await page.keyboard.press('4');
  await expect(page.getByRole('tab', { name: 'Log' })).toHaveAttribute('aria-selected', 'true');
  const stood = await state(page);
  await page.getByRole('searchbox', { name: 'Filter' }).fill('n n 1');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press(' ');
  expect(await state(page)).toEqual(stood);
});

test('the legend of keys opens by ? and closes by Escape', async ({ page }) => {
  await open(page);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeHidden();
});

test('tabs are one stop, arrows move inside', async ({ page }) => {
  await open(page);
  await page.getByRole('tab', { name: 'Lesson' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Why' })).toBeFocused();
  await page.keyboard.press('End');
  await expect(page.getByRole('tab', { name: 'Scenario' })).toHaveAttribute('aria-selected', 'true');
});

test('the log filters, and a line leads to its event', async ({ page }) => {
  await open(page);
  await stopAfter(page, 6_000);
  const stood = await state(page);
  await page.getByRole('tab', { name: 'Log' }).click();
  const lines = page.locator('.log-line');
  await expect(lines.last()).toBeVisible();
  expect(await lines.count()).toBeLessThan(80);
  await page.getByRole('searchbox', { name: 'Filter' }).fill('suspended A2');
  await expect(lines.first()).toContainText('q1 is suspended until 00:05.800: A2 failed.');
  await lines.first().locator('button').click();
  await until(page, (now) => now.event < stood.event && now.time === 4_800);
});

test('language and theme change everywhere and are remembered', async ({ page }) => {
  await open(page);
  await page.getByRole('button', { name: /Language|中文/ }).first().click();
  await expect(page.locator('html')).toHaveAttribute('lang', /zh/);
  await expect(page.getByRole('tab', { name: '课程' })).toBeVisible();
  await expect(page.locator('.transport')).toContainText('步长');
  await pause(page);
  await page.getByRole('button', { name: '深色主题' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await until(page, (now) => now.event > 0);
  await expect(page.locator('html')).toHaveAttribute('lang', /zh/);
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('on a telephone the list of scenarios lies over the sheet', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page);
  await opener(page).click();
  const list = page.getByRole('dialog', { name: 'Scenarios' });
  await expect(list).toBeVisible();
  const covered = await list.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const over = (share) => document.elementFromPoint((left + right) / 2, top + (bottom - top) * share);
    return [0.1, 0.5, 0.8, 0.85, 0.9, 0.97].filter((share) => !element.contains(over(share)));
  });
  expect(covered).toEqual([]);
});

for (const [width, height] of [[1280, 720], [1920, 1080], [3840, 2160]]) {
  test(`the legend of keys is seen to its last line at ${width} x ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await open(page);
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    await expect(dialog).toBeInViewport({ ratio: 1 });
    await dialog.locator('summary').scrollIntoViewIfNeeded();
    await expect(dialog.locator('summary')).toBeInViewport({ ratio: 1 });
  });
}
