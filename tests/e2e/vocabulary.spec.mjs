// One vocabulary for the state of a message: legend, lanes, Inspect and Why say the same; what a group's
// marks mean is told; a telephone shows all of it.
import { expect, test, until } from './page.mjs';

/** Opens a lesson at an instant. */
async function at(page, id, ms) {
  await page.goto(`./#s=${id}&t=${ms}`);
  await until(page, (now) => now.scenario === id && now.time === ms && !now.playing && Boolean(now.hash));
}

const LIFE = '01-2-life-of-a-message';
const legend = (page) => page.locator('.legend');
const term = (page) => page.evaluate(() => document.documentElement.dataset.term ?? '');

test('what is on its way is initialized, and a dead letter is one in its slot', async ({ page }) => {
  await at(page, LIFE, 3_200);
  await expect(page.locator('.tok .token.is-initialised')).toHaveText('A1');
  await expect(page.locator('.tok .token.is-ready')).toHaveCount(0);
  await expect(legend(page)).toContainText('initialized');
  await at(page, LIFE, 10_500);
  await expect(page.locator('.lane .slot .token.is-dead')).toHaveText('A2');
  await page.locator('.lane .slot').filter({ hasText: 'A2' }).click();
  await expect(page.locator('.subject h2')).toHaveText('A2 is a dead letter');
  await expect(page.locator('.subject .token.is-dead')).toHaveCount(1);
  await page.locator('.lane .slot').filter({ hasText: 'A1' }).click();
  await expect(page.locator('.subject h2')).toHaveText('A1 is acknowledged');
});

test('the legend tells the slot of a message in hand, and whose the marks of other groups are', async ({ page }) => {
  await at(page, LIFE, 4_200);
  await expect(page.locator('.legend .token.is-away')).toHaveCount(1);
  await expect(legend(page)).toContainText('its slot');
  await page.getByLabel('Consumer group whose states').selectOption('billing');
  await expect(legend(page)).toContainText('a: audit, next to read');
  await expect(page.locator('.lane').first().locator('text', { hasText: /^a$/ })).toHaveCount(1);
});

test('another consumer group is announced over the queues', async ({ page }) => {
  await at(page, LIFE, 3_600);
  const told = () => page.locator('.stage-svg').first().textContent();
  await expect.poll(told).toContain('states for billing');
  await page.keyboard.press('g');
  await expect.poll(told).toContain('states for audit');
  await expect(page.locator('.group-choice [role=status]')).toHaveText('states for audit');
});

test('a term lights up on the stage what it is the name of, by mouse and by keyboard', async ({ page }) => {
  await at(page, LIFE, 3_600);
  const ready = page.locator('.term').filter({ hasText: /^ready$/ });
  await ready.hover();
  await expect.poll(() => term(page)).toBe('ready');
  await page.mouse.move(300, 300);
  await expect.poll(() => term(page)).toBe('');
  await ready.focus();
  await expect.poll(() => term(page)).toBe('ready');
  await page.locator('#stage').focus();
  await expect.poll(() => term(page)).toBe('');
});

test('a refused send is counted at its producer, and a line that passes the proxy by does not run through it', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await at(page, '01-4-topic-types', 11_000);
  const producers = page.locator('.producer');
  await expect(producers.filter({ hasText: 'pick' })).toContainText('2 failed');
  await expect(producers.filter({ hasText: 'old' })).not.toContainText('failed');
  // P goes by pick through the proxy, by old past it, by sdk in turn.
  await expect(page.locator('.port').filter({ hasText: 'no group' })).toHaveCount(3);
  await expect(page.locator('.proxy-gap')).toHaveCount(1);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.locator('.port').filter({ hasText: 'no group' })).toHaveCount(3);
});

test('the editor runs a lesson on with its answers and hints', async ({ page }) => {
  await at(page, '05-1-poison-message', 5_000);
  await page.keyboard.press('2');
  await expect(page.getByTestId('explained')).toBeInViewport({ ratio: 1 });
  await expect(page.getByTestId('explained')).toContainText('B2 and A3 wait behind it');
  await page.getByRole('button', { name: 'Hint 1 of 3' }).click();
  await page.getByRole('tab', { name: 'Scenario' }).click();
  await page.getByTestId('editor').focus();
  await page.keyboard.press('Control+Enter');
  await until(page, (now) => now.playing || now.time > 0);
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await until(page, (now) => now.time > 5_200);
  await expect(page.locator('.option[aria-pressed=true]')).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Hint 2 of 3' })).toHaveCount(1);
});

