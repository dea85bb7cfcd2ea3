// SPDX-License-Identifier: Apache-2.0
// The module in node: the bits of the native library, errors as values, views of memory that grows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { gunzipSync } from 'node:zlib';

import { configurations, differing, folder, load, must, root } from './loaded.mjs';
import { lines } from './lines.mjs';

const posenc = await load();
const paper = must(posenc.convention('transformer'));

function wasm() {
  const text = readFileSync(join(folder, 'module.js'), 'utf8');
  return gunzipSync(Buffer.from(/const packed = '([^']+)'/.exec(text)[1], 'base64'));
}

function assert_refused(result, message) {
  assert.equal(result.ok, false);
  assert.match(result.error.message, message);
  const { operation, rule, value } = result.error;
  assert.ok(result.error.message.startsWith(`[${operation}] ${rule}, got ${value}`));
}

test('every bit and every text is the native one', async () => {
  assert.deepEqual(differing(await lines(posenc, configurations)), []);
});

test('the module asks its host for nothing', () => {
  assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(wasm())), []);
});

test('the version is that of the library', () => {
  const header = readFileSync(join(root, 'include/posenc/version.h'), 'utf8');
  const number = (part) => new RegExp(`POSENC_VERSION_${part} (\\d+)`).exec(header)[1];
  assert.deepEqual(posenc.version, { abi: 1, text: `${number('MAJOR')}.${number('MINOR')}.${number('PATCH')}` });
});

test('a module of other bytes is another instance', async () => {
  const other = await load(wasm());
  const compiled = await load(new WebAssembly.Module(wasm()));
  assert.deepEqual(other.presets, compiled.presets);
  assert_refused(posenc.rows(must(other.convention('transformer')), 8), /convention must be one of this module/);
});

test('a table is the rounded sine', () => {
  const table = must(posenc.table(paper, 4, { count: 2 }));
  assert.deepEqual([...table.data], [0, 1, 0, 1, ...[Math.sin(1), Math.cos(1), Math.sin(0.01), Math.cos(0.01)].map(Math.fround)]);
  assert.deepEqual(table.shape, [2, 4]);
  table.free();
});

test('positions are ranges, lists, BigInts, reals and tensors', () => {
  const rows = must(posenc.rows(paper, 16));
  const of = (positions) => [...must(rows.table(positions)).data];
  assert.deepEqual(of([3, 5]), of({ start: 3, count: 2, step: 2 }));
  assert.deepEqual(of(BigInt64Array.of(3n, 5n)), of([3, 5]));
  assert.deepEqual(of(Float64Array.of(0.5, 1)), of({ start: 0.5, count: 2, step: 0.5 }));
  assert.deepEqual(of(must(posenc.tensor('i64', [2], [3n, 5n]))), of([3, 5]));
  assert.deepEqual(of({ start: 9223372036854775807n, count: 1 }), of([9223372036854775807n]));
  assert.notDeepEqual(of([9223372036854775807n]), of([9223372036854775806n]));
  assert.deepEqual(of([]), []);
});

test('views are made anew when memory grows', () => {
  const small = must(posenc.table(paper, 64, { count: 4 }));
  const before = small.data, kept = before.slice();
  const large = must(posenc.tensor('f32', [1 << 23]));
  assert.equal(before.length, 0, 'memory has grown');
  assert.deepEqual(small.data, kept);
  assert.equal(small.data, small.data, 'one view as long as memory stays');
  large.free();
  assert.equal(large.data.length, 0);
});

test('a row is written into a tensor that there is', () => {
  const rows = must(posenc.rows(paper, 8)), out = must(posenc.tensor('f32', [2, 8]));
  assert.equal(must(rows.write([7, 9], out)), out);
  assert.deepEqual(out.data, must(rows.table([7, 9])).data);
  assert_refused(rows.write([7], out), /out/);
});

test('rotations turn back', () => {
  const rotation = must(posenc.rotation(must(posenc.convention('llama-2')), 64));
  const values = Float32Array.from({ length: 3 * 64 }, (_, i) => i / 64);
  const tensor = must(posenc.tensor('f32', [3, 64], values));
  must(rotation.rotate([0, 1, 1000], tensor));
  assert.notDeepEqual(tensor.data, values);
  must(rotation.rotate([0, 1, 1000], [tensor], { direction: 'inverse' }));
  assert.ok(tensor.data.every((each, i) => Math.abs(each - values[i]) < 1e-6));
});

