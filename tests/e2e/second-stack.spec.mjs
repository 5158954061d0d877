// The second consumption stack on the stage: gRPC consumers, order blocks, invisible times, resets,
// minimum offsets, several consumer groups and brokers.
import AxeBuilder from '@axe-core/playwright';
import { expect, openText as openAt, state, test, until } from './page.mjs';
import { BROKERS, ORDERED, SIMPLE } from './second-stack.mjs';

/** Texts of the stage that lie over each other, and texts and frames that leave their place. */
const collisions = (page) =>
  page.evaluate(() => {
    const box = (element) => element.getBoundingClientRect();
    const texts = [...document.querySelectorAll('.stage-svg text')]
      .filter((text) => (!text.closest('.tok') || text.matches('.badge-text')) && text.textContent.trim())
      .map((text) => ({ text: text.textContent, of: text.parentElement, box: box(text) }));
    const found = [];
    for (const [i, a] of texts.entries()) {
      for (const b of texts.slice(i + 1)) {
        const x = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const y = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        // Boxes are as high as their line; letters fill less than that.
        if (x > 1 && y > 5) found.push(`${a.text} | ${b.text}`);
      }
    }
    const frames = [...document.querySelectorAll('.stage-svg .row-frame, .stage-svg .card-frame')];
    for (const frame of frames) {
      const outer = box(frame);
      for (const text of frame.parentElement.querySelectorAll(':scope > text')) {
        const inner = box(text);
        const above = inner.bottom <= outer.top + 3;
        if (!above && (inner.left < outer.left || inner.right > outer.right + 0.5)) found.push(`leaves its frame: ${text.textContent}`);
      }
    }
    return found;
  });

const stage = (page) => page.locator('.stage-canvas');
const card = (page, name) => page.locator('.stage-svg .card', { has: page.locator(`.card-name:has-text("${name}")`) });

test('a push consumer shows its attempt, its back-off and the invisible time, and the queue its block', async ({ page }) => {
  await openAt(page, ORDERED, 8_000);
  const holder = page.locator('.stage-svg .is-grpc', { hasText: 'again in' });
  await expect(holder).toHaveCount(1);
  await expect(holder).toContainText('attempt 2');
  await expect(holder).toContainText(/invisible \d+\.\d s/);
  await expect(holder.locator('.bar-left')).toHaveAttribute('stroke-dasharray', /^[89]\d\.\d 200$/);
  await expect(page.locator('.stage-svg .is-grpc')).toHaveCount(2);
  await expect(stage(page)).toContainText('receive waits');
  // The block stands in place of the lock: the message that is waited for, and for how long at most.
  const gate = page.locator('.gate').first();
  await expect(gate.locator('.gate-label')).toHaveText('A2');
  await expect(gate.locator('.lease')).toHaveText(/^\d+\.\d s$/);
  await expect(page.locator('.stage-svg .lock')).toHaveCount(0);
  await expect(page.locator('.lane').first()).toHaveClass(/is-blocked/);
  await expect(page.locator('.proxy-name').last()).toContainText('proxy');
  await expect(page.locator('.tok.is-broken')).toHaveCount(0);
});

test('a message with a consumer, and one that is held back, say why they wait', async ({ page }) => {
  await openAt(page, ORDERED, 8_000);
  await page.locator('.tok', { hasText: 'A2' }).first().click();
  await expect(page.getByTestId('why')).toContainText(/c2.*00:09\.600/);
  await openAt(page, SIMPLE, 8_000);
  await page.locator('.tok', { hasText: 'D2' }).first().click();
  await expect(page.getByTestId('why')).toContainText(/D1|00:43\.000/);
});

test('the other group is there, its offset is a mark, and a choice colours the lanes by it', async ({ page }) => {
  await openAt(page, ORDERED, 5_600);
  await expect(page.locator('.other-group')).toContainText('audit');
  await expect(page.locator('.lane').first()).toContainText('a');
  await expect(page.locator('.reset-line')).toHaveCount(0);
  const choice = page.getByRole('combobox', { name: /Consumer group/ });
  await choice.selectOption({ label: 'audit' });
  await expect(page.locator('.other-group')).toContainText('billing');
  await expect(page.locator('.stage-svg .lock').first()).toBeVisible();
  // Its reset waits for the next pull of the queue.
  await expect(page.locator('.reset-line')).toHaveCount(1);
  await expect(page.locator('.gate .reset')).toHaveText('reset 2');
  await page.locator('.timeline-region').click({ position: { x: 4, y: 4 } });
  await page.keyboard.press('g');
  await expect(choice.locator('option:checked')).toHaveText('billing');
  await page.locator('.other-group > .heading').click();
  await expect(choice.locator('option:checked')).toHaveText('audit');
});

