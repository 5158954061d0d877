// Sixteen scenes of the page, each compared with its picture in docs/pictures. A picture that has
// become another on purpose is made anew by `cargo xtask e2e pictures --update-snapshots`, and
// looked at before it is kept.
import { expect, openText, test, until } from './page.mjs';
import { ORDERED, SIMPLE } from './second-stack.mjs';

const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

const opener = (page) => page.locator('.scenario-picker > button').first();

/** Opens a lesson at an instant, where it stands still. */
const at = (lesson, ms) => async (page) => {
  await page.goto(`./#s=${lesson}&t=${ms}`);
  await until(page, (now) => !now.playing && now.time === ms && Boolean(now.hash));
};

/** Opens a text at an instant. */
const text = (scenario, ms) => (page) => openText(page, scenario, ms);

const poison = at('05-1-poison-message', 5000);

const misspelt = async (page) => {
  await poison(page);
  await page.getByRole('tab', { name: 'Scenario' }).click();
  const field = page.getByTestId('editor');
  await field.fill((await field.inputValue()).replace('throws always', 'thorws always'));
  await page.getByTestId('problem-place').click();
  await expect(field).toBeFocused();
};

const picker = async (page) => {
  await poison(page);
  await opener(page).click();
  await expect(page.getByRole('dialog')).toBeVisible();
};

/** Another run beside a lesson, both played ahead. */
const beside = (lesson, ms, other) => async (page) => {
  await page.goto(`./#s=${lesson}&t=${ms}&c=${other}`);
  await until(page, (now) => !now.playing && now.time === ms && Boolean(now.hash));
  await expect(page.getByTestId('to-divergence')).toBeVisible();
};

const scenes = [
  { name: 'main-light-en-1440', open: poison, size: wide, theme: 'light', locale: 'en-US' },
  { name: 'main-dark-en-1440', open: poison, size: wide, theme: 'dark', locale: 'en-US' },
  { name: 'main-light-zh-1440', open: poison, size: wide, theme: 'light', locale: 'zh-CN' },
  { name: 'main-dark-zh-1440', open: poison, size: wide, theme: 'dark', locale: 'zh-CN' },
  { name: 'main-light-en-390', open: poison, size: phone, theme: 'light', locale: 'en-US' },
  { name: 'main-dark-en-390', open: poison, size: phone, theme: 'dark', locale: 'en-US' },
  { name: 'main-light-zh-390', open: poison, size: phone, theme: 'light', locale: 'zh-CN' },
  { name: 'main-dark-zh-390', open: poison, size: phone, theme: 'dark', locale: 'zh-CN' },
  { name: 'kill-minus-nine', open: at('04-1-kill-minus-nine', 40000), size: wide, theme: 'light', locale: 'en-US' },
  { name: 'ticket-45m', open: at('07-2-ticket-45m', 600000), size: wide, theme: 'dark', locale: 'en-US' },
  { name: 'grpc-ordered', open: text(ORDERED, 8000), size: wide, theme: 'light', locale: 'en-US' },
  { name: 'simple-consumer', open: text(SIMPLE, 8000), size: wide, theme: 'dark', locale: 'en-US' },
  { name: 'misspelt', open: misspelt, size: wide, theme: 'light', locale: 'en-US' },
  { name: 'two-runs', open: beside('05-1-poison-message', 9900, 'blocking-message-group'), size: wide, theme: 'light', locale: 'en-US' },
  { name: 'two-runs-dark-zh', open: beside('05-1-poison-message', 9900, 'concurrent'), size: wide, theme: 'dark', locale: 'zh-CN' },
  { name: 'picker', open: picker, size: wide, theme: 'dark', locale: 'en-US' },
];

for (const { name, open, size, theme, locale } of scenes) {
  test.describe(name, () => {
    test.use({ viewport: size, colorScheme: theme, locale, reducedMotion: 'reduce' });
    test('looks like its picture', async ({ page }) => {
      await open(page);
      await expect(page).toHaveScreenshot(`${name}.png`);
    });
  });
}
