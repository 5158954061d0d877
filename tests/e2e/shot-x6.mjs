import { chromium } from '@playwright/test';
import { launchOptions } from './browser.mjs';
const b = await chromium.launch(launchOptions);
const shots = JSON.parse(process.argv[2]);
for (const [name, hash, w, h, locale] of shots) {
  const p = await b.newPage({ viewport: { width: w, height: h }, locale: locale ?? 'en-US', baseURL: 'http://127.0.0.1:8461/' });
  await p.goto('./' + hash);
  await p.waitForTimeout(2500);
  await p.screenshot({ path: `/tmp/x6/${name}.png` });
  await p.close();
}
await b.close();
