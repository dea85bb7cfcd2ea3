// SPDX-License-Identifier: Apache-2.0
// What several conventions make of a distance: products of rows, of turned queries and keys, biases and classes.
import { must, type Posenc } from 'posenc';
import { parse_position, whole } from '../parts/numbers.js';
import { convention_of, module } from './files.js';
import { pairs, seed } from './random.js';
import { clocks, table_of, type Asked } from './signal.js';

export interface Products {
  /** Products over the product at distance 0, for distances 0 to reach. */
  mean: number[];
  /** A few single pairs of random vectors. */
  some: number[][];
}

/** PE(p).PE(p + k) over PE(p).PE(p). */
export async function row_products(asked: Asked, first: string, reach: number): Promise<Products> {
  const posenc = await module();
  const start = parse_position(first) ?? 0n;
  const { values, rows, columns } = table_of(posenc, asked, start, reach + 1);
  const table = must(posenc.tensor('f32', [rows, columns], values));
  const one = must(posenc.tensor('f32', [1, columns], values.subarray(0, columns)));
  const products = must(posenc.products(one, table));
  const list = Array.from(products.data);
  for (const each of [table, one, products]) each.free();
  return { mean: list.map((product) => product / (list[0] as number)), some: [] };
}

/** Rows [count, width], turned to the positions from `start` on. */
function turned(
  posenc: Posenc,
  asked: Asked,
  values: Float32Array,
  start: bigint,
  count: number,
  side: 'query' | 'key',
) {
  const rotation = must(posenc.rotation(convention_of(posenc, asked), asked.width));
  const rows = must(posenc.tensor('f32', [count, asked.width], values));
  must(rotation.rotate({ start: whole(start), count }, rows, { side }));
  rotation.free();
  return rows;
}

function repeated(row: Float32Array, count: number): Float32Array {
  const values = new Float32Array(row.length * count);
  for (let i = 0; i < count; ++i) values.set(row, i * row.length);
  return values;
}

function products_of_turned(
  posenc: Posenc,
  asked: Asked,
  query: Float32Array,
  key: Float32Array,
  start: bigint,
  reach: number,
): number[] {
  const q = turned(posenc, asked, query, start, 1, 'query');
  const k = turned(posenc, asked, repeated(key, reach + 1), start, reach + 1, 'key');
  const products = must(posenc.products(q, k));
  const list = Array.from(products.data);
  for (const each of [q, k, products]) each.free();
  return list;
}

/** Scores of a query at p and a key at p + k, over that of equal vectors of that length: ones in both, or random pairs. */
export async function turned_products(
  asked: Asked,
  first: string,
  reach: number,
  vectors: 'same' | 'random',
): Promise<Products> {
  const posenc = await module();
  const start = parse_position(first) ?? 0n;
  const { width } = asked;
  if (vectors === 'same') {
    const ones = new Float32Array(width).fill(1);
    return {
      mean: products_of_turned(posenc, asked, ones, ones, start, reach).map((product) => product / width),
      some: [],
    };
  }
  const [queries, keys] = [0, 1].map((stream) => {
    const rows = must(posenc.seededRows(pairs, width, { seed, stream }));
    const copy = rows.data.slice();
    rows.free();
    return copy;
  }) as [Float32Array, Float32Array];
  const row = (of: Float32Array, i: number): Float32Array => of.subarray(i * width, (i + 1) * width);
  const each = Array.from({ length: pairs }, (_, i) =>
    products_of_turned(posenc, asked, row(queries, i), row(keys, i), start, reach).map((product) => product / width),
  );
  return {
    mean: Array.from({ length: reach + 1 }, (_, k) => each.reduce((sum, list) => sum + (list[k] as number), 0) / pairs),
    some: each.slice(0, 3),
  };
}

/** Biases of the key that is k behind the query, a list for each of `heads`. */
export async function biases(preset: string, heads: number, reach: number): Promise<number[][]> {
  const posenc = await module();
  const convention = convention_of(posenc, { preset });
  const made = must(posenc.bias(convention, heads, [reach], { count: reach + 1 }));
  const values = made.data.slice();
  made.free();
  return Array.from({ length: heads }, (_, head) =>
    Array.from({ length: reach + 1 }, (_, k) => values[head * (reach + 1) + reach - k] as number),
  );
}

/** Classes of the key that is k behind the query. */
export async function classes(preset: string, reach: number): Promise<number[]> {
  const posenc = await module();
  const made = must(posenc.buckets(convention_of(posenc, { preset }), [reach], { count: reach + 1 }));
  const list = Array.from(made.data).reverse();
  made.free();
  return list;
}

interface Angles {
  cosines: Float32Array;
  sines: Float32Array;
}
/** T(k) as the cosine and sine of each pair, and the exact rows of p and p + k. */
export interface Shift {
  turn: Angles;
  from: Angles;
  to: Angles;
}
export async function shift(
  asked: Asked,
  position: string,
  k: number,
): Promise<Shift> {
  const start = parse_position(position) ?? 0n;
  const [turn, from, to] = await Promise.all([
    clocks(asked, String(k)),
    clocks(asked, String(start)),
    clocks(asked, String(start + BigInt(k))),
  ]);
  return { turn, from, to };
}