test('what is wrong is a value with operation, rule and value', () => {
  assert_refused(posenc.convention('tranformer'), /^\[preset\] name must be .* transformer.*, got 'tranformer'$/);
  assert_refused(posenc.rows(must(posenc.convention('pytorch')), 511), /^\[\w+\] width must be even, got 511$/);
  assert_refused(posenc.convention('{"posenc_convention": 2'), /must be JSON/);
  assert_refused(posenc.convention('transformer', { 'ladder.base': 'x' }), /ladder/);
  assert_refused(posenc.table(paper, 1.5, { count: 1 }), /width must be an integer/);
  assert_refused(posenc.table(paper, 8, 3), /positions must be/);
  assert_refused(posenc.table(paper, 8, { count: 'a' }), /positions\.count must be an integer/);
  assert_refused(posenc.table(paper, 8, ['a']), /positions must be a number/);
  assert_refused(posenc.table(paper, 8, { count: 1 }, { type: 'f8' }), /type must be one of/);
  assert_refused(posenc.table(paper, 8, { count: 1 }, { recipe: 'f33' }), /recipe/);
  assert_refused(posenc.table(paper, 8, { count: -1 }), /count|sizes/);
  assert_refused(posenc.inspect('<html>'), /^\[inspect\] must be JSON, not a page of HTML/);
  assert_refused(posenc.inspect(''), /\[inspect\]/);
  assert_refused(posenc.npy(new Uint8Array()), /npy/);
  assert_refused(posenc.npy(undefined), /bytes must be given, got undefined/);
  assert_refused(posenc.identify({}), /tensor must be a tensor of this module/);
  assert_refused(posenc.explain(paper, undefined), /at must be a list/);
  assert_refused(paper.gives('windows'), /the convention must be buckets of a window, got sinusoid/);
});

test('what memory cannot hold is refused, and nothing is lost', () => {
  for (const shape of [[2 ** 20, 2 ** 11], [2 ** 16, 2 ** 15], [2 ** 40]]) {
    assert_refused(posenc.tensor('f32', shape), /memory must be had|fewer than 2\^32 bytes/);
  }
  assert_refused(posenc.tensor('f32', [2 ** 30 - 2 ** 15]), /memory must be had/);
  assert_refused(posenc.table(paper, 2 ** 11, { count: 2 ** 20 }), /2\^32 bytes/);
  assert_refused(posenc.rows(paper, 2n ** 40n), /width|memory/);
  assert_refused(posenc.table(must(posenc.convention('transformer')), 2 ** 31, { count: 0 }), /width|memory/);
  assert.ok(posenc.table(paper, 64, { count: 4 }).ok);
});

test('refusals and freed handles leave no memory behind', () => {
  const size = () => {
    const probe = must(posenc.tensor('f32', [1]));
    const { byteLength } = probe.data.buffer;
    probe.free();
    return byteLength;
  };
  const json = configurations.find(([name]) => name === 'bert-base.json')[1];
  const work = () => {
    posenc.inspect(json.replace('512', '"many"'));
    posenc.convention('nothing');
    posenc.table(paper, 64, { count: 64 }).value.free();
    must(posenc.convention('whisper')).free();
  };
  work();
  const before = size();
  for (let i = 0; i < 3000; ++i) work();
  assert.equal(size(), before);
});

test('what is freed is refused', () => {
  const convention = must(posenc.convention('whisper')), rows = must(posenc.rows(convention, 8));
  const tensor = must(rows.table([1]));
  for (const each of [convention, rows, tensor]) each.free(), each.free();
  assert_refused(convention.json(), /not freed/);
  assert_refused(rows.table([1]), /freed/);
  assert_refused(posenc.identify(tensor), /not freed/);
});

test('a table is identified, checked, compared and explained', () => {
  const whisper = must(posenc.convention('whisper'));
  const table = must(posenc.table(whisper, 384, { count: 50 }));
  const found = must(posenc.identify(table));
  assert.ok(found.holds && found.presets.includes('whisper'));
  assert.equal(must(posenc.check(table, whisper)).holds, true);
  assert.equal(must(posenc.check(table, paper)).holds, false);
  assert.equal(must(posenc.compare(whisper, paper)).holds, false);
  assert.equal(must(posenc.parting(paper, whisper, 384, 100)).holds, false);
  const explained = must(posenc.explain(paper, { width: 512, column: 37, at: [1000], recipe: 'f32-exp' }));
  assert.match(explained.text, /column 37 of 512/);
  assert.ok(Array.isArray(explained.report.entries));
});

/** An .npy file as NumPy writes it. */
function npy_file(descr, shape, data) {
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${shape.join(', ')},), }`;
  const padded = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const bytes = new Uint8Array(10 + padded.length + data.byteLength);
  bytes.set([0x93, ...Buffer.from('NUMPY'), 1, 0, padded.length & 255, padded.length >> 8]);
  bytes.set(Buffer.from(padded), 10);
  bytes.set(new Uint8Array(data.buffer), 10 + padded.length);
  return bytes;
}

test('an .npy file becomes a tensor; a damaged one says where', () => {
  const values = Float32Array.from({ length: 6 }, (_, i) => i / 4);
  const file = npy_file('<f4', [2, 3], values);
  const tensor = must(posenc.npy(file, 'x.npy'));
  assert.deepEqual([tensor.type, tensor.shape, [...tensor.data]], ['f32', [2, 3], [...values]]);
  assert.deepEqual([...must(posenc.npy(file.buffer)).data], [...values]);
  assert_refused(posenc.npy(file.slice(0, -1), 'x.npy'), /x\.npy/);
  for (let at = 0; at < 80; ++at) {  // no damage traps
    const damaged = file.slice();
    damaged[at] ^= 0x15;
    posenc.npy(damaged);
  }
  assert.ok(posenc.npy(file).ok);
});
