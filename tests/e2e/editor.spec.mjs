import { expect, open, state, test, until } from './page.mjs';

const field = (page) => page.getByTestId('editor');

async function edit(page) {
  await open(page);
  await page.getByRole('tab', { name: 'Scenario' }).click();
  await expect(field(page)).toHaveValue(/title\s+The poison message/);
}

test('a mistake names its line and column and the run goes on', async ({ page }) => {
  await edit(page);
  const text = await field(page).inputValue();
  const line = text.split('\n').findIndex((each) => each.includes('throws always'));
  const column = text.split('\n')[line].indexOf('throws') + 1;
  await field(page).fill(text.replace('throws always', 'thorws always'));
  await expect(page.getByTestId('problem-place')).toHaveText(`Line ${line + 1}, column ${column}`);
  await expect(page.getByTestId('problem')).toContainText('throws');
  await expect(page.locator('.editor-gutter li.is-wrong')).toHaveCount(1);
  await expect(page.getByTestId('run')).toBeDisabled();
  const before = await state(page);
  await until(page, (now) => now.time > before.time + 200);
  expect((await state(page)).run).toBe(before.run);
  // The suggestion mends it.
  await page.getByTestId('fix').click();
  await expect(field(page)).toHaveValue(text);
  await expect(page.getByTestId('problem')).toHaveCount(0);
});

test('the place of a mistake is one click away', async ({ page }) => {
  await edit(page);
  const text = await field(page).inputValue();
  await field(page).fill(text.replace('throws always', 'thorws always'));
  await page.getByTestId('problem-place').click();
  await expect(field(page)).toBeFocused();
  const chosen = await field(page).evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd));
  expect(chosen).toBe('thorws');
  // The line can be seen, wherever the text stood before.
  await expect(page.locator('.editor-gutter li.is-wrong')).toBeInViewport();
});

test('a changed text runs as a new run, and the text before is one click away', async ({ page }) => {
  await edit(page);
  const before = await state(page);
  const text = await field(page).inputValue();
  await field(page).fill(text.replace('The poison message', 'A milder poison'));
  await expect(page.getByTestId('run')).toBeEnabled();
  await page.getByTestId('run').click();
  await until(page, (now) => now.run > before.run && now.event > 0);
  await expect(page.locator('header.header')).toContainText('A milder poison');
  await page.getByTestId('before').click();
  await expect(page.locator('header.header')).toContainText('The poison message');
});

test('expectations are judged while typing, and a failed one says what happened instead', async ({ page }) => {
  await edit(page);
  const verdicts = page.locator('.verdict');
  await expect(page.locator('.verdict.holds').first()).toBeVisible();
  await expect(page.locator('.verdict.fails')).toHaveCount(0);
  const count = await verdicts.count();
  const text = await field(page).inputValue();
  await field(page).fill(`${text}\nexpect      A2 failed 3 times\n`);
  await expect(verdicts).toHaveCount(count + 1);
  await expect(page.locator('.verdict.fails')).toHaveCount(1);
  await expect(page.locator('.verdict.fails')).toContainText('It happened 8 times.');
});

test('a file of one\'s own can be opened', async ({ page }) => {
  await edit(page);
  const text = 'title Mine\ntopic t FIFO 1 queue\ngroup g reads t orderly\nproducer p\nconsumer c in g\nat 1s p sends A1\n';
  await page.locator('input[type=file]').setInputFiles({ name: 'mine.scn', mimeType: 'text/plain', buffer: Buffer.from(text) });
  await expect(field(page)).toHaveValue(text);
  await page.getByTestId('run').click();
  await expect(page.locator('header.header')).toContainText('Mine');
});
