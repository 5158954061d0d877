// What people do to the run by hand: menus on things, the form for a message, faults, and the way back. By
// mouse and by keyboard, in both languages, on a wide screen and on a phone.
import AxeBuilder from '@axe-core/playwright';
import { expect, openText, state, test, until } from './page.mjs';

test.use({ reducedMotion: 'reduce' });

const POISON = '05-1-poison-message';

/** The poison message, where the clock stands between two events and no question is open. */
async function poison(page, ms = 6_050) {
  await page.goto(`./#s=${POISON}&t=${ms}`);
  await until(page, (now) => now.scenario === POISON && now.time === ms && !now.playing && Boolean(now.hash));
}

const dialog = (page) => page.getByTestId('hands');
const item = (page, name) => dialog(page).getByRole('menuitem', { name, exact: true });
const done = (page) => page.getByTestId('done');

/** The text in the editor. */
async function text(page) {
  const tab = page.locator('#tab-scenario');
  // Beside two runs the panel is a drawer, which the key opens too.
  if (await tab.isVisible()) await tab.click();
  else await page.keyboard.press('6');
  return page.getByTestId('editor').inputValue();
}

/** Right click on a thing that the stage draws. */
const menuOf = async (page, selector) => {
  await page.locator(selector).first().click({ button: 'right', force: true });
  await expect(dialog(page)).toBeVisible();
};

test('a right click on a consumer kills it; the text has it, and it is taken back', async ({ page }) => {
  await poison(page);
  const before = await state(page);
  await menuOf(page, '.stage-svg .consumer[data-subject], .stage-svg [data-subject^="c"]');
  await expect(dialog(page)).toHaveAccessibleName('What to do with c1');
  // What makes no sense now is not there.
  await expect(item(page, 'Start c1 again')).toHaveCount(0);
  await item(page, 'Kill c1 (kill -9)').click();
  await expect(dialog(page)).toBeHidden();
  await until(page, (now) => now.event > before.event && now.hash !== before.hash);
  await expect(done(page)).toContainText('c1 crashes.');
  expect(await text(page)).toContain('at 6.05s c1 crashes\n');
  // It is another run than the lesson's now, and says so.
  await expect(page.locator('.scenario-title')).toContainText('changed');
  await page.locator('#tab-lesson').click();
  await expect(page.getByTestId('changed')).toContainText('From 00:06.050 on the run is yours');
  // Its card is gone; among the faults it can be started, and nothing else can be done to it.
  await page.keyboard.press('f');
  await dialog(page).getByRole('combobox').selectOption('c1');
  await expect(item(page, 'Start c1 again')).toBeVisible();
  await expect(item(page, 'Kill c1 (kill -9)')).toHaveCount(0);
  await item(page, 'Take back: c1 crashes').click();
  await until(page, (now) => now.event === before.event && now.hash === before.hash && now.time === before.time);
  await expect(done(page)).toContainText('Taken back');
  expect(await text(page)).not.toContain('at 6.05s');
});

test('the run by hand is the run of its text', async ({ page }) => {
  await poison(page);
  await page.keyboard.press('f');
  await dialog(page).getByRole('combobox').selectOption('c2');
  await item(page, 'Let the machine of c2 vanish').click();
  await page.keyboard.press('End');
  await until(page, (now) => now.time >= 16_000 && !now.playing && Boolean(now.hash));
  const byHand = await state(page);
  const written = await text(page);
  expect(written).toContain('c2 vanishes');
  await page.getByTestId('run').click();
  await until(page, (now) => now.scenario === '');
  await page.keyboard.press('Escape');
  await page.locator('#stage').focus();
  await page.keyboard.press('End');
  await until(page, (now) => !now.playing && now.time >= byHand.time && now.event === byHand.event);
});

test('a message is sent by keyboard alone, S and Enter, and taken back by Ctrl Z', async ({ page }) => {
  await poison(page);
  const before = await state(page);
  await page.keyboard.press('s');
  await expect(dialog(page)).toHaveAccessibleName('Send a message');
  const group = dialog(page).getByLabel('Message group');
  await expect(group).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeHidden();
  await expect(done(page)).toContainText(/p\d gets \w+ to send/);
  // Nothing had the focus, and now nothing is framed: the stage has it.
  await expect(page.locator('#stage')).toBeFocused();
  expect(await text(page)).toMatch(/at 6\.05s p\d sends [A-Z]\d+\n/);
  await page.locator('#stage').focus();
  await page.keyboard.press('Control+z');
  await until(page, (now) => now.event === before.event && now.hash === before.hash);
  expect(await text(page)).not.toContain('at 6.05s');
  // There is nothing more to take back.
  await page.locator('#stage').focus();
  await page.keyboard.press('Control+z');
  await until(page, (now) => now.event === before.event && now.hash === before.hash);
});

