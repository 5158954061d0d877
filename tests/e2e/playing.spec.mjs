import { expect, open, openText, pause, runUntil, state, stopAfter, test, until } from './page.mjs';

test('the poison message plays within two seconds, without a click', async ({ page }) => {
  await page.goto('./');
  await page.waitForFunction(() => Number(document.body.dataset.event) > 0, undefined, { timeout: 2_000 });
  const first = await state(page);
  expect(first.scenario).toMatch(/poison-message/);
  expect(first.playing).toBe(true);
  await until(page, (now) => now.time > first.time + 300);
  await expect(page.locator('.stage-region')).toContainText('q1');
});

test('twenty events back and forward again lead to the same hash', async ({ page }) => {
  await open(page);
  await stopAfter(page, 5_000);
  const start = await state(page);
  const back = page.getByRole('button', { name: 'Back one event' });
  const forward = page.getByRole('button', { name: 'Forward one event' });
  const hashes = new Map([[start.event, start.hash]]);
  for (let n = 1; n <= 20; n += 1) {
    await back.click();
    await until(page, (now) => now.event === start.event - n);
    const now = await state(page);
    hashes.set(now.event, now.hash);
  }
  expect(new Set(hashes.values()).size).toBe(21);
  for (let n = 19; n >= 0; n -= 1) {
    await forward.click();
    await until(page, (now) => now.event === start.event - n);
    const now = await state(page);
    expect(now.hash).toBe(hashes.get(now.event));
  }
});

test('a decision is a larger step than an event, and back is as fine as forward', async ({ page }) => {
  await open(page);
  await stopAfter(page, 4_500);
  await page.getByRole('button', { name: 'Decision', exact: true }).click();
  const start = await state(page);
  await page.getByRole('button', { name: 'Forward one decision' }).click();
  await until(page, (now) => now.event > start.event);
  await page.getByRole('button', { name: 'Forward one decision' }).click();
  await page.getByRole('button', { name: 'Back one decision' }).click();
  await page.getByRole('button', { name: 'Back one decision' }).click();
  await until(page, (now) => now.event <= start.event);
});

test('speed changes how fast virtual time passes, not where events stand', async ({ page }) => {
  await open(page);
  await page.getByLabel('Speed').selectOption({ label: '10×' });
  await runUntil(page, (now) => now.time > 9_000);
  await pause(page);
  const fast = await state(page);
  const seen = await page.locator('.clock').textContent();
  expect(seen).toMatch(/^\d\d:\d\d\.\d{3}$/);
  await page.getByRole('button', { name: 'To the beginning' }).click();
  await until(page, (now) => now.event === 0);
  await page.getByLabel('Speed').selectOption({ label: '1 000×'.replace(' ', '\u2009') });
  await page.getByTestId('play').click();
  await runUntil(page, (now) => now.event >= fast.event);
  expect((await state(page)).event).toBeGreaterThanOrEqual(fast.event);
});

test('the lesson goes to its beats and keeps the first answer', async ({ page }) => {
  await open(page);
  await page.locator('.beat > button').nth(3).click();
  await until(page, (now) => !now.playing && now.time === 4_800);
  await expect(page.locator('.beat.is-now')).toHaveCount(1);
  // A question lies on the way to the next one; asked again, it is passed.
  await page.locator('.beat > button').nth(4).click();
  await until(page, (now) => now.time === 5_000);
  await page.locator('.beat > button').nth(4).click();
  await until(page, (now) => now.time === 5_800);
  const options = page.locator('.option');
  await expect(options).toHaveCount(4);
  await options.nth(1).click();
  await expect(options.nth(1)).toHaveAttribute('aria-pressed', 'true');
  await expect(options.nth(0)).toBeDisabled();
  await page.getByRole('button', { name: 'Let it run' }).click();
  await until(page, (now) => now.playing);
});

test('nothing steps over the beginning or the end of the run', async ({ page }) => {
  await open(page);
  await pause(page);
  await page.keyboard.press('End');
  await until(page, (now) => now.time === 16_000);
  const end = await state(page);
  for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Alt+ArrowRight', 'n']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(50);
    expect(await state(page), key).toEqual(end);
  }
  await page.keyboard.press('Home');
  await until(page, (now) => now.event === 0);
  const beginning = await state(page);
  for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'Alt+ArrowLeft']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(50);
    expect(await state(page), key).toEqual(beginning);
  }
});

