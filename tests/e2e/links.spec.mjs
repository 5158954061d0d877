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

/** Runs a text from the editor. */
async function runText(page, text) {
  await page.getByRole('tab', { name: 'Scenario' }).click();
  await page.getByTestId('editor').fill(text);
  await page.getByTestId('run').click();
  await until(page, (now) => now.scenario === '' && now.event > 0);
}

const title = (page) => page.locator('.scenario-title');
const editor = (page) => page.getByTestId('editor');

test('a text that was run is there after a reload, and back leads to what was open before', async ({ page }) => {
  await open(page);
  await runText(page, TEXT);
  await expect(title(page)).toHaveText('Mine');
  await runText(page, TEXT.replace('Mine', 'Second'));
  await expect(title(page)).toHaveText('Second');
  await page.reload();
  await until(page, (now) => now.scenario === '' && now.event > 0);
  await expect(title(page)).toHaveText('Second');
  await page.goBack();
  await expect(title(page)).toHaveText('Mine');
  // The page had opened without anything in its address.
  await page.goBack();
  await expect(title(page)).toContainText('The poison message');
  await page.goForward();
  await expect(title(page)).toHaveText('Mine');
});

test('a text that is too long for an address is there after a reload too', async ({ page }) => {
  await open(page);
  const long = `${TEXT}${'# nothing but words\n'.repeat(1_200)}`;
  await runText(page, long);
  expect(page.url().length).toBeLessThan(1_000);
  await runText(page, long.replace('Mine', 'Longer'));
  await page.reload();
  await expect(title(page)).toHaveText('Longer');
  await page.goBack();
  await expect(title(page)).toHaveText('Mine');
  const address = page.url();
  const other = await page.context().newPage();
  await other.goto(address);
  await expect(notice(other)).toContainText('too long for an address');
  await other.close();
});

test('a text that is being written is there after a reload, and by the way back', async ({ page }) => {
  await open(page);
  await page.getByRole('tab', { name: 'Scenario' }).click();
  const text = await editor(page).inputValue();
  await editor(page).fill(`${text}\n# half a thoug`);
  await page.reload();
  // It is open again, as it was.
  await expect(editor(page)).toHaveValue(/half a thoug$/);
  await until(page, (now) => now.scenario === '05-1-poison-message');
  await follow(page, 's=01-3-offsets-and-lag&t=0');
  await until(page, (now) => now.scenario === '01-3-offsets-and-lag');
  await page.getByRole('tab', { name: 'Scenario' }).click();
  await expect(editor(page)).not.toHaveValue(/half a thoug/);
  await page.goBack();
  await until(page, (now) => now.scenario === '05-1-poison-message');
  await expect(editor(page)).toHaveValue(/half a thoug$/);
  // What was given up is gone.
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.reload();
  await page.getByRole('tab', { name: 'Scenario' }).click();
  await expect(editor(page)).toHaveValue(text);
});

test('a text with mistakes that came by a link keeps what was mended in it over a reload', async ({ page }) => {
  await page.goto(`./#x=${encodeURIComponent(TEXT.replace('topic', 'topc'))}`);
  await expect(editor(page)).toHaveValue(/topc t FIFO/);
  await editor(page).fill(TEXT.replace('Mine', 'Mended').replace('producer', 'prodcer'));
  await page.reload();
  await expect(editor(page)).toHaveValue(/title Mended/);
});

/** Crashes c1 by the menu of faults. */
async function crash(page) {
  await page.keyboard.press('f');
  await page.getByTestId('hands').getByRole('combobox').selectOption('c1');
  await page.getByRole('menuitem', { name: 'Kill c1 (kill -9)', exact: true }).click();
  await expect(page.getByTestId('done')).toContainText('c1 crashes');
}

test('what was done by hand is there after a reload, and back leads to the lesson as it was', async ({ page }) => {
  await page.goto('./#s=05-1-poison-message&t=6050');
  await until(page, (now) => now.time === 6_050 && Boolean(now.hash));
  const before = await state(page);
  await crash(page);
  await until(page, (now) => now.hash !== before.hash);
  await page.keyboard.press('End');
  await until(page, (now) => now.time === 16_000);
  const after = await state(page);
  await page.reload();
  // It stands where it was done, and ends as it did.
  await until(page, (now) => now.scenario === '' && now.time === 6_050);
  await page.keyboard.press('End');
  await until(page, (now) => now.time === 16_000);
  expect((await state(page)).event).toBe(after.event);
  // It is the lesson still, changed from there on.
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await expect(page.getByTestId('changed')).toContainText('00:06.050');
  await page.goBack();
  await until(page, (now) => now.scenario === '05-1-poison-message' && now.time === 6_050 && now.hash === before.hash);
});

test('a new scenario runs, and back leads to what was open before', async ({ page }) => {
  await page.goto('./#s=01-3-offsets-and-lag&t=0');
  await until(page, (now) => now.scenario === '01-3-offsets-and-lag');
  await page.locator('.scenario-button').click();
  await page.getByRole('button', { name: /^New scenario/ }).click();
  await until(page, (now) => now.scenario === '' && now.event > 0);
  await expect(title(page)).toHaveText('A new scenario');
  await expect(editor(page)).toHaveValue(/p1 sends A1 A2 A3/);
  await expect(page.locator('.verdict.holds')).toHaveCount(1);
  await page.goBack();
  await until(page, (now) => now.scenario === '01-3-offsets-and-lag');
  // The editor has it as well.
  await page.getByRole('tab', { name: 'Scenario' }).click();
  await page.getByTestId('new').click();
  await expect(title(page)).toHaveText('A new scenario');
});

test('a link of two runs has what was done by hand in each of them', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('./#s=05-1-poison-message&t=6050&c=concurrent');
  const second = page.locator('.pair-run[data-run="2"]');
  await expect(second).toBeVisible();
  await second.locator('.stage-svg [data-subject^="c"]').first().click({ button: 'right', force: true });
  await page.getByRole('menuitem', { name: 'Kill c1 (kill -9)', exact: true }).click();
  await expect(page.getByTestId('done')).toContainText('c1 crashes');
  await page.getByRole('button', { name: 'Share' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const text = decodeURIComponent(new URL(link).hash.split('&y=')[1] ?? '');
  expect(text).toContain('c1 crashes');
  // The page's own address shows the same.
  await page.reload();
  await expect(second).toBeVisible();
  expect(decodeURIComponent(page.url())).toContain('c1 crashes');
});
