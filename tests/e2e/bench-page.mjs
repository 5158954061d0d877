// Measures the built page in Chromium, beside a floor measured in the same run: a bare page that
// moves as many SVG groups and does nothing else. `cargo xtask bench` starts this.
//
// Times of frames come from Chromium's own trace of the main thread, so they hold style, layout
// and painting as well as script. They are processor time of that thread: what other programs take
// away meanwhile is not counted.
import { chromium } from '@playwright/test';
import { baseURL, launchOptions } from './browser.mjs';

const TRACED_MS = 5_000;
const wide = { width: 2560, height: 1440 };

/** Twelve lanes that fill a wide screen with tokens, all of them on their way through. */
const tokens300 = `title 300 tokens
topic orders FIFO 12 queues
group billing reads orders orderly, handles in 400ms..800ms
producer p1 selects by hash, 4 threads
consumer c1 in billing push 6 threads
consumer c2 in billing push 6 threads
at 1s p1 sends 420 messages over 60 groups, 400 a second
at 3s p1 sends 1200 messages over 60 groups, 20 a second
run until 60s`;

/** 64 lanes over a backlog of 100 000 messages. */
const lanes64 = `title 64 lanes
topic orders FIFO 64 queues
group billing reads orders orderly, handles in 20ms..60ms
producer p1 selects by hash, 8 threads
consumer c1 in billing push 32 threads
consumer c2 in billing push 32 threads
at 1s p1 sends 100000 messages over 500 groups, 20000 a second
run until 30s`;

const link = (text, ms) => `./#x=${encodeURIComponent(text)}&t=${ms}`;
const at = (list, share) => [...list].sort((a, b) => a - b)[Math.floor((list.length - 1) * share)] ?? NaN;
const ms = (value) => `${value.toFixed(1)} ms`;

async function pageOf(browser, viewport) {
  const page = await browser.newPage({ viewport });
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  return page;
}

const stands = (page) =>
  page.waitForFunction(() => document.body.dataset.playing === 'false' && document.body.dataset.hash, null, {
    timeout: 60_000,
  });

/** Main-thread and script time of each animation frame while the page does what it does. */
async function frames(browser, page) {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'toplevel', 'disabled-by-default-devtools.timeline'] });
  await page.waitForTimeout(TRACED_MS);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  // The page's main thread is the one that fires animation frames.
  const fired = traceEvents.filter((e) => e.name === 'FireAnimationFrame');
  if (fired.length < 10) throw new Error(`only ${fired.length} animation frames in ${TRACED_MS} ms`);
  const { pid, tid } = fired[0];
  const mine = traceEvents.filter((e) => e.pid === pid && e.tid === tid && e.ph === 'X');
  const tasks = mine.filter((e) => /^(ThreadControllerImpl::RunTask|RunTask)$/.test(e.name));
  const script = mine.filter((e) => ['FireAnimationFrame', 'FunctionCall', 'TimerFire', 'RunMicrotasks'].includes(e.name));
  const starts = fired.map((e) => e.ts).sort((a, b) => a - b);
  const share = (events) => {
    const sums = starts.slice(1).map(() => 0);
    let covered = 0;
    for (const event of events.sort((a, b) => a.ts - b.ts)) {
      if (event.ts < covered) continue; // inside one that is counted already
      covered = event.ts + event.dur;
      let frame = starts.findIndex((start) => start > event.ts) - 1;
      if (frame >= 0) sums[frame] += (event.tdur ?? event.dur) / 1e3;
    }
    return sums;
  };
  const perSecond = ((starts.length - 1) / (starts.at(-1) - starts[0])) * 1e6;
  return { main: share(tasks), script: share(script), perSecond };
}

const line = (name, f) =>
  console.log(
    `${name.padEnd(26)} main thread p50 ${ms(at(f.main, 0.5))}, p95 ${ms(at(f.main, 0.95))}; script p95 ${ms(at(f.script, 0.95))}; ${f.perSecond.toFixed(0)} frames/s`,
  );

async function floor(browser, count) {
  const page = await pageOf(browser, wide);
  await page.goto(new URL(`./?floor=${count}`, baseURL).href);
  await page.waitForFunction((n) => document.querySelectorAll('svg > g').length === n, count);
  await page.waitForTimeout(500);
  const measured = await frames(browser, page);
  await page.close();
  line(`floor, ${count} groups`, measured);
  return measured;
}

async function playing(browser, text, from) {
  const page = await pageOf(browser, wide);
  await page.goto(new URL(link(text, from), baseURL).href);
  await stands(page);
  await page.getByTestId('play').click();
  await page.waitForTimeout(1_000);
  const count = () => page.evaluate(() => document.querySelectorAll('svg .token').length);
  const before = await count();
  const measured = await frames(browser, page);
  const shown = Math.round((before + (await count())) / 2);
  return { page, measured, shown };
}

