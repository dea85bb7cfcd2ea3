// SPDX-License-Identifier: Apache-2.0
// Distance, precision and images: numbers of the native library, and every control.
import assert from 'node:assert/strict';
import test from 'node:test';

import {
  assert_native,
  command_of,
  new_page,
  of_npy,
  open,
  panel,
  saved,
  settled,
  sha256,
  table_of,
} from './browser.mjs';

test('precision: the recipe gives the native row, and 16 bits lose positions where they must', async (context) => {
  const opened = await open(context);
  for (const hash of [
    '',
    '#at=1000000000&recipe=f32-divide',
    '#at=9007199254740993&recipe=f64',
    '#at=257&preset=whisper',
  ]) {
    const page = await new_page(context, opened, hash);
    const section = await panel(page, 'precision');
    const { hash: made, shape } = of_npy(await saved(page, section, 'Save as row.npy'));
    assert.equal(shape, '1, 512');
    assert_native(made, await command_of(section));
    await page.close();
  }
  const page = await new_page(context, opened, '#at=15963&i=0');
  const section = await panel(page, 'precision');
  const told = await section.locator('.readout dd').allTextContents();
  assert.match(told[2], /^15,936: |^15,968: /);
  assert.match(told[3], /^15,96[04]: |^15,968: /);
  const rows = await table_of(section.locator('figure').nth(1));
  const floor = (column, below) =>
    rows.filter(([position]) => Number(position.replaceAll(',', '')) < below).every((row) => row[column] === '0');
  assert.ok(floor(2, 257) && !floor(2, 1000));
  assert.ok(floor(3, 2049) && !floor(3, 8000));
});

test('precision opens where the usual recipe is wrong, wherever the cursor stands', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#p=3');
  const section = await panel(page, 'precision');
  const said = await section.locator('figure .summary').first().textContent();
  const [, position, apart] = /at position ([\d,]+): the recipe is off by up to ([\d.]+)/.exec(said);
  assert.equal(position, '131,071');
  assert.ok(Number(apart) > 1e-3, said);
});

test('precision: controls', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'precision');
  await section.getByLabel('Recipe of roundings').selectOption('f32-divide');
  await section.getByRole('slider').press('End');
  await settled(page);
  assert.match(
    await section.locator('figure .summary').first().textContent(),
    /^transformer, model width 512, at position 1,000,000,000: the recipe is off by up to [12]/,
  );
  await page.waitForFunction(() => location.hash === '#at=1000000000&recipe=f32-divide');
  assert.match(await section.locator('.readout dd').last().textContent(), /no number beyond 65,504/);
});

test('precision: the convention is named, and said where it is not the one of the signal', async (context) => {
  const opened = await open(context);
  for (const [asked, shown, said] of [
    ['whisper', 'whisper', /^$/],
    ['rope-half', 'transformer', /^Shown is transformer: .* rope-half is none/],
  ]) {
    const page = await new_page(context, opened, `#preset=${asked}`);
    const section = await panel(page, 'precision');
    assert.match(await section.locator('.said').textContent(), said);
    const summaries = await section.locator('figure > .summary').allTextContents();
    assert.equal(summaries.length, 2);
    for (const summary of summaries) assert.ok(summary.startsWith(`${shown}, model width 512`), summary);
    await page.close();
  }
});

test('distance: rows, turned vectors, biases and classes', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#p=0&k=3&reach=64');
  const section = await panel(page, 'distance');
  const [products, biases, classes] = await Promise.all(
    [0, 1, 2].map((i) => table_of(section.locator('figure').nth(i))),
  );
  assert.equal(products.length, 65);
  // PE(0).PE(3) over 64, the mean of cos(3 w) over all 64 pairs.
  const mean =
    Array.from({ length: 64 }, (_, k) => Math.cos(3 * 10000 ** (-k / 64))).reduce((sum, each) => sum + each) / 64;
  for (const column of [1, 3])
    assert.ok(Math.abs(Number(products[3][column].replace('−', '-')) - mean) < 1e-5, products[3][column]);
  assert.deepEqual(
    biases[3].slice(1).map((text) => Number(text.replace('−', '-'))),
    [1, 2, 3, 4, 5, 6, 7, 8].map((head) => -3 / 2 ** head),
  );
  const numbers = BigInt64Array.from(classes.map(([, decoder]) => BigInt(decoder)).reverse());
  assert_native(
    sha256(new Uint8Array(numbers.buffer)),
    'posenc bias --preset t5-bucket-decoder --queries 64:65 --keys 0:65 --out classes.npy',
  );
});

test('distance: controls, and random vectors that do not fall', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#p=0');
  const section = await panel(page, 'distance');
  await section.getByText('random vectors', { exact: true }).click();
  await section.getByLabel('Farthest distance').fill('100');
  await settled(page);
  const products = await table_of(section.locator('figure').first());
  assert.equal(products.length, 101);
  assert.ok(products.every((row) => Math.abs(Number(row[3].replace('−', '-'))) < 0.1));
  assert.match(page.url(), /vectors=random/);
  await section.getByLabel('Shift k').fill('5');
  await settled(page);
  assert.match(await section.textContent(), /T\(5\) is \[/);
  await section.getByLabel('Farthest distance').fill('5000');
  assert.match(await section.locator('.wrong').first().textContent(), /from 8 to 4,096/);
});

test('images: the native grid, its controls, and a patch that is clicked', async (context) => {
  const opened = await open(context);
  for (const hash of ['', '#grid=detr-sine&height=5&wide=7&dim=32', '#grid=diffusers-2d&height=3&wide=9&dim=16']) {
    const page = await new_page(context, opened, hash);
    const section = await panel(page, 'images');
    assert_native(of_npy(await saved(page, section, 'Save as grid.npy')).hash, await command_of(section));
    await page.close();
  }
  const page = await new_page(context, opened);
  const section = await panel(page, 'images');
  assert.match(await section.textContent(), /Going down moves columns 32–63; going right moves columns 0–31/);
  await section.locator('.heat').first().press('ArrowDown');
  await settled(page);
  assert.match(page.url(), /row=5/);
  for (const [label, value, part] of [
    ['Rows of patches', '6', 'height=6'],
    ['Columns of patches', '8', 'wide=8'],
    ['Model width d', '32', 'dim=32'],
  ]) {
    await section.getByLabel(label, { exact: true }).fill(value);
    await page.waitForFunction((text) => location.hash.includes(text), part);
  }
  await section.getByLabel('Convention', { exact: true }).selectOption('timm-2d');
  await settled(page);
  assert.equal((await table_of(section.locator('figure').first())).length, 6);
  await section.getByLabel('Rows of patches').fill('99');
  await section
    .locator('.wrong')
    .filter({ hasText: /whole number from 2 to 32/ })
    .waitFor();
});
