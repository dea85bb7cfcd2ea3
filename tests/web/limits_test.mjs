// SPDX-License-Identifier: Apache-2.0
// What panels say where there is nothing to compare, or no position left; and what several pictures have in common.
import assert from 'node:assert/strict';
import test from 'node:test';

import { assert_native, command_of, new_page, of_npy, open, panel, saved, settled, table_of } from './browser.mjs';

const last = '9223372036854775807';

test('two texts: orders of the same tokens, the same text, or neither', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'text');
  const second = section.getByLabel('Second text', { exact: true });
  const means = section.locator('.means');
  const compared = section.locator('.body > p.summary').last();
  assert.match(await means.textContent(), /the two sentences are one bag of words/);
  await second.fill('我爱你');
  await settled(page);
  assert.match(await means.textContent(), /the same tokens in the same order/);
  await second.fill('我恨你');
  await settled(page);
  assert.match(await means.textContent(), /not two orders of the same tokens, so weights differ without positions too/);
  const [, without] = /at most (\S+) apart without positions/.exec(await compared.textContent());
  assert.ok(Number(without) > 1e-3, without);
  await second.fill('The dog bit the man.');
  await settled(page);
  assert.match(await compared.textContent(), /No token stands once in both texts/);
});

test('the last position: precision and distance say what there is', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, `#p=${last}&at=${last}`);
  const precision = await panel(page, 'precision');
  assert.equal(await precision.locator('.said').textContent(), '');
  assert_native(of_npy(await saved(page, precision, 'Save as row.npy')).hash, await command_of(precision));
  const told = await precision.locator('.readout dd').allTextContents();
  assert.equal(told[2], '9,223,372,036,854,775,808: no position of posenc');
  const distance = await panel(page, 'distance');
  assert.match(await distance.locator('.said').textContent(), /Positions end at 9,223,372,036,854,775,807/);
  assert.match(await distance.textContent(), /There is no position 9,223,372,036,854,775,807 \+ 8/);
  assert.equal((await table_of(distance.locator('figure').first())).length, 1);
  assert.equal((await table_of(distance.locator('figure').nth(1))).length, 257);
});

test('near the last position distances end where positions do', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#p=9223372036854775790&reach=64');
  const distance = await panel(page, 'distance');
  assert.match(await distance.locator('.said').textContent(), /products are shown up to a distance of 16/);
  const rows = await table_of(distance.locator('figure').first());
  assert.equal(rows.length, 17);
  assert.ok(rows.every(([, , , turned]) => Number.isFinite(Number(turned.replace('−', '-')))));
});

test('curves that lie on one another are said to, and the caption names the distances', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'distance');
  const figure = section.locator('figure').first();
  assert.match(await figure.locator('.legend').textContent(), /turned by rope-half: equal to rows of transformer/);
  assert.match(
    await figure.locator('.summary').first().textContent(),
    /distances k from 0 to 256; model and head width 128\. At k = 8: rows of transformer /,
  );
});

test('biases are in a list, and compared', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#reach=64');
  const section = await panel(page, 'distance');
  await section.getByLabel('Bias by slopes', { exact: true }).selectOption('mpt-alibi');
  await section.getByLabel('Bias by buckets: or by a model’s name').fill('flan-t5');
  await section.getByLabel('Bias by buckets: or by a model’s name').press('Enter');
  await settled(page);
  assert.match(await section.textContent(), /mpt-alibi: each head has a slope of its own/);
  assert.equal(await section.locator('figure').nth(2).locator('.legend li').count(), 0); // one curve
  assert.match(await command_of(section), /--preset mpt-alibi .*\n.*--preset t5-bucket /);
  const which = await panel(page, 'which');
  await which.getByLabel('Convention A', { exact: true }).selectOption('alibi');
  await which.getByLabel('Convention B', { exact: true }).selectOption('bloom-alibi');
  await settled(page);
  assert.match(await which.locator('.facts').textContent(), /value.*minus_distance.*key/);
});

test('pictures of patches have one scale of colours, and each can be saved', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'images');
  assert.match(await section.textContent(), /three pictures of patches have one scale of colours: 0\.\d is white/);
  const scales = await section
    .locator('.heat svg')
    .evaluateAll((drawings) => drawings.map((each) => each.querySelector('text[text-anchor=start]').textContent));
  assert.equal(scales.length, 3);
  assert.equal(new Set(scales).size, 1);
  assert.equal(of_npy(await saved(page, section, 'Save as resized.npy')).shape, '28, 28');
});

test('every picture can be saved', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  for (const id of ['text', 'signal', 'distance', 'precision', 'which', 'images']) {
    const section = await panel(page, id);
    const [pictures, buttons] = await Promise.all([
      section.locator('figure').count(),
      section.getByRole('button', { name: /\.svg$/ }).count(),
    ]);
    assert.equal(buttons, pictures, id);
  }
  const weights = of_npy(await saved(page, await panel(page, 'text'), 'Save as weights-1.npy'));
  assert.equal(weights.shape, '3, 3');
});
