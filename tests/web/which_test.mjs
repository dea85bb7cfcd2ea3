// SPDX-License-Identifier: Apache-2.0
// Which one is it: the referee's words are the tool's, and files that are dropped are identified, inspected or refused.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import {
  assert_native,
  choose,
  command_of,
  new_page,
  of_npy,
  open,
  panel,
  progress,
  root,
  saved,
  settled,
} from './browser.mjs';

const one_line = (text) => text.trim().replaceAll('\n', ' ');
const found = (section) => section.locator('.verdict').last().textContent();

/** A file of that format with one tensor. */
function safetensors(name, shape, data) {
  const header = Buffer.from(JSON.stringify({ [name]: { dtype: 'F32', shape, data_offsets: [0, data.length] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, data]);
}

test('two conventions: the words of posenc compare, and wires that put columns where they belong', async (context) => {
  const opened = await open(context);
  for (const [left, right, summary] of [
    ['rope-pair', 'rope-half', /^14 of 16 columns/],
    ['transformer', 'pytorch', /^0 of 16 columns/],
    ['transformer', 'tensor2tensor', /^No order of columns/],
  ]) {
    const page = await new_page(context, opened, `#left=${left}&right=${right}`);
    const section = await panel(page, 'which');
    assert_native(one_line(await section.locator('.verdict').first().textContent()), await command_of(section));
    assert.match(await section.locator('figure .summary').textContent(), summary);
    await page.close();
  }
});

test('controls: conventions and columns', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'which');
  await section.getByLabel('Columns shown').selectOption('8');
  await settled(page);
  assert.match(await section.locator('figure .summary').textContent(), /of 8 columns/);
  await section.getByLabel('Convention B', { exact: true }).selectOption('rope-pair');
  await settled(page);
  assert.match(await section.locator('p.summary').nth(1).textContent(), /one table, bit for bit/);
  await page.goBack();
  await settled(page);
  assert.match(await section.locator('p.summary').nth(1).textContent(), /differ in 1 field/);
  await section.locator('g[data-column="5"]').first().click();
  assert.match(page.url(), /i=5/);
});

test('a table is identified from a file that is chosen, from one that is dropped, and from the page', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#preset=whisper&d=64&rows=64');
  const file = await saved(page, await panel(page, 'signal'), 'Save as table.npy');
  const section = await panel(page, 'which');
  await choose(page, section, { name: 'table.npy', mimeType: 'application/octet-stream', buffer: file });
  assert.match(await progress(section), /table\.npy, f32 64 × 64: .*whisper/);
  await section.getByRole('button', { name: /Or identify/ }).click();
  await settled(page);
  assert.match(await progress(section), /64 rows, f32 64 × 64: .*whisper/);
  const { data } = of_npy(file);
  const dropped = await page.evaluateHandle(
    (bytes) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(bytes)], 'model.safetensors'));
      return transfer;
    },
    [...safetensors('encoder.positions', [64, 64], data)],
  );
  await section.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped });
  await settled(page);
  assert.match(await progress(section), /model\.safetensors holds 1 tensor\./);
  await section.getByRole('button', { name: /encoder\.positions/ }).click();
  await settled(page);
  assert.match(await progress(section), /encoder\.positions, f32 64 × 64: .*whisper/);
});

test('a configuration is inspected', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'which');
  const buffer = readFileSync(join(root, 'tests/inspect/configs/llama-3.1-8b.json'));
  await choose(page, section, { name: 'config.json', mimeType: 'application/json', buffer });
  assert.match(await found(section), /"llama3"/);
  assert.equal(await command_of(section), 'posenc inspect config.json');
  const vision = ', "vision_config": {"model_type": "no_such_tower", "hidden_size": 8}, "eps": -Infinity}';
  const whole = Buffer.from(buffer.toString().trim().replace(/}$/, vision));
  await choose(page, section, { name: 'config.json', mimeType: 'application/json', buffer: whole });
  assert.match(await section.textContent(), /Missing, vision: \/vision_config is not read/);
});

test('a damaged file gets a sentence', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'which');
  for (const [name, bytes, said] of [
    ['a.npy', 'NUMPY', /This cannot be shown: \[.*npy/],
    ['b.safetensors', '\x09', /This cannot be shown: \[read_safetensors\]/],
    ['config.json', '{"model_type": ', /This cannot be shown: \[.*inspect/],
    ['empty.npy', '', /This cannot be shown/],
  ]) {
    await choose(page, section, { name, mimeType: 'application/octet-stream', buffer: Buffer.from(bytes) });
    assert.match(await progress(section), said, name);
  }
});
