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

test('tokens stand before the columns unless stated, whatever the sizes', () => {
  const rotation = must(posenc.rotation(must(posenc.convention('llama')), 8)), heads = 4;
  for (const tokens of [3, heads]) {
    const turned = (options) => {
      const values = Float32Array.from({ length: heads * tokens * 8 }, (_, i) => i / 7 - 3);
      const tensor = must(posenc.tensor('f32', [1, heads, tokens, 8], values));
      must(rotation.rotate({ count: tokens }, tensor, options));
      return [...tensor.data];
    };
    assert.deepEqual(turned(), turned({ tokens: 'beforeColumns' }));
  }
  const others = must(posenc.tensor('f32', [1, 3, heads, 8], new Float32Array(3 * heads * 8)));
  assert_refused(rotation.rotate({ count: 3 }, others), /tokens of \[.., L, H, d\] are stated by before_heads/);
  must(rotation.rotate({ count: 3 }, others, { tokens: 'beforeHeads' }));
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

test('the input stage scales, adds the signal and drops by the mask of the seed', () => {
  const rows = must(posenc.tensor('f32', [3, 4], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]));
  const ids = must(posenc.tensor('i32', [2], [2, 0])), positions = { start: 1, count: 2 };
  const stage = must(posenc.stage(rows, { convention: paper, scale: 'sqrtDim' }));
  assert.equal(stage.factor, 2);
  const signal = must(posenc.table(paper, 4, positions));
  assert.deepEqual([...must(stage.encode(ids, positions)).data],
    [18, 20, 22, 24, 2, 4, 6, 8].map((scaled, i) => Math.fround(scaled + signal.data[i])));
  const dropping = must(posenc.stage(rows, { convention: paper, dropout: 0.5, seed: 3 }));
  const first = [...must(dropping.encode(ids, positions, { mode: 'train' })).data];
  assert.deepEqual([...must(dropping.encode(ids, positions, { mode: 'train' })).data], first);
  assert.notDeepEqual([...must(dropping.encode(ids, positions, { mode: 'train', call: 1 })).data], first);
  assert.ok(first.includes(0));
  assert_refused(posenc.stage(rows, { convention: paper, scale: 'root' }), /scale must be a number, or one of none, sqrtDim/);
  assert_refused(posenc.stage(rows, {}), /a convention or a table must be given/);
  assert_refused(stage.encode(ids, positions, { mode: 'learn' }), /mode must be one of evaluate, train/);
});

test('rows of a seed are the same every time', () => {
  const rows = must(posenc.seededRows(2, 64, { seed: 5 }));
  assert.deepEqual(must(posenc.seededRows(2, 64, { seed: 5 })).data, rows.data);
  assert.notDeepEqual(must(posenc.seededRows(2, 64, { seed: 5, stream: 1 })).data, rows.data);
  assert_refused(posenc.seededRows(2, 64, { init: 'uniform' }), /init must be one of normal, scaled/);
});

test('products are sums in the order of columns; attention gives each query weights that add up to 1', () => {
  const a = must(posenc.tensor('f32', [2, 3], [1, 2, 3, -1, 0, 0.5])), b = must(posenc.tensor('f32', [1, 3], [4, -5, 6]));
  assert.deepEqual([...must(posenc.products(a, b)).data], [12, -1]);
  assert_refused(posenc.products(a, must(posenc.tensor('f32', [1, 2]))), /as many columns as those of a, 3, got 2/);
  const heads = must(posenc.tensor('f32', [1, 1, 2, 4], [1, 0, 0, 0, 0, 2, 0, 0]));
  const weights = [...must(posenc.attentionWeights(heads, heads)).data];
  const softmax = (x, y) => [Math.exp(x) / (Math.exp(x) + Math.exp(y)), Math.exp(y) / (Math.exp(x) + Math.exp(y))];
  const expected = [...softmax(1 / 2, 0), ...softmax(0, 4 / 2)];
  for (const [i, weight] of weights.entries()) assert.ok(Math.abs(weight - expected[i]) < 1e-6, `${weights}`);
});

test('orders of columns are those that convert uses', () => {
  const whisper = must(posenc.convention('mae-1d'));
  assert.deepEqual(must(posenc.tableOrder(paper, whisper, 6)), [0, 2, 4, 1, 3, 5]);
  const [pair, half] = ['rope-pair', 'rope-half'].map((name) => must(posenc.convention(name)));
  assert.deepEqual(must(posenc.headOrder(pair, half, 8)).read, [0, 2, 4, 6, 1, 3, 5, 7]);
  assert_refused(posenc.tableOrder(paper, pair, 6), /./);
});

test('cells are numbered as the original numbers them', () => {
  assert.deepEqual(must(posenc.placesOf('mae-2d')), { first: 0, divisor: 'one', rounding: 'asTheyAre', eps: 0, gain: 1, shift: 0 });
  assert.equal(must(posenc.placesOf('detr-sine')).first, 1);
  assert_refused(posenc.placesOf('mae-3d'), /./);
  const numbers = (options) => [...must(must(posenc.grid(must(posenc.convention('detr-sine')), 16, options)).table([3, 5])).data];
  assert.deepEqual(numbers({}), numbers({ places: must(posenc.placesOf('detr-sine')) }));
  assert.notDeepEqual(numbers({}), numbers({ places: {} }));
});

test('a table is resized', () => {
  const table = must(posenc.tensor('f32', [4, 1], [0, 1, 2, 3])), resized = must(posenc.convention('vit-resize', { 'resize.extra': 0 }));
  const larger = must(posenc.resizeTable(resized, table, [2, 2], [4, 4]));
  assert.deepEqual(larger.shape, [16, 1]);
  assert.ok(larger.data[0] < larger.data[15]);
  const classed = must(posenc.resizeTable(must(posenc.convention('vit-resize')), must(posenc.tensor('f32', [5, 1], [9, 0, 1, 2, 3])), [2, 2], [4, 4]));
  assert.deepEqual([classed.shape, classed.data[0]], [[17, 1], 9]);
});

test('the module without the referee is the same in all else, and says what it has not', async () => {
  const core = await load(readFileSync(join(root, 'build/wasm/bindings/wasm/core.wasm')));
  const own = must(core.convention('transformer'));
  assert.deepEqual([...must(core.table(own, 8, { count: 3 })).data], [...must(posenc.table(paper, 8, { count: 3 })).data]);
  assert_refused(core.identify(must(core.tensor('f32', [2, 2]))), /the module must have the referee/);
  assert_refused(core.inspect('{}'), /the module must have the referee/);
});

test('the tensors of a .safetensors file are listed; a damaged one says why', () => {
  const header = Buffer.from('{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[],"data_offsets":[8,9]}}');
  const file = Buffer.concat([Buffer.from(BigUint64Array.of(BigInt(header.length)).buffer), header, Buffer.alloc(9)]);
  assert.deepEqual(must(posenc.safetensors(file)), [
    { name: 'a', type: 'f32', shape: [2], at: 8 + header.length }, { name: 'b', type: null, shape: [], at: 16 + header.length }]);
  assert_refused(posenc.safetensors(file.subarray(0, file.length - 1), 'short'), /read_safetensors.*short/);
  assert_refused(posenc.safetensors('text'), /bytes must be given/);
});
