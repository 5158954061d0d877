// Makes the short animation of the README anew: docs/pictures/playing.gif. The page plays the
// canonical lesson while the browser hands out its frames; those are thinned to a steady rate and
// packed, each as what differs from the one before.
import { writeFileSync } from 'node:fs';
import { chromium } from '@playwright/test';
import gifenc from 'gifenc';
import { PNG } from 'pngjs';
import { baseURL, launchOptions } from './browser.mjs';

const { GIFEncoder, quantize, applyPalette } = gifenc;

/** Virtual time at which it begins, and real time that it lasts, in ms. */
const from = 2600;
const lasts = 8500;
/** Frames a second, and the size in CSS pixels. */
const rate = 12;
const size = { width: 1280, height: 760 };
const file = new URL('../../docs/pictures/playing.gif', import.meta.url);

async function record() {
  const browser = await chromium.launch(launchOptions);
  const page = await browser.newPage({ viewport: size, locale: 'en-US', colorScheme: 'light' });
  await page.goto(`${baseURL}#s=05-1-poison-message&t=${from}`);
  await page.waitForFunction((at) => document.body.dataset.time === String(at), from);
  const devtools = await page.context().newCDPSession(page);
  const frames = [];
  devtools.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    frames.push({ at: metadata.timestamp * 1000, data });
    devtools.send('Page.screencastFrameAck', { sessionId });
  });
  await devtools.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 });
  const begun = Date.now();
  await page.keyboard.press('Space');
  // The lesson's question stops the run; people have a moment to read it.
  await page.waitForFunction(() => document.body.dataset.time === '5000' && document.body.dataset.playing === 'false');
  await page.waitForTimeout(1200);
  await page.keyboard.press('Space');
  await page.waitForTimeout(Math.max(0, begun + lasts - Date.now()));
  await devtools.send('Page.stopScreencast');
  await browser.close();
  return frames;
}

/** The frames on a steady beat: each the last that the browser had shown by then. */
function steady(frames) {
  const first = frames[0].at;
  const count = Math.floor((lasts / 1000) * rate);
  return Array.from({ length: count }, (_, index) => {
    const at = first + (index * 1000) / rate;
    return frames.filter((frame) => frame.at <= at).at(-1) ?? frames[0];
  });
}

/** Whether two pixels are the same, so that the one before may stay. */
const same = (a, b, at) => a[at] === b[at] && a[at + 1] === b[at + 1] && a[at + 2] === b[at + 2];

function pack(frames) {
  const gif = GIFEncoder();
  const delay = 1000 / rate;
  let before = null;
  let waits = 0;
  let shown = null;
  const images = frames.map(({ data }) => PNG.sync.read(Buffer.from(data, 'base64')));
  // One palette for all, with a place left for "as before".
  const palette = quantize(images[Math.floor(images.length / 2)].data, 255);
  const clear = palette.length;
  const flush = () => {
    if (shown) gif.writeFrame(shown.pixels, shown.width, shown.height, { ...shown.options, delay: waits });
  };
  for (const { data, width, height } of images) {
    const pixels = applyPalette(data, palette);
    let changed = before === null;
    for (let at = 0; before && at < pixels.length; at += 1) {
      if (same(data, before, at * 4)) pixels[at] = clear;
      else changed = true;
    }
    if (changed) {
      flush();
      const options = before
        ? { transparent: true, transparentIndex: clear, dispose: 1 }
        : { palette: [...palette, [0, 0, 0]], repeat: 0, dispose: 1 };
      shown = { pixels, width, height, options };
      waits = 0;
    }
    waits += delay;
    before = data;
  }
  waits += 1500;
  flush();
  gif.finish();
  return gif.bytes();
}

const frames = await record();
const bytes = pack(steady(frames));
writeFileSync(file, bytes);
console.log(`${frames.length} frames of the browser, ${(bytes.length / 1024).toFixed(0)} KiB`);
