import { expect, test } from '@playwright/test';

test('the page starts: every file is there and nothing complains', async ({ page }) => {
  const complaints = [];
  const wasmTypes = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) {
      complaints.push(`${message.type()}: ${message.text()}`);
    }
  });
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
    if (response.url().endsWith('.wasm')) wasmTypes.push(response.headers()['content-type']);
  });

  await page.addInitScript(() => {
    window.__started = new Promise((resolve) => {
      window.addEventListener('TrunkApplicationStarted', () => resolve(true), { once: true });
    });
  });
  const answer = await page.goto('./');
  expect(answer?.status()).toBe(200);
  expect(await page.evaluate(() => window.__started)).toBe(true);
  await expect(page).toHaveTitle(/Lockstep/);
  expect(wasmTypes).toEqual(['application/wasm']);
  expect(complaints).toEqual([]);
});

test('the page asks nobody else for anything', async ({ page, baseURL }) => {
  const strangers = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(baseURL) && !url.startsWith('data:') && !url.startsWith('blob:')) {
      strangers.push(url);
    }
  });
  await page.goto('./', { waitUntil: 'networkidle' });
  expect(strangers).toEqual([]);
});
