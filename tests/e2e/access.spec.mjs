// What holds for every screen: nothing serious for axe, nothing cut off, no text below 11 px.
import AxeBuilder from '@axe-core/playwright';
import { expect, open, stopAfter, test } from './page.mjs';

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };
const TABS = ['lesson', 'why', 'inspect', 'log', 'charts', 'scenario'];

/** Opens a tab of the panel, through the panel's own button where it is a sheet. */
async function openTab(page, name) {
  const tab = page.locator(`#tab-${name}`);
  if (!(await tab.isVisible())) await page.locator('[data-testid=open-panel], .panel-button').first().click();
  await tab.click();
}

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark']) {
    for (const locale of ['en-US', 'zh-CN']) {
      test.describe(`${size} ${colorScheme} ${locale}`, () => {
        test.use({ viewport, colorScheme, locale });

        test('axe finds nothing serious in any tab', async ({ page }) => {
          await open(page);
          await stopAfter(page, 5_200);
          for (const name of TABS) {
            await openTab(page, name);
            // The whole page once; of the other tabs only what they change.
            const builder = new AxeBuilder({ page });
            if (name !== TABS[0]) builder.include('.panel-region');
            const { violations } = await builder.analyze();
            const serious = violations.filter((v) => ['serious', 'critical'].includes(v.impact));
            expect(serious.map((v) => `${name}: ${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`)).toEqual([]);
          }
        });
      });
    }
  }
}

for (const [size, viewport] of Object.entries(SIZES)) {
  test.describe(size, () => {
    test.use({ viewport });

    test('the page does not scroll sideways and no text is below 11 px', async ({ page }) => {
      await open(page);
      await stopAfter(page, 5_200);
      for (const name of TABS) {
        await openTab(page, name);
        const found = await page.evaluate(() => {
          const small = [];
          const beyond = [];
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const element = walker.currentNode.parentElement;
            const rect = element.getBoundingClientRect();
            const style = getComputedStyle(element);
            const shown = rect.width > 1 && rect.height > 1 && style.visibility === 'visible';
            if (!walker.currentNode.data.trim() || !shown || element.closest('noscript, option')) continue;
            if (parseFloat(style.fontSize) < 11) small.push(`${element.className}: ${walker.currentNode.data}`);
          }
          for (const button of document.querySelectorAll('button, select, input, a')) {
            const rect = button.getBoundingClientRect();
            const hidden = getComputedStyle(button).visibility !== 'visible' || rect.width === 0;
            const scrolls = button.closest('.tabs, .tl-marks, .editor-scroll, .picker-list');
            if (!hidden && !scrolls && (rect.left < -1 || rect.right > innerWidth + 1)) beyond.push(button.outerHTML.slice(0, 120));
          }
          return { small, beyond, wide: document.documentElement.scrollWidth - innerWidth };
        });
        expect(found, name).toEqual({ small: [], beyond: [], wide: 0 });
      }
    });
  });
}

test.describe('on a telephone', () => {
  test.use({ viewport: SIZES.narrow, hasTouch: true });

  test('the clock is moved by a slider, and buttons are large enough for a finger', async ({ page }) => {
    await open(page);
    await stopAfter(page, 3_000);
    const slider = page.getByRole('slider', { name: 'Virtual time' });
    await expect(slider).toBeVisible();
    await slider.fill('1500');
    await expect.poll(() => page.evaluate(() => Number(document.body.dataset.time))).toBe(1500);
    for (const button of await page.locator('.transport button').all()) {
      if (!(await button.isVisible())) continue;
      expect((await button.boundingBox()).height).toBeGreaterThanOrEqual(44);
    }
  });
});

test.describe('without motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('the page stands still until it is asked, and steps show everything', async ({ page }) => {
    await page.goto('./');
    await expect(page.getByTestId('play')).toBeVisible();
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => document.body.dataset.playing)).toBe('false');
    await page.getByRole('button', { name: 'Next due' }).click();
    await expect.poll(() => page.evaluate(() => Number(document.body.dataset.event))).toBeGreaterThan(0);
  });
});
