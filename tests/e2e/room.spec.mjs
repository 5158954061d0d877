// Everything has its room, at every width: what does not fit is left out whole, never cut, and
// nothing lies on anything else.
import { expect, test, until } from './page.mjs';

/** Opens a lesson at an instant, where it stands still. */
async function at(page, lesson, ms) {
  await page.goto(`./#s=${lesson}&t=${ms}`);
  await until(page, (now) => now.scenario === lesson && !now.playing && now.time === ms && Boolean(now.hash));
}

test.use({ reducedMotion: 'reduce' });

// Four broken guarantees at once, and a title of some length.
const WIDTHS = [1920, 1440, 1200, 1024, 844, 700, 600, 390, 360];

for (const locale of ['en-US', 'zh-CN']) {
  test.describe(`the header in ${locale}`, () => {
    test.use({ locale });

    test('keeps every button, and a chip whole or not at all', async ({ page }) => {
      await at(page, '06-3-gap-in-the-acks', 18_000);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        // Sizes are looked at in the browser's own next frames.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        const found = await page.evaluate(() => {
          const shown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible';
          const beyond = [...document.querySelectorAll('.header button')]
            .filter(shown)
            .filter((button) => button.getBoundingClientRect().right > innerWidth || button.getBoundingClientRect().left < 0);
          const row = document.querySelector('.verdict-chips').getBoundingClientRect();
          const chips = [...document.querySelectorAll('.verdict-chips > .chip')].filter(shown).map((chip) => chip.getBoundingClientRect());
          return {
            beyond: beyond.map((button) => button.outerHTML.slice(0, 80)),
            cut: chips.filter((chip) => chip.right > row.right + 1 || chip.bottom > row.bottom + 1).length,
            broken: [...document.querySelectorAll('.verdict-chips > .broken')].filter(shown).length > 0,
          };
        });
        expect(found, `${width}`).toEqual({ beyond: [], cut: 0, broken: true });
      }
    });
  });
}

test('a chip that does not fit takes no focus, and comes back when there is room', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await at(page, '06-3-gap-in-the-acks', 18_000);
  const cut = page.locator('.verdict-chips > [data-cut]');
  await expect(cut.first()).toBeHidden();
  await cut.first().evaluate((chip) => chip.focus());
  await expect(cut.first()).not.toBeFocused();
  const before = await cut.count();
  await page.setViewportSize({ width: 1900, height: 900 });
  await expect.poll(() => cut.count()).toBeLessThan(before);
});

test('what is left out of the header leaves no gap, and nothing is left out that fits', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const [lesson, ms, shown] of [['05-1-poison-message', 5000, 3], ['06-3-gap-in-the-acks', 18_000, 1]]) {
    await at(page, lesson, ms);
    const chips = page.locator('.verdict-chips > .chip:visible');
    await expect.poll(() => chips.count()).toBeGreaterThanOrEqual(shown);
    const all = await page.locator('.verdicts-all').boundingBox();
    const last = await chips.last().boundingBox();
    expect(all.x - last.x - last.width, lesson).toBeLessThanOrEqual(8);
  }
});

test('the focus on a mark outside the window moves the window, and rows and marks stay together', async ({ page }) => {
  await at(page, '01-4-topic-types', 16_000);
  const first = page.locator('.tl-beat').first();
  await first.focus();
  await expect(first).not.toHaveClass(/is-out/);
  const places = () =>
    page.evaluate(() => {
      const middle = (element) => element.getBoundingClientRect().x + element.getBoundingClientRect().width / 2;
      const tracks = document.querySelector('.tl-tracks').getBoundingClientRect();
      const ticks = [...document.querySelectorAll('.tl-tick:not([hidden])')].map((tick) => [parseFloat(tick.textContent), middle(tick)]);
      const [[fromS, from], [toS, to]] = [ticks[0], ticks.at(-1)];
      const beat = document.activeElement;
      const expected = from + ((Number(beat.dataset.at) / 1_000 - fromS) * (to - from)) / (toS - fromS);
      const scrolled = ['.tl-marks-window', '.tl-tracks', '.tl-ruler'].map((part) => document.querySelector(part).scrollLeft);
      return { off: Math.abs(middle(beat) - expected), inside: middle(beat) >= tracks.left && middle(beat) <= tracks.right, scrolled };
    });
  await expect.poll(async () => (await places()).inside).toBe(true);
  const found = await places();
  expect(found.scrolled).toEqual([0, 0, 0]);
  expect(found.off).toBeLessThan(1);
  // Back by the keyboard: the mark leads to its instant.
  await page.keyboard.press('Enter');
  await until(page, (now) => now.time < 16_000);
});

