// SPDX-License-Identifier: Apache-2.0
// Steps back: one for each change that settled, and controls show what was; the focus stays where the reader left it.
import assert from 'node:assert/strict';
import test from 'node:test';

import { new_page, open, panel, settled } from './browser.mjs';

const steps = (page) => page.evaluate(() => history.length);

test('a text that is typed is one step back', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'text');
  const before = await steps(page);
  const first = section.getByLabel('First text', { exact: true });
  await first.fill('');
  await first.pressSequentially('see the dog', { delay: 40 });
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes('see+the+dog'));
  assert.equal(await steps(page), before + 1);
  await page.goBack();
  await settled(page);
  assert.equal(await first.inputValue(), '我爱你');
  assert.equal(await section.locator('.tokens').first().locator('li').count(), 3);
  await page.goForward();
  await settled(page);
  assert.equal(await first.inputValue(), 'see the dog');
});

test('what was refused is gone after a step back', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'signal');
  await section.getByLabel('Positions shown').selectOption('256');
  const trained = section.getByLabel('Trained length');
  await trained.fill('none');
  assert.equal(await trained.getAttribute('aria-invalid'), 'true');
  await page.goBack();
  await settled(page);
  assert.equal(await trained.inputValue(), '4096');
  assert.equal(await trained.getAttribute('aria-invalid'), 'false');
});

test('changes apart are steps apart', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'signal');
  const before = await steps(page);
  await section.getByLabel('Trained length').fill('2048');
  await section.getByLabel('Trained length').fill('1024');
  await page.waitForTimeout(1100); // what is together ends after a second
  await section.getByLabel('Trained length').fill('512');
  assert.equal(await steps(page), before + 2);
  await page.goBack();
  await settled(page);
  assert.equal(await section.getByLabel('Trained length').inputValue(), '1024');
});

test('the switch of languages keeps the focus', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const focused = () =>
    page.evaluate(() => [document.activeElement.closest('fieldset')?.className, document.activeElement.value]);
  await page.locator('.tools input[value=en]').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-Hans');
  assert.deepEqual(await focused(), ['segments', 'zh']);
  await page.keyboard.press('ArrowLeft');
  assert.deepEqual(await focused(), ['segments', 'en']);
});

const distance_from_top = (page, id) => page.locator(`section#${id}`).evaluate((each) => each.getBoundingClientRect().top);

test('an address names its panel, and shows it with its state', async (context) => {
  const opened = await open(context);
  for (const hash of ['#distance', '#distance&p=40&k=9']) {
    const page = await new_page(context, opened, hash, { reducedMotion: 'reduce' });
    const section = await panel(page, 'distance');
    await page.waitForFunction(() => Math.abs(document.querySelector('#distance').getBoundingClientRect().top - 120) < 40);
    if (hash.includes('k=9')) assert.match(await section.textContent(), /T\(9\)/);
    await page.close();
  }
});

test('a panel’s name writes the address of that panel, and changes keep it', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#k=9', { reducedMotion: 'reduce' });
  await page.locator('nav').getByRole('link', { name: 'Precision' }).click();
  await page.waitForFunction(() => location.hash === '#precision&k=9');
  const section = await panel(page, 'precision');
  assert.ok(Math.abs((await distance_from_top(page, 'precision')) - 120) < 40);
  await section.getByLabel('Recipe of roundings').selectOption('f32-divide');
  await page.waitForFunction(() => location.hash === '#precision&recipe=f32-divide&k=9');
  await page.goBack();
  await page.goBack();
  await page.waitForFunction(() => location.hash === '#k=9');
});