test('a SimpleConsumer holds what it has not acknowledged; what a crashed one had is invisible in its slot', async ({ page }) => {
  await openAt(page, SIMPLE, 8_000);
  await expect(card(page, 'c1')).toContainText('4 unacked');
  await expect(card(page, 'c1').locator('.bar-left')).toHaveCount(2);
  await expect(card(page, 'c2')).toHaveCount(0);
  const hidden = page.locator('.tok .is-invisible');
  expect(await hidden.count()).toBeGreaterThanOrEqual(4);
  await expect(page.locator('.gate-label')).toHaveText(['A2', 'D1', 'C1']);
  // Later the handles are worth nothing any more: A2 is received again, as attempt 2.
  await openAt(page, SIMPLE, 25_000);
  await expect(card(page, 'c1')).toContainText('attempt 2');
});

test('brokers stand apart, deleted records leave a gap, a half message is aside', async ({ page }) => {
  await openAt(page, BROKERS, 70_000);
  await expect(page.locator('.broker-name')).toHaveText(['broker', 'b2down']);
  expect(await page.locator('.lane .deleted').count()).toBeGreaterThan(1);
  expect(await page.locator('.lane .minimum').count()).toBeGreaterThan(0);
  await expect(stage(page)).toContainText('Half messages');
  expect(await collisions(page)).toEqual([]);
});

test('the list behind the stage says the same', async ({ page }) => {
  await openAt(page, ORDERED, 8_000);
  const twin = page.getByRole('region', { name: 'The stage as a list' });
  await expect(twin).toContainText('yields nothing until A2 is acknowledged');
  await expect(twin).toContainText('A2, attempt 2, waits for its next attempt, invisible until');
  await expect(twin).toContainText('audit, orderly');
});

test('Inspect shows the broker\'s record, the receipt handle and the receives, and marks what a step changed', async ({ page }) => {
  await openAt(page, ORDERED, 5_600);
  await page.locator('.lane').first().locator('.lane-name').click();
  await page.getByRole('tab', { name: 'Inspect' }).click();
  const fields = page.locator('.fields').first();
  for (const name of ['popTime', 'invisibleTime', 'offsetList', 'attemptId', 'commitOffsetBit', 'lockFreeTimestamp']) {
    await expect(fields.locator('dt', { hasText: new RegExp(`^${name}$`) })).toHaveCount(1);
  }
  await expect(fields.locator('.is-changed')).toHaveCount(0);
  for (let i = 0; i < 40 && (await fields.locator('.is-changed').count()) === 0; i += 1) {
    const before = await state(page);
    await page.getByRole('button', { name: 'Forward one event' }).click();
    await until(page, (now) => now.event === before.event + 1);
  }
  expect(await fields.locator('.is-changed').count()).toBeGreaterThan(0);
  await page.locator('.is-grpc .card-name').first().click();
  await page.getByRole('tab', { name: 'Inspect' }).click();
  await expect(page.locator('.fields').first()).toContainText('PUSH_CONSUMER');
});

for (const [locale, sizes] of [
  ['en-US', [[1440, 900], [1200, 800], [1000, 800], [760, 900], [390, 844]]],
  ['zh-CN', [[1440, 900], [760, 900], [390, 844]]],
]) {
  for (const [width, height] of sizes) {
    test.describe(`${width} x ${height} ${locale}`, () => {
      test.use({ viewport: { width, height }, locale });

      test('no text lies over another or leaves its frame', async ({ page }) => {
        for (const [name, text, ms] of [['ordered', ORDERED, 3_500], ['ordered', ORDERED, 8_000], ['simple', SIMPLE, 3_500], ['simple', SIMPLE, 8_000]]) {
          await openAt(page, text, ms);
          await expect.poll(() => collisions(page), { message: `${name} at ${ms}` }).toEqual([]);
        }
      });
    });
  }
}

for (const colorScheme of ['light', 'dark']) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test('axe finds nothing serious', async ({ page }) => {
      for (const [text, ms] of [[ORDERED, 5_600], [SIMPLE, 8_000]]) {
        await openAt(page, text, ms);
        const { violations } = await new AxeBuilder({ page }).analyze();
        const serious = violations.filter((v) => ['serious', 'critical'].includes(v.impact));
        expect(serious.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`)).toEqual([]);
      }
    });
  });
}
