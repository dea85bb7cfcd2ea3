// SPDX-License-Identifier: Apache-2.0
// The layouts of structs, by those of small headers; that they are the compiler's, the build proves.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import { javascript, proof, structs_of } from '../../../bindings/wasm/layouts.mjs';

const header = readFileSync(new URL('../../../bindings/c/posenc.h', import.meta.url), 'utf8');

/** Bytes of the struct `s`, and of each field its name, kind, offset and, of an array, count. */
function layout(members, before = '') {
  const { bytes, fields } = structs_of(`${before}\ntypedef struct s {\n${members}\n} s;`).s;
  return [bytes, ...fields.map(({ name, kind, at, count }) => [name, kind, at, ...(count === undefined ? [] : [count])])];
}

test('numbers stand at multiples of their bytes, and the struct ends at one of its largest', () => {
  assert.deepEqual(layout('uint32_t a; int64_t b; int32_t c;'), [24, ['a', 'u32', 0], ['b', 'i64', 8], ['c', 'i32', 16]]);
  assert.deepEqual(layout('char a; size_t b; char c;'), [12, ['a', 'u8', 0], ['b', 'u32', 4], ['c', 'u8', 8]]);
  assert.deepEqual(layout('double a, b; uint64_t c;'), [24, ['a', 'f64', 0], ['b', 'f64', 8], ['c', 'u64', 16]]);
});

test('pointers have 4 bytes, whatever they point at', () => {
  assert.deepEqual(layout('const char *a, *b; void* c; int64_t d;'),
    [24, ['a', 'u32', 0], ['b', 'u32', 4], ['c', 'u32', 8], ['d', 'i64', 16]]);
  assert.deepEqual(layout('const other* a; char b;'), [8, ['a', 'u32', 0], ['b', 'u8', 4]]);
  assert.deepEqual(layout('void (*run)(void* self, void (*job)(void* context, int64_t index)); uint32_t b;'),
    [8, ['run', 'u32', 0], ['b', 'u32', 4]]);
});

test('arrays have their count', () => {
  assert.deepEqual(layout('char a[5]; double b[2]; void* c[3]; uint32_t d[1], e;'),
    [48, ['a', 'u8', 0, 5], ['b', 'f64', 8, 2], ['c', 'u32', 24, 3], ['d', 'u32', 36, 1], ['e', 'u32', 40]]);
});

test('a struct in another has its fields there', () => {
  const before = 'typedef struct t { uint32_t a; int64_t b[2]; } t; typedef struct u { t in; char c; } u;';
  assert.deepEqual(layout('char a; u b; char c;', before), [48, ['a', 'u8', 0], ['b.in.a', 'u32', 8], ['b.in.b', 'i64', 16, 2],
    ['b.c', 'u8', 32], ['c', 'u8', 40]]);
});

test('another name of a type is the type; comments, enumerations and handles are none', () => {
  assert.deepEqual(layout('status a; /* int64_t b; */ int64_t c; /* of\n {2} */', 'typedef int32_t status; enum { A = 1, B };'),
    [16, ['a', 'i32', 0], ['c', 'i64', 8]]);
  assert.deepEqual(structs_of('typedef struct handle handle;\nvoid free_of(handle* handle);'), {});
});

test('what has no known layout is refused by name', () => {
  for (const member of ['float a', 'uint32_t a : 3', 'unsigned int a', 'char a[]', 'char a[2][3]', 'char** const a', 'other a',
    'struct { char a; } b', 't a[2]', 'char']) {
    assert.throws(() => layout(`${member};`, 'typedef struct t { char a; } t;'), /of a form that layouts\.mjs does not know: \w+/, member);
  }
});

test('the package and the proof have every struct of posenc.h', async () => {
  const defined = [...header.matchAll(/^\} (posenc_\w+);$/gm)].map(([, name]) => name);
  const structs = structs_of(header);
  assert.deepEqual(Object.keys(structs), defined);
  const module = await import(`data:text/javascript,${encodeURIComponent(javascript(structs))}`);
  assert.deepEqual(Object.keys(module).sort(), [...defined].sort());
  assert.deepEqual(module.posenc_view.fields.shape, { kind: 'i64', at: 16, count: 8 });
  assert.deepEqual(module.posenc_run.fields['executor.self'], { kind: 'u32', at: 12 });
  assert.match(proof(structs), /^static_assert\(offsetof\(posenc_view, shape\) == 16 && sizeof\(posenc_view::shape\) == 64\);$/m);
});
