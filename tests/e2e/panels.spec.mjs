// Charts, order strips and the routing microscope: each by mouse and by keyboard, in both themes,
// both languages, wide and narrow.
import AxeBuilder from '@axe-core/playwright';
import { expect, open, state, test, until } from './page.mjs';

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };
const VIEWS = ['charts', 'order', 'routing'];

/** Opens a lesson at an instant, where it stands still. */
async function at(page, lesson, ms) {
  await page.goto(`./#s=${lesson}&t=${ms}`);
  await until(page, (now) => !now.playing && now.time === ms && Boolean(now.hash));
}

/** Opens one of the views, through the panel's own button where it is a sheet. */
async function view(page, name) {
  const tab = page.locator('#tab-charts');
  if (!(await tab.isVisible())) await page.locator('[data-testid=open-panel], .panel-button').first().click();
  await tab.click();
  await page.locator('.views-bar .segment button').nth(VIEWS.indexOf(name)).click();
  await expect(page.locator('.panel')).toHaveAttribute('data-tab', name);
  await expect(page.locator('.view-card').first()).toBeVisible();
}

test.describe('charts', () => {
  test.beforeEach(async ({ page }) => {
    await at(page, '05-1-poison-message', 8_000);
    await view(page, 'charts');
  });

  test('show lag, latency, time, load and throughput, each with words for it', async ({ page }) => {
    for (const title of ['Lag per queue', 'From stored to handled', 'Where the time went', 'Load per queue', 'Throughput']) {
      const card = page.getByRole('region', { name: title, exact: true });
      await expect(card.getByRole('img')).toHaveAttribute('aria-label', /\S{3}/);
      await expect(card.locator('.plot-box svg.plot')).toBeVisible();
    }
    await expect(page.getByRole('region', { name: 'Lag per queue', exact: true }).getByRole('img')).toHaveAttribute('aria-label', /The highest is q1/);
    await expect(page.locator('.view-foot p')).toContainText('At 00:08.000: q1 has');
  });

  test('are tables as well, and a row leads to its instant', async ({ page }) => {
    const card = page.getByRole('region', { name: 'Lag per queue', exact: true });
    await card.getByRole('button', { name: 'Lag per queue, as a table' }).click();
    const table = card.getByRole('table');
    await expect(table.getByRole('columnheader').nth(1)).toHaveText('q1');
    await table.getByRole('row').nth(2).getByRole('button').click();
    await until(page, (now) => now.time < 8_000);
    // The table shows nothing that comes after the present.
    const last = await table.getByRole('row').last().getByRole('button').textContent();
    const now = await state(page);
    expect(last).toContain((now.time / 1000).toFixed(3).padStart(6, '0'));
  });

  test('have a cursor that previews, and a click that jumps', async ({ page }) => {
    const plot = page.locator('.view-card.lag .plot-box');
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
    await expect(page.locator('.plot-cursor').first()).toBeVisible();
    const read = await page.locator('.view-foot p').textContent();
    expect(read).not.toContain('00:08.000');
    await page.mouse.down();
    await page.mouse.up();
    await until(page, (now) => now.time < 8_000);
    const { time } = await state(page);
    expect(read).toContain((time / 1000).toFixed(3).padStart(6, '0'));
  });

  test('show the whole run or the last of it', async ({ page }) => {
    const plot = page.locator('.view-card.lag .plot-box');
    const instants = () => plot.locator('svg text').allTextContents();
    expect(await instants()).toContain('0 s');
    await page.getByLabel('Range').selectOption('last 2 s');
    await expect.poll(instants).not.toContain('0 s');
    expect(await instants()).toContain('7 s');
    // The cursor means what the axis says: in the middle of the two seconds before 8 s it is 7 s.
    const svg = await plot.boundingBox();
    await page.mouse.move(svg.x + 48 + (svg.width - 108) / 2, svg.y + svg.height / 2);
    await expect(page.locator('.view-foot p')).toContainText(/At 00:0(6\.9|7\.0)/);
    await page.getByLabel('Range').selectOption('whole run');
    await expect.poll(instants).toContain('0 s');
  });

  test('are saved as files', async ({ page }) => {
    for (const [name, start] of [['CSV', 'at_ms,lag q0'], ['SVG', '<svg xmlns']]) {
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      const file = await waiting;
      const chunks = [];
      for await (const chunk of await file.createReadStream()) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString('utf8');
      expect(text.startsWith(start)).toBe(true);
      expect(text).not.toMatch(/NaN|undefined|var\(--ink\)/);
    }
  });

  test('open with their key, and make room or give it back', async ({ page }) => {
    await page.keyboard.press('1');
    await page.keyboard.press('5');
    await expect(page.getByRole('tab', { name: 'Charts' })).toHaveAttribute('aria-selected', 'true');
    const panel = page.locator('.panel-region');
    const wide = (await panel.boundingBox()).width;
    await page.getByRole('button', { name: 'Narrow' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Wide' })).toBeVisible();
    expect((await panel.boundingBox()).width).toBeLessThan(wide / 1.5);
    // The drawing follows the room it has.
    await expect.poll(async () => {
      const svg = await page.locator('.view-card.lag .plot-box svg.plot').boundingBox();
      return svg.x + svg.width <= 1440 && svg.width > 250;
    }).toBe(true);
  });
});

test('while a run plays the views are drawn a few times a second, and only the open one', async ({ page }) => {
  await open(page);
  await view(page, 'charts');
  await expect(page.locator('svg.plot').first()).toBeVisible();
  const drawn = await page.evaluate(async () => {
    let count = 0;
    const card = document.querySelector('.view-card.lag .plot-box');
    const watcher = new MutationObserver(() => { count += 1; });
    watcher.observe(card, { childList: true, subtree: true });
    await new Promise((done) => setTimeout(done, 2_000));
    watcher.disconnect();
    return { count, order: document.querySelectorAll('.order-svg').length };
  });
  expect(drawn.count).toBeGreaterThan(0);
  expect(drawn.count).toBeLessThanOrEqual(7);
  expect(drawn.order).toBe(0);
});

test.describe('order strips', () => {
  test('are parallel where the order is kept, and nothing is red', async ({ page }) => {
    await at(page, '05-1-poison-message', 8_000);
    await view(page, 'order');
    const card = page.locator('.order-card').first();
    await expect(card).toContainText('Order kept');
    await expect(page.locator('.order-link')).not.toHaveCount(0);
    await expect(page.locator('.order-link.is-broken, .order-octagon, .late-ring')).toHaveCount(0);
  });

  test('cross where a message was overtaken, say so, and lead to the reason', async ({ page }) => {
    await at(page, '02-6-broker-lost', 25_000);
    await view(page, 'order');
    const card = page.locator('.order-card.is-broken').first();
    await expect(card).toContainText('Order broken');
    await expect(card.locator('.order-octagon').first()).toBeVisible();
    await expect(card.locator('.order-link.is-broken').first()).toBeVisible();
    await expect(card.locator('.order-rows li').first()).toContainText(/overtook|began before/);
    await card.getByRole('button', { name: 'Why' }).first().click();
    await expect(page.getByRole('tab', { name: 'Why' })).toHaveAttribute('aria-selected', 'true');
  });

  test('select a message and go to its instant, by mouse and by keyboard', async ({ page }) => {
    await at(page, '05-1-poison-message', 8_000);
    await view(page, 'order');
    await page.locator('.order-card').first().locator('.order-cell').nth(1).click();
    await until(page, (now) => now.time < 8_000);
    await expect(page.locator('.order-marked').first()).toBeVisible();
    await page.locator('.order-card').first().getByRole('button', { name: /as a table/ }).focus();
    await page.keyboard.press('Enter');
    const table = page.locator('.order-card').first().getByRole('table');
    await expect(table.getByRole('columnheader')).toHaveCount(6);
    const before = await state(page);
    await table.getByRole('button').first().focus();
    await page.keyboard.press('Enter');
    await until(page, (now) => now.time <= before.time && !now.playing);
  });
});

test.describe('routing microscope', () => {
  test.beforeEach(async ({ page }) => {
    await at(page, '05-1-poison-message', 8_000);
    await view(page, 'routing');
  });

  const every = (page) => page.locator('.view-card.every');
  const row = (page, name) => every(page).getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });

  test('begins with the groups of the run', async ({ page }) => {
    await expect(page.getByTestId('groups')).toHaveValue(/order-\d+/);
    await expect(page.getByLabel('Number of queues before', { exact: true }).last()).toHaveValue('4');
  });

  test('shows what every function answers, and where the SDKs disagree', async ({ page }) => {
    await page.getByTestId('groups').fill('order-1001');
    const of4 = { 'Java and Go SDK': 'q2', 'Node.js SDK': 'q0', 'Rust SDK': 'q1', 'Proxy, consistent hash': 'q2', SelectMessageQueueByHash: 'q3' };
    for (const [name, queue] of Object.entries(of4)) {
      await expect(row(page, name).getByRole('cell').nth(1)).toHaveText(queue);
    }
    await expect(row(page, 'Java and Go SDK')).toContainText('ec631deb07700ee6');
    await expect(row(page, 'C++ SDK')).toContainText('depends on the platform');
    await expect(every(page)).toContainText('The SDKs disagree: q0, q1, q2');
  });

  test('shows the trap of Math.abs where it bites', async ({ page }) => {
    await page.getByTestId('groups').fill('polygenelubricants');
    await page.getByTestId('function').selectOption({ label: 'Math.abs(hash) % n' });
    const after = page.locator('.stepper input').last();
    await after.fill('3');
    await after.press('Enter');
    await expect(page.locator('.view-card.list tbody tr').first()).toContainText('−2 (throws)');
    await expect(page.locator('.trap-table .is-negative')).toHaveCount(11);
  });

  test('counts ten thousand groups, and says what is wrong with a list and where', async ({ page }) => {
    await page.getByTestId('groups').fill('order-0..9999');
    await expect(page.locator('.view-card.load')).toContainText('50.1 %');
    await expect(page.locator('.view-card.load')).toContainText('49.9 %');
    await expect(page.locator('.view-card.list')).toContainText('9\u2009976 more');
    await page.getByTestId('groups').fill('a\nb9..3');
    await expect(page.locator('.routing-problem')).toContainText('Line 2: b9..3');
  });

  test('by keyboard: more queues, another group, and the scenario that shows it', async ({ page }) => {
    await page.getByTestId('groups').fill('order-1001\norder-1002');
    const more = page.getByRole('button', { name: 'One queue more' }).first();
    await more.focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('.view-card.links h3')).toHaveText('From 5 to 8 queues');
    const second = page.locator('.view-card.list tbody button').nth(1);
    await second.focus();
    await page.keyboard.press('Enter');
    await expect(every(page).locator('h3')).toContainText('order-1002');
    const before = await state(page);
    await page.getByRole('button', { name: 'Grow with messages waiting' }).click();
    await until(page, (now) => now.run > before.run && now.event > 0);
  });
});

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark']) {
    for (const locale of ['en-US', 'zh-CN']) {
      test.describe(`${size} ${colorScheme} ${locale}`, () => {
        test.use({ viewport, colorScheme, locale, reducedMotion: 'reduce' });

        test('axe finds nothing, nothing is cut off, no text is below 11 px', async ({ page }) => {
          await at(page, '02-6-broker-lost', 25_000);
          for (const name of VIEWS) {
            await view(page, name);
            const { violations } = await new AxeBuilder({ page }).include('.panel-region').analyze();
            expect(violations.map((v) => `${name}: ${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`)).toEqual([]);
            const found = await page.evaluate(() => {
              const small = [];
              const beyond = [];
              const panel = document.querySelector('.panel-region').getBoundingClientRect();
              const walker = document.createTreeWalker(document.querySelector('.panel-region'), NodeFilter.SHOW_TEXT);
              while (walker.nextNode()) {
                const element = walker.currentNode.parentElement;
                const rect = element.getBoundingClientRect();
                if (!walker.currentNode.data.trim() || rect.width < 2 || element.closest('option')) continue;
                if (parseFloat(getComputedStyle(element).fontSize) < 11) small.push(walker.currentNode.data);
                const scrolls = element.closest('.tabs, .table-box, .order-box');
                if (!scrolls && (rect.left < panel.left - 1 || rect.right > panel.right + 1)) beyond.push(walker.currentNode.data);
              }
              return { small, beyond, wide: document.documentElement.scrollWidth - innerWidth };
            });
            expect(found, name).toEqual({ small: [], beyond: [], wide: 0 });
          }
        });
      });
    }
  }
}
