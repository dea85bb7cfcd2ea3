// SPDX-License-Identifier: Apache-2.0
// Files of the reader: the headline is that of the report, in the language of the page; work can be stopped.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import { choose, new_page, open, panel, progress, root, saved, settled } from './browser.mjs';
import { npy } from './npy.mjs';

const cells = (section) =>
  section
    .locator('.found tr')
    .evaluateAll((rows) => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
const config = (name) => ({
  name: 'config.json',
  mimeType: 'application/json',
  buffer: readFileSync(join(root, 'tests/inspect/configs', `${name}.json`)),
});

test('a grid that was cut: the headline names the nearest convention and what is wrong', async (context) => {
  const opened = await open(context);
  for (const [lang, said, exact] of [
    [
      'en',
      /cut\.npy, f32 100 × 64: no convention as it stands; nearest is mae-2d, with all 6,272 entries equal\./,
      'beside exact numbers',
    ],
    ['zh', /cut\.npy，f32 100 × 64：原样不是任何约定；最接近的是 mae-2d，6,272 个元素全部相等。/, '与精确值相比'],
  ]) {
    const page = await new_page(context, opened, `#lang=${lang}`);
    const save = lang === 'en' ? 'Save as grid.npy' : '保存为 grid.npy';
    const file = await saved(page, await panel(page, 'images'), save);
    const entries = file.subarray(file.length - 14 * 14 * 64 * 4);
    const section = await panel(page, 'which');
    await choose(page, section, npy('cut.npy', [100, 64], entries.subarray(0, 100 * 64 * 4)));
    assert.match(await progress(section), said);
    assert.match(
      await section.locator('p.summary [lang=en]').textContent(),
      /cut from a grid within a row of 14 cells/,
    );
    assert.ok((await cells(section)).some(([name]) => name === exact));
    assert.match(await section.locator('.found .verdict[lang=en]').textContent(), /^not identified: cut/);
    await page.close();
  }
});

test('two conventions differ in a table of the page’s language', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#lang=zh&left=transformer&right=tensor2tensor');
  const section = await panel(page, 'which');
  const rows = await section
    .locator('.facts tr')
    .evaluateAll((all) => all.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
  assert.deepEqual(rows[0], ['字段', 'transformer', 'tensor2tensor']);
  assert.deepEqual(rows[4], ['layout', 'interleaved', 'sine_first']);
  assert.deepEqual(rows[6], ['数值最先分开于: position 0, column 1', '1', '0']);
});

test('a configuration is a table of its roles, with the JSON behind it', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'which');
  await choose(page, section, config('llama-3.1-8b'));
  assert.deepEqual((await cells(section)).slice(1), [
    ['rotary', 'rotary: rope-llama3', '500,000', '128', 'llama3 8', '8,192'],
  ]);
  assert.match(await section.locator('.found .verdict').textContent(), /"ladders"/);
  await choose(page, section, config('images/qwen2-vl-7b'));
  assert.deepEqual(
    (await cells(section)).slice(1).map(([role]) => role),
    ['rotary', 'vision.rotary'],
  );
  await choose(page, section, config('bert-base'));
  assert.deepEqual((await cells(section))[1], ['embedding', 'learned: learned', '—', '768', '—', '512']);
});

test('a file of another type is told what is read', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'which');
  for (const name of ['picture.png', 'model.gguf', 'table']) {
    await choose(page, section, { name, mimeType: 'application/octet-stream', buffer: Buffer.from('x') });
    assert.match(
      await progress(section),
      new RegExp(`${name.replace('.', '\\.')} is no \\.npy, \\.safetensors or config\\.json`),
    );
  }
});