test('marks are not cut by the ends of their line, and names of owners not covered by calls', async ({ page }) => {
  for (const [lesson, ms] of [['01-4-topic-types', 16_000], ['04-4-two-readers', 16_000], ['07-4-ordered-and-delayed', 20_000], ['09-1-hot-group', 20_000], ['09-7-half-the-cluster', 12_000]]) {
    await at(page, lesson, ms);
    const look = () => page.evaluate(() => {
      const rect = (element) => element.getBoundingClientRect();
      const line = rect(document.querySelector('.tl-marks-window'));
      const marks = [...document.querySelectorAll('.tl-beat, .tl-bookmark, .tl-mark > span')].filter((mark) => !mark.closest('.is-out') && mark.textContent);
      const cut = marks.filter((mark) => (rect(mark).left < line.left || rect(mark).right > line.right) && rect(mark).right > line.left && rect(mark).left < line.right);
      const owners = [...document.querySelectorAll('.tl-owner:not([hidden])')];
      const tracks = rect(document.querySelector('.tl-tracks'));
      const covered = owners.filter((owner) => {
        const own = rect(owner);
        const calls = [...owner.closest('.tl-row').querySelectorAll('.tl-bar')].map(rect);
        return own.left < tracks.left || calls.some((call) => call.right > own.left && call.left < own.right);
      });
      return { cut: cut.map((mark) => mark.textContent), covered: covered.map((owner) => owner.textContent) };
    });
    // They have their places with the next frame.
    await expect.poll(look, lesson).toEqual({ cut: [], covered: [] });
  }
});

/** Pairs of texts of a region that lie on each other, and texts that a wire runs through. */
const overlaps = (page, region) =>
  page.evaluate((region) => {
    const texts = [...document.querySelectorAll(`${region} text:not(.token-label)`)]
      .filter((text) => text.textContent.trim() && text.getClientRects().length > 0)
      .map((text) => [text.textContent, text.getBoundingClientRect()]);
    const meet = (a, b, room) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > room && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5;
    const found = [];
    texts.forEach(([text, box], i) => {
      for (const [other, its] of texts.slice(i + 1)) if (meet(box, its, 1)) found.push(`${text} | ${other}`);
    });
    for (const bar of document.querySelectorAll(`${region} .proxy-frame`)) {
      const its = bar.getBoundingClientRect();
      for (const [text, box] of texts) if (meet(box, its, 0) && !['proxy'].some((word) => text.startsWith(word))) found.push(`${text} | bar`);
    }
    return found;
  }, region);

for (const [width, height] of [[1440, 900], [1024, 768], [844, 600]]) {
  test(`no two texts of the stage lie on each other, at ${width} x ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    for (const [lesson, ms] of [
      ['01-4-topic-types', 16_000],
      ['02-5-negative-key', 8_000],
      ['04-4-two-readers', 16_000],
      ['05-6-dead-letter-again', 20_000],
      ['07-1-unpaid-order-30m', 600_000],
      ['07-4-ordered-and-delayed', 20_000],
      ['09-7-half-the-cluster', 12_000],
    ]) {
      await at(page, lesson, ms);
      expect(await overlaps(page, '.stage-region'), lesson).toEqual([]);
    }
  });
}

test('a telephone has room for the clock beside the step, and the figure of a beat is whole or absent', async ({ page }) => {
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 640 });
    await at(page, '05-1-poison-message', 9_900);
    const box = (selector) => page.locator(selector).boundingBox();
    const [step, clock] = [await box('.step-select'), await box('.clock-box')];
    expect(step.x + step.width, `${width}`).toBeLessThanOrEqual(clock.x);
    expect(clock.x + clock.width, `${width}`).toBeLessThanOrEqual(width);
    const beat = await page.evaluate(() => {
      const line = document.querySelector('.verdict-beat');
      const text = document.createRange();
      text.selectNodeContents(line);
      const [box, own] = [text.getBoundingClientRect(), line.getBoundingClientRect()];
      const absent = box.top >= own.bottom;
      return absent || box.right <= own.right + 0.5 && box.left >= own.left;
    });
    expect(beat, `${width}`).toBe(true);
  }
});