test('a message is sent to a message group of any name, and its queue is told before', async ({ page }) => {
  await at(page, '01-1-orders-on-four-queues', 5_900);
  await page.keyboard.press('s');
  const group = page.getByRole('combobox', { name: 'Message group' });
  await group.fill('order-1002');
  await expect(page.getByTestId('goes-to')).toHaveText('q0');
  await group.fill('order-1005');
  await expect(page.getByTestId('goes-to')).toHaveText('q3');
  await page.getByTestId('send-now').click();
  await page.getByTestId('play').click();
  await expect(page.locator('.lane').last()).toContainText('lag');
  await expect(page.locator('.goal')).toHaveClass(/is-reached/);
});

test('before a message has failed no caption tells of retry topics', async ({ page }) => {
  for (const id of [LIFE, '01-3-offsets-and-lag']) {
    await page.goto(`./#s=${id}&t=0`);
    await until(page, (now) => now.scenario === id && now.time === 0 && !now.playing);
    for (let step = 0; step < 40; step += 1) {
      await page.locator('.transport-forward').click();
      expect(await page.locator('.narration').textContent()).not.toContain('%RETRY%');
    }
  }
});

test.describe('on a telephone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('lanes have offsets and marks, routing and legend stand below them, and nothing told is cut', async ({ page }) => {
    await at(page, '05-1-poison-message', 4_900);
    const q0 = page.locator('.lane').first();
    await expect(q0.locator('.offset')).toHaveText(['0', '1']);
    await expect(q0.locator('.offset-mark')).toHaveCount(1);
    await expect(page.locator('.port')).toHaveCount(4);
    await expect(page.locator('.port').first()).toContainText('mod 4');
    await legend(page).scrollIntoViewIfNeeded();
    await expect(legend(page)).toContainText('acknowledged');
    for (const id of [LIFE, '01-4-topic-types']) {
      await page.goto(`./#s=${id}&b=7`);
      await until(page, (now) => now.scenario === id && !now.playing && now.time > 0);
      const cut = () => page.locator('.narration-text').evaluate((text) => text.scrollHeight - text.clientHeight);
      await expect.poll(cut).toBeLessThanOrEqual(1);
    }
  });

  test('the sheet covers neither the caption nor the way on, and shows the beat', async ({ page }) => {
    await at(page, '05-1-poison-message', 4_900);
    await page.getByRole('tab', { name: 'Log' }).click();
    const sheet = async () => (await page.locator('.panel-region').boundingBox()).y;
    const narration = async () => {
      const box = await page.locator('.narration').boundingBox();
      return box.y + box.height;
    };
    await expect.poll(async () => (await sheet()) - (await narration())).toBeGreaterThanOrEqual(0);
    await expect(page.locator('.narration-text')).toBeInViewport({ ratio: 1 });
    await page.getByRole('tab', { name: 'Lesson' }).click();
    await expect(page.locator('.beat.is-now > button')).toBeInViewport({ ratio: 1 });
    await page.locator('.narration').getByRole('button', { name: 'Next' }).click();
    await until(page, (now) => now.time === 5_000);
    await expect(page.locator('.narration').getByRole('button', { name: 'Skip the question' })).toBeVisible();
  });
});

test('behind the last beat what the lesson comes to is in view', async ({ page }) => {
  await at(page, '01-3-offsets-and-lag', 11_900);
  await page.keyboard.press(']');
  await until(page, (now) => now.time === 12_000);
  await page.locator('.option').nth(2).click();
  await page.keyboard.press(']');
  await page.keyboard.press(']');
  await until(page, (now) => now.time === 19_500);
  await expect(page.locator('.beat.is-now > button')).toBeInViewport({ ratio: 1 });
  await expect(page.locator('[data-part=short]')).toBeInViewport();
});
