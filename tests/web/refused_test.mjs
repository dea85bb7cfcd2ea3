// SPDX-License-Identifier: Apache-2.0
// What is refused: the picture of before is marked and not handed out, errors of the library are English in either
// language, and what could not be fetched is asked for again.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import test from 'node:test';

import { new_page, open, panel, settled } from './browser.mjs';

test('after a refusal nothing of before is saved, until something is drawn', async (context) => {
  const page = await new_page(context, await open(context));
  const section = await panel(page, 'signal');
  const save = section.getByRole('button', { name: 'Save as table.npy', exact: true });
  const opacity = () => section.locator('figure').first().evaluate((each) => getComputedStyle(each).opacity);
  for (const [width, refused] of [
    ['63', true], // by the library
    ['64', false],
  ]) {
    await section.getByLabel('Model width d', { exact: true }).fill(width);
    await settled(page);
    assert.equal(await save.isDisabled(), refused, width);
    assert.equal((await opacity()) !== '1', refused, width);
  }
});

test('an error of the library is marked as English', async (context) => {
  const page = await new_page(context, await open(context), '#lang=zh&d=63');
  const section = await panel(page, 'signal');
  assert.match(await section.locator('.said [lang=en]').textContent(), /width must be even/);
  assert.match(await section.locator('.said').textContent(), /^无法显示：/);
});

test('a text that no address has is said to be so', async (context) => {
  const page = await new_page(context, await open(context));
  const section = await panel(page, 'text');
  await section.getByLabel('First text', { exact: true }).fill(`${' '.repeat(5000)}x`);
  await settled(page);
  assert.match(await section.locator('.said').textContent(), /more than 2,000 characters is not in the address/);
});

test('what could not be fetched is asked for again', async (context) => {
  const opened = await open(context);
  const page = await opened.browser.newPage({ locale: 'en-US' });
  await page.route('**/core.wasm.gz', (route) => route.fulfill({ status: 503 }));
  await page.goto(opened.url);
  const section = await panel(page, 'text');
  assert.match(await section.locator('.said').textContent(), /cannot be shown: .*503/);
  await page.unroute('**/core.wasm.gz');
  await section.getByLabel('First text', { exact: true }).fill('你爱');
  await settled(page);
  assert.equal(await section.locator('.said').textContent(), '');
  await panel(page, 'signal');
  await page.locator('#signal').getByLabel('Positions shown').selectOption('64');
  await settled(page);
  assert.equal(await page.locator('#signal .said').textContent(), '');
});

test('the server refuses a path that is none, and goes on', async (context) => {
  const { url } = await open(context);
  const status = (path) => new Promise((found) => get(`${url}${path}`, (response) => found(response.resume().statusCode)));
  assert.equal(await status('%'), 400);
  assert.equal(await status('index.html'), 200);
});