/** Lets the page say how long it is from an instant to the frame in which its picture stands. */
const watchFrames = (page) =>
  page.evaluate(() => {
    window.__painted = (begin) =>
      new Promise((resolve) => {
        // The next frame paints what was changed; a message sent from it comes after the paint.
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => resolve(performance.now() - begin);
          channel.port2.postMessage(0);
        });
      });
  });

function press(key) {
  const begin = performance.now();
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  return window.__painted(begin);
}

/** What the same measurement gives for a change that costs nothing: the wait for the screen. */
function nothing() {
  const begin = performance.now();
  document.body.dataset.nothing = String(begin);
  return window.__painted(begin);
}

/** Points at a share of the timeline. */
function point(share) {
  const begin = performance.now();
  const slider = document.querySelector('[role="slider"]');
  const box = slider.getBoundingClientRect();
  const place = { bubbles: true, clientX: box.left + box.width * share, clientY: box.top + box.height / 2, pointerId: 1, button: 0 };
  slider.dispatchEvent(new PointerEvent('pointerdown', { ...place, buttons: 1 }));
  slider.dispatchEvent(new PointerEvent('pointerup', { ...place, buttons: 0 }));
  return window.__painted(begin);
}

/** The spans of one act with several values, one after the other. */
async function spans(page, act, values) {
  const list = [];
  for (const value of values) list.push(await page.evaluate(act, value));
  return list;
}

async function opening(browser) {
  const contents = [];
  const tokens = [];
  for (let round = 0; round < 5; round += 1) {
    const page = await pageOf(browser, { width: 1440, height: 900 });
    await page.addInitScript(() => {
      const look = () => {
        if (Number(document.body?.dataset.event) > 0 && document.querySelector('svg .token')) {
          window.__token = performance.now();
        } else {
          requestAnimationFrame(look);
        }
      };
      requestAnimationFrame(look);
    });
    await page.goto(new URL('./', baseURL).href);
    await page.waitForFunction(() => window.__token);
    contents.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN));
    tokens.push(await page.evaluate(() => window.__token));
    await page.close();
  }
  console.log(`opening                    first content ${ms(at(contents, 0.5))}, first moving token ${ms(at(tokens, 0.5))} (medians of 5)`);
}

async function heap(browser) {
  const page = await pageOf(browser, { width: 1440, height: 900 });
  await page.goto(new URL('./', baseURL).href);
  const session = await page.context().newCDPSession(page);
  const used = async () => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Runtime.getHeapUsage')).usedSize / 2 ** 20;
  };
  await page.waitForTimeout(10_000);
  const first = await used();
  await page.waitForTimeout(10_000);
  const second = await used();
  await page.close();
  console.log(`JavaScript heap            ${first.toFixed(1)} MiB after 10 s, ${(second - first).toFixed(2)} MiB more after 20 s`);
}

const browser = await chromium.launch(launchOptions);
try {
  const bare = await floor(browser, 300);
  const many = await playing(browser, tokens300, 6_000);
  line(`playing, ${many.shown} tokens`, many.measured);
  console.log(`${''.padEnd(26)} ${(at(many.measured.main, 0.5) / at(bare.main, 0.5)).toFixed(2)} times the floor (p50)`);
  await many.page.close();
  const wideRun = await playing(browser, lanes64, 20_000);
  line('playing, 64 lanes', wideRun.measured);
  const { page } = wideRun;
  await page.getByTestId('play').click();
  await stands(page);
  await watchFrames(page);
  const steps = await spans(page, press, Array.from({ length: 60 }, (_, i) => (i % 3 === 2 ? 'ArrowLeft' : 'ArrowRight')));
  const idle = await spans(page, nothing, Array.from({ length: 60 }));
  console.log(`nothing to the next frame  p50 ${ms(at(idle, 0.5))}, p95 ${ms(at(idle, 0.95))}`);
  console.log(`step to finished picture   p50 ${ms(at(steps, 0.5))}, p95 ${ms(at(steps, 0.95))}`);
  // The whole run is known before, and lies on the timeline.
  await page.keyboard.press('End');
  await stands(page);
  await page.getByRole('slider').focus();
  await page.keyboard.press('-');
  await page.keyboard.press('Home');
  await stands(page);
  const places = Array.from({ length: 60 }, (_, i) => ((i * 37) % 61) / 61);
  const jumps = await spans(page, point, places);
  await page.keyboard.press('End');
  await stands(page);
  const events = await page.evaluate(() => Number(document.body.dataset.event));
  console.log(`seek to finished picture   p50 ${ms(at(jumps, 0.5))}, p95 ${ms(at(jumps, 0.95))} (anywhere in ${events} events)`);
  await page.close();
  await opening(browser);
  await heap(browser);
} catch (error) {
  console.error(`The page could not be measured: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
