// Terms in a lesson's texts: told by keyboard, by mouse and by finger, and all of them in the list.
import AxeBuilder from '@axe-core/playwright';
import { expect, state, test, until } from './page.mjs';

const ID = '01-3-offsets-and-lag';
const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };

/** The lesson at an instant, its panel open. */
async function at(page, ms) {
  await page.goto(`./#s=${ID}&t=${ms}`);
  await until(page, (now) => now.scenario === ID && !now.playing && now.time === ms);
  // On a telephone the panel is a sheet, which a tab opens.
  if (page.viewportSize().width < 600) await page.locator('#tab-lesson').click();
}

const word = (page, name) => page.locator('.lesson .term', { hasText: new RegExp(`^${name}$`, 'i') }).first();
const card = (page, name) => page.getByRole('dialog', { name, exact: true });

test('a term is told by keyboard, and its lesson is one step away', async ({ page }) => {
  await at(page, 2_000);
  await word(page, 'lease').focus();
  await page.keyboard.press('Enter');
  await expect(card(page, 'lease')).toContainText('its owner renews it every 20 s');
  await page.keyboard.press('Escape');
  await expect(card(page, 'lease')).toBeHidden();
  await expect(word(page, 'lease')).toBeFocused();
  // The keys of the page are free again, and nothing has moved.
  expect((await state(page)).time).toBe(2_000);
  await page.keyboard.press('Space');
  await expect(card(page, 'lease')).toBeVisible();
  await page.keyboard.press('Tab');
  const way = page.getByRole('button', { name: 'Lesson 4.1: kill -9 and the 60 s lease' });
  await expect(way).toBeFocused();
  await page.keyboard.press('Enter');
  await until(page, (now) => now.scenario === '04-1-kill-minus-nine');
  await expect(page.locator('.term-card:popover-open')).toHaveCount(0);
  await expect(page.locator('#panel-body')).toBeFocused();
});

test('a term is told to a mouse that rests on it, and stays after a click', async ({ page }) => {
  await at(page, 4_600);
  const lag = card(page, 'lag');
  await word(page, 'lag').hover();
  await expect(lag).toContainText('the maximum offset less the consumer offset');
  await expect(lag).toContainText('taught by this lesson');
  // On the way to what is told it stays, elsewhere it goes.
  await lag.hover();
  await page.waitForTimeout(400);
  await expect(lag).toBeVisible();
  await page.mouse.move(10, 10);
  await expect(lag).toBeHidden();
  await word(page, 'lag').click();
  await expect(lag).toBeVisible();
  await page.mouse.move(10, 10);
  await page.waitForTimeout(400);
  await expect(lag).toBeVisible();
  // One at a time; a click elsewhere closes it.
  await word(page, 'pull').click();
  await expect(lag).toBeHidden();
  await expect(card(page, 'pull')).toBeVisible();
  await page.mouse.click(400, 300);
  await expect(card(page, 'pull')).toBeHidden();
});

test('a text marks each term once, and what is told is no part of the text', async ({ page }) => {
  await at(page, 1_000);
  const about = page.locator('.lesson-head .read');
  await expect(about.locator('.term')).toHaveText(['broker', 'consumer offset', 'consumer group', 'queue', 'gRPC clients', 'locks']);
  await expect(about).toContainText('The broker keeps a consumer offset for each consumer group and queue: the next message');
});

test('all terms are in the list behind the question mark, with ways to their lessons', async ({ page }) => {
  await at(page, 1_000);
  await page.keyboard.press('?');
  const list = page.locator('.legend-dialog .terms');
  await list.locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(list.locator('dt', { hasText: 'message group' })).toBeVisible();
  expect(await list.locator('dt').count()).toBeGreaterThan(29);
  await list.getByRole('button', { name: /^Lesson 4\.5/ }).click();
  await until(page, (now) => now.scenario === '04-5-hand-over');
  await expect(card(page, 'Keys')).toBeHidden();
});

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark']) {
    for (const locale of ['en-US', 'zh-CN']) {
      test.describe(`${size} ${colorScheme} ${locale}`, () => {
        test.use({ viewport, colorScheme, locale });

        test('axe finds nothing in terms, and no card is cut off', async ({ page }) => {
          await at(page, 4_600);
          const words = page.locator('.lesson .term:visible');
          expect(await words.count()).toBeGreaterThan(3);
          for (const term of await words.all()) {
            await term.click();
            const open = page.locator('.term-card:popover-open');
            await expect(open).toHaveCount(1);
            const box = await open.boundingBox();
            expect([box.x >= 0, box.y >= 0, box.x + box.width <= viewport.width, box.y + box.height <= viewport.height], await term.innerText()).toEqual([true, true, true, true]);
            await page.keyboard.press('Escape');
          }
          await words.first().click();
          const told = await new AxeBuilder({ page }).include('.panel-region').analyze();
          expect(told.violations.map((v) => v.id)).toEqual([]);
          await page.keyboard.press('Escape');
          await page.keyboard.press('?');
          await page.locator('.terms summary').click();
          const list = await new AxeBuilder({ page }).include('.legend-dialog').analyze();
          expect(list.violations.map((v) => v.id)).toEqual([]);
        });
      });
    }
  }
}

for (const [width, height] of [[1920, 1080], [3840, 2160]]) {
  test(`what is told stands at its word where the page is zoomed, at ${width} x ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await at(page, 4_600);
    await word(page, 'lag').click();
    await expect(card(page, 'lag')).toBeInViewport({ ratio: 1 });
    const [term, told] = [await word(page, 'lag').boundingBox(), await card(page, 'lag').boundingBox()];
    const gap = Math.min(Math.abs(told.y - term.y - term.height), Math.abs(term.y - told.y - told.height));
    expect(gap).toBeLessThan(16);
  });
}
