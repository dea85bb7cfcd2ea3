// SPDX-License-Identifier: Apache-2.0
// Tables of one convention, its ladder, and the angle of each pair at a position.
import { must, type Convention, type Posenc, type RotationTables, type Rows } from 'posenc';
import { parse_position, whole } from '../parts/numbers.js';
import { Kept, convention_of, module, name_of, type Named } from './files.js';

/** A convention at one width; `length` is that of the whole sequence, for conventions that depend on it. */
export interface Asked extends Named {
  width: number;
  length?: number;
  recipe?: string;
}
/** Where the sine and the cosine of a pair stand in a row; `rotated`: the sines of all pairs, then the cosines. */
export type Layout = 'interleaved' | 'sine_first' | 'cosine_first' | 'rotated' | 'other';
export interface Entries {
  values: Float32Array;
  rows: number;
  columns: number;
  layout: Layout;
}

const rows_kept = new Kept<Rows>(24);
const tables_kept = new Kept<RotationTables>(24);
const is_rotation = (convention: Convention): boolean => convention.gives('rotations').ok;

function options_of({ recipe, length }: Asked) {
  return { ...(recipe !== undefined && { recipe }), ...(length !== undefined && { context: { length } }) };
}
const key_of = (asked: Asked): string => `${name_of(asked)} ${asked.width} ${asked.recipe} ${asked.length}`;

function rows_of(posenc: Posenc, asked: Asked): Rows {
  return rows_kept.get(key_of(asked), () =>
    must(posenc.rows(convention_of(posenc, asked), asked.width, options_of(asked))),
  );
}
/** One tensor: [sines | cosines]. */
function tables_of(posenc: Posenc, asked: Asked): RotationTables {
  return tables_kept.get(key_of(asked), () =>
    must(
      posenc.rotationTables(
        convention_of(posenc, { ...asked, changes: { ...asked.changes, stored: 'sine_cosine' } }),
        asked.width,
        options_of(asked),
      ),
    ),
  );
}

/** The rows of [first, first + count), as f32. */
export function table_of(posenc: Posenc, asked: Asked, first: bigint, count: number): Entries {
  const convention = convention_of(posenc, asked);
  const positions = { start: whole(first), count };
  const rotated = is_rotation(convention);
  const tables = rotated ? tables_of(posenc, asked) : undefined;
  const made = must(tables?.table(tables.names[0] ?? '', positions) ?? rows_of(posenc, asked).table(positions));
  const values = made.data.slice();
  const [rows = 0, columns = 0] = made.shape;
  made.free();
  return { values, rows, columns, layout: rotated ? 'rotated' : layout_of(convention, columns) };
}

function layout_of(convention: Convention, columns: number): Layout {
  const { layout, parts, rungs, lead } = JSON.parse(must(convention.json()));
  return columns % 2 === 0 && parts === 'both' && rungs === 'own' && lead === 'nothing' ? layout : 'other';
}

const ladders = new Map<string, Float64Array>();
/** Angular frequencies in radians a token, each rounded once: a bignum each, so they are kept. */
function ladder_of(posenc: Posenc, asked: Asked): Float64Array {
  const key = key_of(asked);
  const known = ladders.get(key);
  if (known !== undefined) return known;
  const made = is_rotation(convention_of(posenc, asked)) ? tables_of(posenc, asked) : rows_of(posenc, asked);
  const found = must(made.frequencies());
  if (ladders.size >= 64) ladders.clear();
  ladders.set(key, found);
  return found;
}
export interface Signal {
  entries: Entries;
  /** The largest size of an entry. */
  limit: number;
  frequencies: Float64Array;
  plain: Float64Array | undefined;
  clocks: { cosines: Float32Array; sines: Float32Array };
  /** The row at the position of the cursor, which may be none of the entries. */
  row: Float32Array;
  /** What cosines and sines of a rotation are multiplied by. */
  magnitude: number | undefined;
}
/** All that the panel of the signal shows; `plain` is the same without scaling. */
export async function signal(
  asked: Asked,
  plain: Asked | undefined,
  first: string,
  count: number,
  position: string,
): Promise<Signal> {
  const posenc = await module();
  const entries = table_of(posenc, asked, parse_position(first) ?? 0n, count);
  let limit = 0;
  for (const value of entries.values) limit = value > limit ? value : -value > limit ? -value : limit;
  return {
    entries,
    limit: limit || 1,
    frequencies: ladder_of(posenc, asked).slice(),
    plain: plain && ladder_of(posenc, plain).slice(),
    clocks: await clocks(asked, position),
    row: table_of(posenc, asked, parse_position(position) ?? 0n, 1).values,
    magnitude: entries.layout === 'rotated' ? table_of(posenc, asked, 0n, 1).values[entries.columns / 2] : undefined,
  };
}

/** What changes no angle: the hands of clocks have length 1 and stand in one order. */
const plain = {
  rotated: { magnitude: '1', decay: 'none' },
  added: {
    layout: 'cosine_first',
    parts: 'both',
    phases: 'none',
    scale: '1',
    lead: 'nothing',
    normalise: 'none',
    absent: 'nothing',
  },
};

/** Cosine and sine of every pair's angle at a position. */
export async function clocks(asked: Asked, position: string): Promise<{ cosines: Float32Array; sines: Float32Array }> {
  const posenc = await module();
  const rotated = is_rotation(convention_of(posenc, asked));
  const replaced: Record<string, string> = rotated ? plain.rotated : plain.added;
  const is_replaced = (path: string): boolean => Object.keys(replaced).some((each) => path.startsWith(`${each}.`));
  const kept = Object.entries(asked.changes ?? {}).filter(([path]) => !is_replaced(path));
  const of = { ...asked, changes: { ...Object.fromEntries(kept), ...replaced } };
  const { values, columns } = table_of(posenc, of, parse_position(position) ?? 0n, 1);
  const front = values.slice(0, columns / 2);
  const back = values.slice(columns / 2);
  return rotated ? { cosines: back, sines: front } : { cosines: front, sines: back };
}