/** Twelve lanes full of tokens, all of them on their way through. */
const BUSY = `title busy
topic orders FIFO 12 queues
group billing reads orders orderly, handles in 400ms..800ms
producer p1 selects by hash, 4 threads
consumer c1 in billing push 6 threads
consumer c2 in billing push 6 threads
at 1s p1 sends 420 messages over 60 groups, 400 a second
at 3s p1 sends 1200 messages over 60 groups, 20 a second
run until 60s`;

test('a frame writes only what moved, and the structure is left alone in a third of them at least', async ({ page }) => {
  await page.setViewportSize({ width: 2560, height: 1440 });
  await openText(page, BUSY, 6_000);
  await page.getByTestId('play').click();
  await until(page, (now) => now.time > 7_000);
  const seen = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const [frames, began] = [[], performance.now()];
        let now = { moved: 0, idle: 0, other: 0, rebuilt: 0 };
        const watcher = new MutationObserver((records) => {
          for (const { type, attributeName, oldValue, target } of records) {
            const isTimed = (target.nodeType === 1 ? target : target.parentNode)?.closest?.('[data-timed]');
            // Position and opacity are what the frames write themselves.
            if (type === 'attributes' && ['transform', 'opacity'].includes(attributeName)) {
              now.moved += 1;
              now.idle += oldValue === target.getAttribute(attributeName);
            } else if (isTimed) {
              now.other += 1;
            } else {
              now.rebuilt += 1;
            }
          }
        });
        watcher.observe(document.querySelector('.stage-canvas'), {
          subtree: true, childList: true, characterData: true, attributes: true, attributeOldValue: true,
        });
        const next = () => {
          frames.push(now);
          now = { moved: 0, idle: 0, other: 0, rebuilt: 0 };
          if (frames.length < 120) requestAnimationFrame(next);
          else resolve({ frames, lasted: performance.now() - began, tokens: document.querySelectorAll('.tok').length });
        };
        requestAnimationFrame(next);
      }),
  );
  const { frames, lasted, tokens } = seen;
  expect(tokens).toBeGreaterThan(100);
  // Nothing is written that was there already.
  expect(frames.reduce((sum, frame) => sum + frame.idle, 0)).toBe(0);
  // A lane that goes on is one write, not one for each of its tokens.
  const moved = frames.map((frame) => frame.moved).sort((a, b) => a - b);
  expect(moved.at(-1)).toBeGreaterThan(0);
  // Some 37 of 160 travel at any instant, and six lanes slide; on a slow machine fewer frames show it.
  expect(moved[Math.floor(moved.length / 2)]).toBeLessThan(tokens / 3);
  // Elements come, go and change their looks in a part of the frames only, however many there are.
  const rebuilt = frames.filter((frame) => frame.rebuilt > 0).length;
  expect(rebuilt).toBeGreaterThan(0);
  // Where frames themselves take as long as the pace of the structure, there are none to leave out.
  const isSlow = lasted / frames.length > 20;
  if (!isSlow) expect(rebuilt).toBeLessThan((frames.length * 2) / 3);
});

test('of many queues only the rows of the timeline that can be seen are drawn', async ({ page }) => {
  await openText(page, BUSY.replace('12 queues', '64 queues'), 6_000);
  const names = page.locator('.tl-name');
  await expect(names.first()).toContainText('q0');
  expect(await names.count()).toBeLessThan(12);
  await page.locator('.tl-body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
  await expect(names.last()).toContainText('q63');
  expect(await names.count()).toBeLessThan(12);
  await expect(page.locator('.tl-row')).toHaveCount(await names.count());
});

test('no rule of the style sheets looks into the page for another element', async ({ page }) => {
  await page.goto('./');
  const rules = await page.evaluate(() =>
    [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText));
  expect(rules.length).toBeGreaterThan(100);
  expect(rules.filter((rule) => rule.includes(':has('))).toEqual([]);
});
