// What the specs share: the page under test, with everything it complains about.
import { test as base, expect } from '@playwright/test';

/** Reads where the run stands: the data attributes of the body. */
export const state = (page) =>
  page.evaluate(() => {
    const { event, time, playing, run, scenario, hash } = document.body.dataset;
    return { event: Number(event), time: Number(time), playing: playing === 'true', run: Number(run), scenario, hash };
  });

/** Waits until the body says so. */
export const until = (page, wanted) =>
  expect.poll(async () => wanted(await state(page)), { timeout: 10_000, intervals: [20, 50, 100] }).toBe(true);

/** Opens the page and waits until it has begun to play. */
export async function open(page) {
  await page.goto('./');
  await until(page, (now) => now.event > 0);
}

/** Stops the clock. */
export async function pause(page) {
  await expect
    .poll(
      async () => {
        const now = await state(page);
        // A question may stop the clock just before the button is pressed; then it is pressed again.
        if (now.playing) await page.getByTestId('play').click();
        return !now.playing && Boolean(now.hash);
      },
      { timeout: 10_000, intervals: [50, 200, 400] },
    )
    .toBe(true);
}

/** Waits until the body says so, and lets the run go on where a question has stopped it. */
export const runUntil = (page, wanted) =>
  expect
    .poll(
      async () => {
        const now = await state(page);
        if (wanted(now)) return true;
        const run = page.locator('.question-foot button');
        if (now.playing) return false;
        // Where the panel is closed, playing on passes the question over.
        if (await page.getByTestId('to-question').isVisible()) await page.getByTestId('play').click();
        else if ((await run.count()) > 0) await run.click();
        return false;
      },
      { timeout: 20_000, intervals: [20, 50, 100] },
    )
    .toBe(true);

/** Goes to an instant by the keyboard-free way: the timeline's own slider is dragged elsewhere. */
export async function stopAfter(page, ms) {
  await runUntil(page, (now) => now.time >= ms);
  await pause(page);
}

/** Opens a scenario's text at an instant, where it stands still. */
export async function openText(page, text, ms) {
  await page.goto(`./#x=${encodeURIComponent(text)}&t=${ms}`);
  await until(page, (now) => now.time === ms && now.scenario === '' && !now.playing && Boolean(now.hash));
}

// Every test fails when the page complains on the console, throws, or misses a file.
export const test = base.extend({
  page: async ({ page }, use) => {
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) {
        complaints.push(`${message.type()}: ${message.text()}`);
      }
    });
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
    });
    await use(page);
    expect(complaints).toEqual([]);
  },
});

export { expect };
