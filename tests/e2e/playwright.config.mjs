import { defineConfig } from '@playwright/test';
import { baseURL, launchOptions } from './browser.mjs';

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.mjs',
  outputDir: '../../test-results',
  // The pictures are for people as well.
  snapshotPathTemplate: '../../docs/pictures/{arg}{ext}',
  expect: { toHaveScreenshot: { maxDiffPixelRatio: 0.001, animations: 'disabled' } },
  reporter: 'list',
  // A failure is to be understood, not to be tried again.
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  use: {
    baseURL,
    launchOptions,
    screenshot: 'only-on-failure',
  },
});
