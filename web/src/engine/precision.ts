// SPDX-License-Identifier: Apache-2.0
// What roundings do to rows: the usual recipe, and positions that are kept in 16 bits, beside the exact numbers.
import { must, type Posenc } from 'posenc';
import { most_position, parse_position } from '../parts/numbers.js';
import { module } from './files.js';
import { table_of, type Asked } from './signal.js';

export interface Precise {
  exact: Float32Array;
  recipe: Float32Array;
  /** Exact rows of the position as bf16 and as f16 keep it; no numbers where that is no position. */
  bf16: Float32Array;
  f16: Float32Array;
  kept: { bf16: number; f16: number };
}

/** The nearest number with `bits` of significand, ties to even. */
function rounded(value: number, bits: number): number {
  if (value === 0) return 0;
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) - bits + 1);
  const count = value / unit;
  const below = Math.floor(count);
  const up = count - below > 0.5 || (count - below === 0.5 && below % 2 === 1);
  return (below + Number(up)) * unit;
}
const most_f16 = 65504;
const beyond_f16 = 65520; // from here on f16 has infinity
const as_bf16 = (position: number): number => rounded(position, 8);
const as_f16 = (position: number): number =>
  Math.abs(position) >= beyond_f16 ? Infinity : Math.max(-most_f16, Math.min(most_f16, rounded(position, 11)));

function row_at(posenc: Posenc, asked: Asked, position: number | bigint): Float32Array {
  const is_none = !Number.isFinite(Number(position)) || BigInt(position) > most_position;
  if (is_none) return new Float32Array(asked.width).fill(NaN);
  return table_of(posenc, asked, BigInt(position), 1).values;
}

export async function precise(asked: Asked, recipe: string, text: string): Promise<Precise> {
  const posenc = await module();
  const position = parse_position(text) ?? 0n;
  const kept = { bf16: as_bf16(Number(position)), f16: as_f16(Number(position)) };
  return {
    exact: row_at(posenc, asked, position),
    recipe: row_at(posenc, { ...asked, recipe }, position),
    bf16: row_at(posenc, asked, kept.bf16),
    f16: row_at(posenc, asked, kept.f16),
    kept,
  };
}

export interface Worst {
  positions: number[];
  recipe: number[];
  bf16: number[];
  f16: number[];
}
/** The largest difference of a row from the exact one, at odd positions in equal ratios from 1 to `farthest`: 16 bits
 *  keep some even ones. */
export async function worst(asked: Asked, recipe: string, count: number, farthest: number): Promise<Worst> {
  const posenc = await module();
  const positions = [
    ...new Set(Array.from({ length: count }, (_, i) => 2 * Math.floor(farthest ** (i / (count - 1)) / 2) + 1)),
  ];
  const found: Worst = { positions, recipe: [], bf16: [], f16: [] };
  for (const position of positions) {
    const exact = row_at(posenc, asked, position);
    const apart = (row: Float32Array): number =>
      row.reduce((most, value, i) => Math.max(most, Math.abs(value - (exact[i] as number))), 0);
    found.recipe.push(apart(row_at(posenc, { ...asked, recipe }, position)));
    found.bf16.push(apart(row_at(posenc, asked, as_bf16(position))));
    found.f16.push(apart(row_at(posenc, asked, as_f16(position))));
  }
  return found;
}

/** Recipes that a convention has at that width. */
export async function recipes(asked: Asked): Promise<string[]> {
  const posenc = await module();
  const convention = must(posenc.convention(asked.preset));
  return posenc.recipes.filter((recipe) => {
    const made = posenc.rows(convention, asked.width, { recipe });
    if (made.ok) made.value.free();
    return made.ok && recipe !== 'exact';
  });
}
