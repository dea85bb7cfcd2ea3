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