test('what is wrong in the form is told at its field, with what to write', async ({ page }) => {
  await poison(page);
  await page.keyboard.press('s');
  const group = dialog(page).getByLabel('Message group');
  await group.fill('A1');
  await expect(group).toHaveAttribute('aria-invalid', 'true');
  await expect(group).toHaveAccessibleDescription(/A letter such as A, or the name of a message group/);
  const before = await state(page);
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
  await expect(group).toBeFocused();
  expect((await state(page)).event).toBe(before.event);
  await group.fill('A');
  const many = dialog(page).getByLabel('How many');
  await many.fill('1000');
  await expect(many).toHaveAccessibleDescription('A number from 1 to 100');
  await many.fill('3');
  await dialog(page).getByLabel('Tag').fill('paid');
  await expect(dialog(page)).toContainText(/sends A\d+\.\.A\d+, tag paid/);
  await page.getByTestId('send-now').click();
  expect(await text(page)).toMatch(/sends A\d+\.\.A\d+, tag paid\n/);
});

test('what was sent moves when the run is played on, which is one click away', async ({ page }) => {
  await openText(page, 'topic t FIFO 1 queue\ngroup g reads t orderly\nproducer p1\nconsumer c1 in g\nat 1s p1 sends A1\nrun until 30s\n', 2_000);
  await page.keyboard.press('s');
  await page.getByTestId('send-now').click();
  const before = await state(page);
  await done(page).getByTestId('play-on').click();
  await until(page, (now) => now.playing && now.time > before.time);
  await expect(page.getByTestId('play-on')).toHaveCount(0);
});

test('a delay can be given where the topic lets messages wait, and nowhere else', async ({ page }) => {
  const scenario = (kind) => `topic t ${kind} 1 queue\ngroup g reads t concurrent\nproducer p1\nconsumer c1 in g\nat 1s p1 sends A1\nrun until 30s\n`;
  await openText(page, scenario('FIFO'), 2_000);
  await page.keyboard.press('s');
  await expect(dialog(page).getByLabel('Delay')).toHaveCount(0);
  await openText(page, scenario('DELAY'), 2_500);
  await page.keyboard.press('s');
  const delay = dialog(page).getByLabel('Delay');
  await delay.fill('soon');
  await expect(delay).toHaveAccessibleDescription('A level such as 3, or a time such as 5s');
  await delay.fill('5s');
  await page.keyboard.press('Enter');
  expect(await text(page)).toMatch(/p1 sends A2, delay 5s\n/);
  await openText(page, scenario('TRANSACTION'), 2_700);
  await page.keyboard.press('s');
  await dialog(page).getByRole('combobox', { name: 'Transaction' }).selectOption('rolls back');
  await page.getByTestId('send-now').click();
  expect(await text(page)).toContain('in a transaction that rolls back');
});

test('the menu key opens the menu of the selected thing, arrows walk in it, Escape gives the focus back', async ({ page }) => {
  await poison(page);
  await page.locator('.stage-scroll').focus();
  await page.keyboard.press('ArrowDown');
  for (const key of ['Shift+F10', 'ContextMenu']) {
    await page.keyboard.press(key);
    await expect(dialog(page)).toHaveAccessibleName('What to do with q0');
    const items = dialog(page).getByRole('menuitem');
    await expect(items.first()).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(items.nth(1)).toBeFocused();
    await page.keyboard.press('End');
    await expect(items.last()).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(items.first()).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toBeHidden();
    await expect(page.locator('.stage-scroll')).toBeFocused();
  }
  expect((await state(page)).time).toBe(6_050);
});

test('the list of the stage has the same menus', async ({ page }) => {
  await poison(page);
  const line = page.locator('.twin button').filter({ hasText: /^q1:/ });
  await line.focus();
  await page.keyboard.press('Shift+F10');
  await expect(dialog(page)).toHaveAccessibleName('What to do with q1');
  await item(page, 'Give orders 8 queues').press('Enter');
  await expect(done(page)).toContainText('orders');
  expect(await text(page)).toContain('at 6.05s orders 8 queues\n');
});

test('tokens, producers, locks and the broker have menus of their own', async ({ page }) => {
  await poison(page);
  for (const [selector, name] of [
    ['.stage-svg [data-subject^="m"]', /What to do with [A-D]\d/],
    ['.stage-svg [data-subject^="p"]', 'What to do with p1'],
    ['.stage-svg [data-subject^="k"] .lock', /What to do with q\d/],
    ['.stage-svg [data-machine="b0"]', 'What to do with broker'],
    ['.stage-svg [data-subject^="g"]', /What to do with [A-D]/],
  ]) {
    await menuOf(page, selector);
    await expect(dialog(page)).toHaveAccessibleName(name);
    await expect(dialog(page).getByRole('menuitem').first()).toBeVisible();
    await page.mouse.click(2, 2);
    await expect(dialog(page)).toBeHidden();
  }
  await menuOf(page, '.stage-svg [data-machine="b0"]');
  await item(page, 'Kill broker (kill -9)').click();
  await expect(done(page)).toContainText('broker crashes.');
});

