// Opens the built page with `?bench=1`, waits for `window.__lockstepBench` (a
// text or a promise of one) and prints it. `cargo xtask bench` starts this.
import { chromium } from '@playwright/test';
import { baseURL, launchOptions } from './browser.mjs';

const WAIT_MS = 120_000;

const browser = await chromium.launch(launchOptions);
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  await page.goto(new URL('./?bench=1', baseURL).href);
  await page.waitForFunction(() => window.__lockstepBench !== undefined, undefined, {
    timeout: WAIT_MS,
  });
  console.log(await page.evaluate(() => window.__lockstepBench));
} catch (error) {
  console.error(`The page offered no measurement within ${WAIT_MS / 1000} s: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
