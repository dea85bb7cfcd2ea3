// SPDX-License-Identifier: Apache-2.0
// Positions of image patches: how alike two of them are, which columns an axis moves, and what resizing does.
import { must, type Posenc, type Tensor } from 'posenc';
import { convention_of, module } from './files.js';

export interface Grids {
  /** Every patch's row: [height, wide, width]. */
  table: Float32Array;
  extents: number[];
  columns: number;
  /** Products of the marked patch's row with all, over its own: [height, wide]. */
  alike: Float32Array;
  /** How far each column moves from the marked patch to the one below, and to the one beside it. */
  down: Float32Array;
  right: Float32Array;
  /** On twice as many patches a side: made anew, and resized from the smaller table. */
  larger: { anew: Float32Array; resized: Float32Array; furthest: number };
  /** How alike the patches above, below and beside are to the marked one, on average. */
  beside: { before: number; anew: number; resized: number };
  /** A place has the same row in a larger grid: places are not divided by the extent. */
  keeps: boolean;
}

function grid_of(posenc: Posenc, preset: string, width: number, extents: [number, number]): Tensor<'f32'> {
  const convention = convention_of(posenc, { preset });
  const grid = must(posenc.grid(convention, width, { places: must(posenc.placesOf(preset)) }));
  const table = must(grid.table(extents));
  grid.free();
  return table;
}

function alike_of(posenc: Posenc, table: Float32Array, columns: number, patch: number): Float32Array {
  const rows = must(posenc.tensor('f32', [table.length / columns, columns], table));
  const one = must(posenc.tensor('f32', [1, columns], table.subarray(patch * columns, (patch + 1) * columns)));
  const products = must(posenc.products(one, rows));
  const own = products.data[patch] as number;
  const list = Float32Array.from(products.data, (product) => product / own);
  for (const each of [rows, one, products]) each.free();
  return list;
}

/** The mean of the values of those patches around one that the grid has. */
function around(values: Float32Array, [height, wide]: readonly [number, number], row: number, column: number): number {
  const found = [
    [row - 1, column],
    [row + 1, column],
    [row, column - 1],
    [row, column + 1],
  ].flatMap(([r = 0, c = 0]) => (r >= 0 && r < height && c >= 0 && c < wide ? [values[r * wide + c] as number] : []));
  return found.reduce((sum, each) => sum + each, 0) / found.length;
}

/** By cubics, as ViT does it: the original's own weights, in f32. */
function resized(
  posenc: Posenc,
  table: Float32Array,
  columns: number,
  from: [number, number],
  to: [number, number],
): Float32Array {
  const convention = convention_of(posenc, { preset: 'vit-resize', changes: { 'resize.extra': '0' } });
  const small = must(posenc.tensor('f32', [from[0] * from[1], columns], table));
  const large = must(posenc.resizeTable(convention, small, from, to));
  const values = large.data.slice();
  small.free();
  large.free();
  return values;
}

export async function images(
  preset: string,
  width: number,
  extents: [number, number],
  row: number,
  column: number,
): Promise<Grids> {
  const posenc = await module();
  const [height, wide] = extents;
  const patch = row * wide + column;
  const made = grid_of(posenc, preset, width, extents);
  const columns = made.shape.at(-1) as number;
  const table = made.data.slice();
  made.free();
  const apart = (other: number): Float32Array =>
    Float32Array.from({ length: columns }, (_, i) =>
      Math.abs((table[other * columns + i] as number) - (table[patch * columns + i] as number)),
    );
  const twice: [number, number] = [2 * height, 2 * wide];
  const large = grid_of(posenc, preset, width, twice);
  const anew = large.data.slice();
  large.free();
  const stretched = resized(posenc, table, columns, extents, twice);
  const place = 2 * row * 2 * wide + 2 * column;
  const alike = alike_of(posenc, table, columns, patch);
  const larger = {
    anew: alike_of(posenc, anew, columns, place),
    resized: alike_of(posenc, stretched, columns, place),
    furthest: anew.reduce((most, value, i) => Math.max(most, Math.abs(value - (stretched[i] as number))), 0),
  };
  const line = wide * columns; // entries of a row of patches
  return {
    table,
    extents,
    columns,
    alike,
    down: apart(row + 1 < height ? patch + wide : patch - wide),
    right: apart(column + 1 < wide ? patch + 1 : patch - 1),
    larger,
    beside: {
      before: around(alike, extents, row, column),
      anew: around(larger.anew, twice, 2 * row, 2 * column),
      resized: around(larger.resized, twice, 2 * row, 2 * column),
    },
    keeps: table.every((value, i) => value === anew[Math.floor(i / line) * 2 * line + (i % line)]),
  };
}