test('calls and names on the timeline have the menus of their things, and a double click shows their time', async ({ page }) => {
  await poison(page);
  const bar = page.locator('.tl-row [data-msg]').first();
  const msg = await bar.getAttribute('data-msg');
  const span = page.locator('.tl-zoom span');
  await bar.click({ button: 'right' });
  await expect(dialog(page)).toHaveAccessibleName(/What to do with [A-D]\d/);
  await page.keyboard.press('Escape');
  // Asking has selected it, and moved the clock by nothing.
  await expect(page.locator(`.stage-svg [data-subject="m${msg}"].is-selected`).first()).toBeVisible();
  expect((await state(page)).time).toBe(6_050);
  await page.locator('.tl-name').nth(1).click({ button: 'right' });
  await expect(dialog(page)).toHaveAccessibleName('What to do with q1');
  await page.keyboard.press('Escape');
  const wide = await span.textContent();
  await bar.dblclick();
  await expect(span).not.toHaveText(wide);
  expect((await state(page)).time).toBe(6_050);
});

test('of two runs the second is taken back by key and has its timeline menus', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`./#s=${POISON}&t=6050&c=concurrent`);
  const second = page.locator('.pair-run[data-run="2"]');
  await expect(second).toBeVisible();
  await until(page, (now) => now.time === 6_050 && Boolean(now.hash));
  await page.locator('.tl-row[data-run="2"] [data-msg]').first().click({ button: 'right' });
  await expect(dialog(page)).toHaveAccessibleName(/What to do with [A-D]\d/);
  await dialog(page).getByRole('menuitem').first().click();
  await expect(page.getByTestId('take-back')).toBeVisible();
  const changed = await text(page);
  expect(changed).toContain('at 6.05s ');
  await page.locator('#stage').focus();
  await page.keyboard.press('Control+z');
  await expect(done(page)).toContainText('Taken back');
  expect(await text(page)).not.toContain('at 6.05s ');
});

test('of two runs each has its own menus, and the text of each has what was done in it', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`./#s=${POISON}&t=6050&c=concurrent`);
  const second = page.locator('.pair-run[data-run="2"]');
  await expect(second).toBeVisible();
  await until(page, (now) => now.time === 6_050 && Boolean(now.hash));
  await second.locator('.stage-svg [data-subject^="m"]').first().click({ button: 'right', force: true });
  await expect(dialog(page)).toHaveAccessibleName(/What to do with [A-D]\d/);
  await page.keyboard.press('Escape');
  // A key asks about the run that the panel tells of.
  await page.keyboard.press('f');
  await dialog(page).getByRole('combobox').selectOption('c2');
  await item(page, 'Kill c2 (kill -9)').click();
  await expect(done(page)).toContainText('c2 crashes.');
  expect(await text(page)).toContain('c2 crashes\n');
  await page.getByTestId('take-back').click();
  await expect(page.getByTestId('editor')).not.toHaveValue(/c2 crashes/);
});

test('brokers and proxies that the stage draws have menus', async ({ page }) => {
  await page.goto('./#s=06-2-invisible-time&t=8000');
  await until(page, (now) => now.time === 8_000 && !now.playing && Boolean(now.hash));
  await menuOf(page, '.stage-svg [data-machine="p0"] .proxy-frame');
  await expect(dialog(page)).toHaveAccessibleName('What to do with proxy');
  await item(page, 'Stop proxy cleanly').click();
  expect(await text(page)).toContain('at 8s proxy stops\n');
  await page.goto('./#s=09-7-half-the-cluster&t=12000');
  await until(page, (now) => now.time === 12_000 && !now.playing && Boolean(now.hash));
  await menuOf(page, '.broker-name[data-machine="b1"]');
  await expect(dialog(page)).toHaveAccessibleName('What to do with a');
});

test('a run that is over goes on for what is done at its end', async ({ page }) => {
  await poison(page, 16_000);
  await page.keyboard.press('s');
  await page.keyboard.press('Enter');
  await expect(done(page)).toContainText('to send');
  const end = await state(page);
  expect(end.time).toBeGreaterThanOrEqual(16_000);
  await page.keyboard.press(' ');
  // It may be over again by the time that somebody looks.
  await until(page, (now) => now.time > end.time + 200);
});