test('work on a file can be stopped, and the next file is read', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  let release;
  const held = new Promise((settle) => (release = settle));
  await page.route('**/posenc.wasm.gz', async (route) => {
    await held; // the referee is never ready, as long as this waits
    await route.continue().catch(() => {});
  });
  const section = page.locator('#which');
  await section.scrollIntoViewIfNeeded();
  await section.locator('input[type=file]').setInputFiles(npy('a.npy', [4, 4], Buffer.alloc(64)));
  const stop = section.getByRole('button', { name: 'Stop' });
  await stop.waitFor();
  assert.match(await section.textContent(), /Reading a\.npy …/);
  await section.getByText(/^1 s; /).waitFor();
  await stop.click();
  await section.getByText('a.npy: stopped.').waitFor();
  assert.equal(await stop.isVisible(), false);
  release();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await settled(page);
  await choose(page, section, npy('zeros.npy', [4, 4], Buffer.alloc(64)));
  assert.match(await progress(section), /zeros\.npy, f32 4 × 4: no convention that posenc knows/);
});

/** One tensor of f32 zeros, as safetensors lay it out. */
function safetensors(name, rows, columns) {
  const bytes = rows * columns * 4;
  const text = JSON.stringify({ x: { dtype: 'F32', shape: [rows, columns], data_offsets: [0, bytes] } });
  const length = Buffer.alloc(8);
  length.writeUInt32LE(text.length);
  return { name, mimeType: 'application/octet-stream', buffer: Buffer.concat([length, Buffer.from(text), Buffer.alloc(bytes)]) };
}

test('the tensors of a file are gone when another is given', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'which');
  const tensors = section.locator('ul.tokens');
  await choose(page, section, safetensors('x.safetensors', 4, 8));
  assert.ok(await tensors.isVisible());
  await choose(page, section, config('llama-3.1-8b'));
  assert.ok(!(await tensors.isVisible()));
});

test('nothing that is hidden is shown', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  for (const id of ['text', 'signal', 'distance', 'precision', 'which', 'images']) await panel(page, id);
  const shown = await page.locator('[hidden]').evaluateAll((all) => all.filter((each) => each.offsetParent !== null).map((each) => each.outerHTML));
  assert.deepEqual(shown, []);
});

test('a table that begins elsewhere: the headline says where, and readings are numbered', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened, '#from=1&d=64&rows=64');
  const table = await saved(page, await panel(page, 'signal'), 'Save as table.npy');
  const section = await panel(page, 'which');
  await choose(page, section, npy('late.npy', [64, 64], table.subarray(table.length - 64 * 64 * 4)));
  assert.match(await progress(section), / Row 0 is position 1\.$/);
  const captions = await section.locator('.found caption').allTextContents();
  assert.ok(captions.length > 1);
  captions.forEach((caption, i) => assert.match(caption, new RegExp(`^What the file holds, ${i + 1} of \\d+ readings`)));
});

test('numbers that are none are told without numbers that are none', async (context) => {
  const opened = await open(context);
  const page = await new_page(context, opened);
  const section = await panel(page, 'which');
  await choose(page, section, npy('nan.npy', [16, 16], Buffer.from(new Float32Array(256).fill(NaN).buffer)));
  assert.doesNotMatch(await progress(section), /—|NaN/);
  let seed = 1;
  const random = Float32Array.from({ length: 4096 }, () => (seed = (seed * 16807) % 2147483647) / 2147483647 - 0.5);
  await choose(page, section, npy('random.npy', [64, 64], Buffer.from(random.buffer)));
  assert.doesNotMatch(await section.locator('.found').textContent(), /-0\b(?!\.)/);
});

test('a page that was offline says so, and goes on when the network is back', async (context) => {
  const opened = await open(context);
  const page = await opened.browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-US' });
  await page.goto(opened.url);
  await panel(page, 'text');
  await page.context().setOffline(true);
  const section = page.locator('section#which');
  await section.scrollIntoViewIfNeeded();
  await page.waitForSelector('section#which[data-refused]');
  assert.match(await section.locator('.said').textContent(), /cannot be reached|Failed to fetch/);
  assert.doesNotMatch(await section.textContent(), /folder needs a file server|is loading and comparing/);
  await page.context().setOffline(false);
  await page.waitForSelector('section#which[data-drawn]:not([data-refused])');
  assert.match(await section.textContent(), /The two differ in/);
});
