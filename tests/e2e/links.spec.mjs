// Links, the good ones and those that a chat program has cut off.
import { expect, open, state, test, until } from './page.mjs';

const TEXT = 'title Mine\ntopic t FIFO 1 queue\ngroup g reads t orderly\nproducer p\nconsumer c in g\nat 1s p sends A1\n';
const notice = (page) => page.getByRole('status').filter({ hasText: /link|lesson|file/ }).locator('.notice');

const follow = (page, hash) => page.evaluate((to) => { window.location.hash = to; }, hash);

test('a link opens a text at an instant, and back returns to the link before', async ({ page }) => {
  await page.goto(`./#x=${encodeURIComponent(TEXT)}&t=1500`);
  await until(page, (now) => now.time === 1_500 && !now.playing);
  const there = await state(page);
  await expect(page.locator('header.header')).toContainText('Mine');
  await follow(page, 's=05-2-max-reconsume&t=3000');
  await until(page, (now) => now.scenario === '05-2-max-reconsume' && now.time === 3_000);
  await page.goBack();
  await until(page, (now) => now.time === 1_500 && now.scenario === '');
  expect((await state(page)).hash).toBe(there.hash);
});

test('of two lessons that are asked for at once the last one opens, whichever text comes first', async ({ page }) => {
  await open(page);
  let letGo;
  const held = new Promise((done) => { letGo = done; });
  await page.route('**/lessons/05-2-max-reconsume.scn', async (route) => {
    await held;
    await route.continue();
  });
  const late = page.waitForResponse('**/lessons/05-2-max-reconsume.scn');
  await follow(page, 's=05-2-max-reconsume&t=3000');
  await follow(page, 's=04-1-kill-minus-nine&t=2000');
  await until(page, (now) => now.scenario === '04-1-kill-minus-nine' && now.time === 2_000);
  letGo();
  await (await late).finished();
  // Whatever the answer would do is done with the next frames.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))));
  expect((await state(page)).scenario).toBe('04-1-kill-minus-nine');
});

test('an instant outside the run is the nearest one inside', async ({ page }) => {
  await page.goto('./#s=05-2-max-reconsume&t=-5');
  await until(page, (now) => now.scenario === '05-2-max-reconsume' && now.time === 0 && !now.playing);
  await follow(page, 's=05-2-max-reconsume&t=999999999');
  await until(page, (now) => now.time === 70_000 && !now.playing);
});

test('a text with mistakes comes into the editor, and something else runs meanwhile', async ({ page }) => {
  await page.goto(`./#x=${encodeURIComponent(TEXT.replace('topic', 'topc'))}`);
  await until(page, (now) => now.event > 0);
  await expect(notice(page)).toContainText('has mistakes');
  await expect(page.getByTestId('editor')).toHaveValue(/topc t FIFO/);
  await expect(page.getByTestId('problem-place')).toHaveText('Line 2, column 1');
  await page.getByTestId('fix').click();
  await page.getByTestId('run').click();
  await until(page, (now) => now.scenario === '' && now.event > 0);
  await expect(notice(page)).toHaveCount(0);
});

for (const hash of ['#x=%E0%A4', '#x=', '#s=', '#s=../../etc/passwd']) {
  test(`a damaged link is told of: ${hash}`, async ({ page }) => {
    await page.goto(`./${hash}`);
    await expect(notice(page)).toContainText('This link is damaged');
    await until(page, (now) => now.event > 0);
    await notice(page).getByRole('button').click();
    await expect(notice(page)).toHaveCount(0);
  });
}

test('a lesson that does not exist is told of', async ({ page }) => {
  await open(page);
  // A server that answers every address with the page itself: nothing is missing, and still.
  await page.route('**/lessons/99-9-nosuch.scn', (route) => route.fulfill({ body: '<!doctype html><title>x</title>' }));
  await follow(page, 's=99-9-nosuch');
  await expect(notice(page)).toContainText('There is no lesson 99-9-nosuch here');
  expect((await state(page)).scenario).toBe('05-1-poison-message');
});

test('a file that is too large is told of and not opened', async ({ page }) => {
  await open(page);
  await page.getByRole('tab', { name: 'Scenario' }).click();
  const file = page.locator('input[type=file]');
  await file.setInputFiles({ name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.alloc(300_000, 'x\n') });
  await expect(notice(page)).toContainText('A scenario file has 250 kB at most');
  await expect(page.getByTestId('editor')).toHaveValue(/The poison message/);
});