test('the run stands while people choose, and goes on then', async ({ page }) => {
  // A text without beats, at which a lesson would stop by itself.
  await openText(page, 'topic t FIFO 1 queue\ngroup g reads t orderly\nproducer p1\nconsumer c1 in g\nat 1s p1 sends A1\nrun until 60s\n', 2_000);
  await page.keyboard.press(' ');
  await until(page, (now) => now.playing);
  await page.keyboard.press('f');
  await until(page, (now) => !now.playing);
  const stood = await state(page);
  await page.waitForTimeout(300);
  expect((await state(page)).time).toBe(stood.time);
  await page.keyboard.press('Escape');
  await until(page, (now) => now.playing && now.time > stood.time);
});

test('buttons of the transport: send, fault; keys: legend, branch, zoom; none of them while typing', async ({ page }) => {
  // Where it is lower the legend gives way by itself.
  await page.setViewportSize({ width: 1440, height: 900 });
  await poison(page);
  await page.locator('.transport .hands-send').click();
  await expect(dialog(page)).toHaveAccessibleName('Send a message');
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await page.locator('.transport .hands-fault').click();
  await expect(dialog(page)).toHaveAccessibleName('Cause a fault');
  await page.keyboard.press('Escape');

  await expect(page.locator('.legend')).toBeVisible();
  await page.keyboard.press('l');
  await expect(page.locator('.legend')).toBeHidden();
  await page.reload();
  await until(page, (now) => now.time === 6_050);
  await expect(page.locator('.legend')).toBeHidden();
  await page.keyboard.press('l');
  await expect(page.locator('.legend')).toBeVisible();

  await page.locator('.stage-svg [data-subject^="m"]').filter({ hasText: /^B2$/ }).first().click();
  const span = page.locator('.tl-zoom > span');
  const whole = await span.textContent();
  await page.keyboard.press('z');
  await expect(span).not.toHaveText(whole);
  await page.keyboard.press('b');
  await expect(page.getByTestId('moves')).toBeVisible();

  await page.locator('#tab-scenario').click();
  await page.getByTestId('editor').focus();
  await page.keyboard.type('sflbz');
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByTestId('editor')).toHaveValue(/sflbz/);
});

test('a double click shows the time of a thing', async ({ page }) => {
  await poison(page);
  const span = page.locator('.tl-zoom > span');
  const whole = await span.textContent();
  await page.locator('.stage-svg [data-subject^="m"]').filter({ hasText: /^B2$/ }).first().dblclick();
  await expect(span).not.toHaveText(whole);
});

test('a link has what was done by hand', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await poison(page);
  await menuOf(page, '.stage-svg [data-subject^="c"]');
  await item(page, 'Kill c1 (kill -9)').click();
  await page.locator('.share-button').click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(decodeURIComponent(link)).toContain('at 6.05s c1 crashes');
});

for (const [size, viewport] of Object.entries({ wide: { width: 1440, height: 900 }, phone: { width: 360, height: 740 } })) {
  for (const colorScheme of ['light', 'dark']) {
    for (const locale of ['en-US', 'zh-CN']) {
      test.describe(`${size} ${colorScheme} ${locale}`, () => {
        test.use({ viewport, colorScheme, locale });

        test('axe finds nothing serious in the menus and the form, and nothing leaves the window', async ({ page }) => {
          await poison(page);
          const check = async (what) => {
            await expect(dialog(page)).toBeVisible();
            const { violations } = await new AxeBuilder({ page }).include('dialog.hands').analyze();
            const serious = violations.filter((v) => ['serious', 'critical'].includes(v.impact));
            expect(serious.map((v) => `${what}: ${v.id}: ${v.nodes.map((n) => n.html).join(' ')}`)).toEqual([]);
            const box = await dialog(page).boundingBox();
            expect(box.x, what).toBeGreaterThanOrEqual(0);
            expect(box.y, what).toBeGreaterThanOrEqual(0);
            expect(box.x + box.width, what).toBeLessThanOrEqual(viewport.width);
            expect(box.y + box.height, what).toBeLessThanOrEqual(viewport.height);
            await page.keyboard.press('Escape');
            await expect(dialog(page)).toBeHidden();
          };
          if (size === 'phone') {
            await page.locator('.act-button').click();
            await check('both');
          } else {
            await menuOf(page, '.stage-svg [data-subject^="c"]');
            await check('menu');
          }
          await page.keyboard.press('s');
          await check('form');
          await page.keyboard.press('f');
          await check('faults');
          await menuOf(page, '.stage-svg [data-subject^="m"]');
          await dialog(page).getByRole('menuitem').nth(2).click();
          await expect(done(page)).not.toBeEmpty();
          const { violations } = await new AxeBuilder({ page }).include('.done-region').analyze();
          expect(violations.filter((v) => ['serious', 'critical'].includes(v.impact))).toEqual([]);
        });
      });
    }
  }
}
