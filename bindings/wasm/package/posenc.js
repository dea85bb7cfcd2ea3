// SPDX-License-Identifier: Apache-2.0
// posenc in JavaScript: position encodings of Transformers with the bits of the native library. posenc.d.ts says what
// everything means; nothing here computes.
import { Calls } from './call.js';
import { Convention } from './convention.js';
import { posenc_bias_context, posenc_places, posenc_version, posenc_view } from './layouts.js';
import { CoordinateRows, Grid, Rotation, RotationTables, Rows } from './made_ready.js';
import { module_bytes } from './module.js';
import { Tensor, fields_at, new_tensor, refuse, text_at, whole } from './memory.js';
import { Stage, options_of_stage } from './stage.js';
import { context_of, places_at, places_of } from './asked.js';
import * as referee from './referee.js';

export { Convention, CoordinateRows, Grid, Rotation, RotationTables, Rows, Stage, Tensor };

/** The value of a result; what is refused becomes an Error, for scripts that would rather stop. */
export function must(result) {
  if (result.ok) return result.value;
  throw Object.assign(new Error(result.error.message), { problem: result.error });
}

/** The module, whose bytes are in the package unless another source is given: bytes, a Module, or a Response of one. */
export async function load(source) {
  const given = source === undefined ? await module_bytes() : await source;
  const module = given instanceof WebAssembly.Module ? given
    : typeof Response !== 'undefined' && given instanceof Response ? await WebAssembly.compileStreaming(given)
      : await WebAssembly.compile(given);
  const { exports } = await WebAssembly.instantiate(module, {});
  exports._initialize();
  return new Posenc(new Calls(exports));
}

class Posenc {
  #calls;
  constructor(calls) {
    this.#calls = calls;
    this.presets = Object.freeze(calls.names('posenc_preset_name'));
    this.recipes = Object.freeze(calls.names('posenc_recipe_name'));
    this.version = must(calls.result('version', (arena) => {
      const out = arena.struct(posenc_version);
      calls.exports.posenc_get_version(out);
      const { abi, major, minor, patch } = fields_at(calls.exports, posenc_version, out);
      return { abi, text: `${major}.${minor}.${patch}` };
    }));
  }

  // ---- conventions ----

  convention(text, changes = {}) {
    return this.#calls.result('convention', (arena, invoke) => {
      if (typeof text !== 'string') refuse('convention', 'a preset or a document of JSON must be named', text);
      let address = this.#calls.made(arena, invoke, 'posenc_convention_new', ...arena.counted(text));
      const entries = Object.entries(changes);
      if (entries.length > 0) {
        const list = (texts) => arena.numbers(Uint32Array, texts.map((each) => arena.text(each)));
        const before = address;
        try {
          address = this.#calls.made(arena, invoke, 'posenc_convention_with', before, list(entries.map(([path]) => path)),
            list(entries.map(([, value]) => String(value))), entries.length);
        } finally {
          this.#calls.exports.posenc_convention_free(before);
        }
      }
      return new Convention(this.#calls, address);
    });
  }
  preset(name) {
    return this.#calls.result('preset', (arena, invoke) =>
      this.#calls.text(arena, invoke, 'posenc_preset_json', arena.text(String(name))));
  }
  /** How the original numbers cells; a value for `grid`. */
  placesOf(name) {
    return this.#calls.result('placesOf', (arena, invoke) => {
      const out = arena.struct(posenc_places);
      invoke('posenc_preset_places', arena.text(String(name)), out);
      return places_at(this.#calls.exports, out);
    });
  }

  // ---- what is made ready once ----

  #ready(Kind, operation, create, convention, width, options, places) {
    return this.#calls.result(operation, (arena, invoke) => {
      const address = this.#calls.made(arena, invoke, create, Convention.address_of(operation, convention, this.#calls),
        whole(operation, 'width', width), arena.text(options.recipe), context_of(arena, options.context),
        ...(places === undefined ? [] : [places_of(arena, places)]));
      return new Kind(this.#calls, address);
    });
  }
  rows(convention, width, options = {}) {
    return this.#ready(Rows, 'rows', 'posenc_rows_new', convention, width, options);
  }
  coordinates(convention, width, options = {}) {
    return this.#ready(CoordinateRows, 'coordinates', 'posenc_coordinates_new', convention, width, options);
  }
  grid(convention, width, options = {}) {
    return this.#ready(Grid, 'grid', 'posenc_grid_new', convention, width, options, options.places ?? null);
  }
  rotation(convention, width, options = {}) {
    return this.#ready(Rotation, 'rotation', 'posenc_rotary_new', convention, width, options);
  }
  rotationTables(convention, head, options = {}) {
    return this.#ready(RotationTables, 'rotationTables', 'posenc_rotary_cache_new', convention, head, options);
  }

  // ---- tensors ----

  tensor(type, shape, data) {
    return this.#calls.result('tensor', () => {
      const made = new_tensor(this.#calls.exports, 'tensor', type, shape);
      if (data === undefined) return made;
      if (data?.length !== made.data.length) {
        made.free();
        refuse('tensor', `data must have ${shape.join(' x ')} elements`, data?.length);
      }
      made.data.set(data);
      return made;
    });
  }
  /** The rows of positions by their width. */
  table(convention, width, positions, options = {}) {
    const rows = this.rows(convention, width, options);
    if (!rows.ok) return rows;
    const made = rows.value.table(positions, options.type);
    rows.value.free();
    return made;
  }

  stage(rows, options) {
    return this.#calls.result('stage', (arena, invoke) => {
      const { convention, table } = options ?? {};
      const address = this.#calls.made(arena, invoke, 'posenc_stage_new', arena.tensor('rows', rows),
        convention === undefined ? 0 : Convention.address_of('stage', convention, this.#calls),
        table === undefined ? 0 : arena.tensor('table', table), options_of_stage(arena, options));
      return new Stage(this.#calls, address, rows.shape[1], [rows, table]);
    });
  }

  /** Rows of the numbers that a seed stands for. */
  seededRows(rows, width, { seed = 0, stream = 0, init = 'normal' } = {}) {
    return this.#calls.result('seededRows', (arena, invoke) => {
      const inits = ['normal', 'scaled'];
      if (!inits.includes(init)) refuse('seededRows', `init must be one of ${inits.join(', ')}`, init);
      return arena.filled('f32', [rows, width], (out) => invoke('posenc_seeded_rows', out, whole('seededRows', 'seed', seed),
        whole('seededRows', 'stream', stream), inits.indexOf(init) + 1));
    });
  }

  // ---- pairs of rows ----

  /** [n, m] f64: rows of `a` [n, d] times rows of `b` [m, d], f32, summed in f64 in the order of columns. */
  products(a, b) {
    return this.#calls.result('products', (arena, invoke) => {
      const rows = [arena.tensor('a', a), arena.tensor('b', b)];
      return arena.filled('f64', [a.shape[0], b.shape[0]], (out) => invoke('posenc_products', ...rows, out));
    });
  }
  attentionWeights(queries, keys) {
    return this.#calls.result('attentionWeights', (arena, invoke) => {
      const rows = [arena.tensor('queries', queries), arena.tensor('keys', keys)];
      return arena.filled('f32', [...queries.shape.slice(0, 3), keys.shape[2]],
        (out) => invoke('posenc_attention_weights', ...rows, out));
    });
  }

  // ---- stored tables ----

  resizeTable(convention, table, from, to) {
    return this.#calls.result('resizeTable', (arena, invoke) => {
      const pair = (name, sides) => arena.numbers(BigInt64Array, sides.map((side) => whole('resizeTable', name, side)));
      const of = Convention.address_of('resizeTable', convention, this.#calls);
      const extra = table.shape[0] - from[0] * from[1];  // rows that are no cells, such as that of the class token
      return arena.filled(table.type, [extra + to[0] * to[1], table.shape[1]], (out) => invoke('posenc_resize_table', of,
        arena.tensor('table', table), pair('from', from), pair('to', to), out, 0));
    });
  }

  // ---- pairs of positions ----

  bias(convention, heads, queries, keys, { type = 'f32', head, present } = {}) {
    return this.#calls.result('bias', (arena, invoke) => {
      const of = Convention.address_of('bias', convention, this.#calls);
      const q = arena.positions('queries', [queries]), k = arena.positions('keys', [keys]);
      const context = arena.struct(posenc_bias_context, { head: head === undefined ? 0n : whole('bias', 'head', head),
        present: present === undefined ? 0 : arena.tensor('present', present) });
      return arena.filled(type, [heads, arena.count(q), arena.count(k)],
        (view) => invoke('posenc_bias', of, q, k, context, view, 0));
    });
  }
  buckets(convention, queries, keys) {
    return this.#calls.result('buckets', (arena, invoke) => {
      const of = Convention.address_of('buckets', convention, this.#calls);
      const q = arena.positions('queries', [queries]), k = arena.positions('keys', [keys]);
      return arena.filled('i32', [arena.count(q), arena.count(k)], (view) => invoke('posenc_buckets', of, q, k, view, 0));
    });
  }
  queryScale(convention, positions, { type = 'f32' } = {}) {
    return this.#calls.result('queryScale', (arena, invoke) => {
      const of = Convention.address_of('queryScale', convention, this.#calls);
      const p = arena.positions('positions', [positions]);
      return arena.filled(type, [arena.count(p)], (view) => invoke('posenc_query_scale', of, p, view, 0));
    });
  }

  // ---- the referee ----

  identify(tensor, options = {}) {
    return referee.identify(this.#calls, tensor, options);
  }
  check(tensor, convention, options = {}) {
    return referee.check(this.#calls, tensor, convention, options);
  }
  compare(a, b, options = {}) {
    return referee.compare(this.#calls, a, b, options);
  }
  explain(convention, entry) {
    return referee.explain(this.#calls, convention, entry);
  }
  /** The first position at which two conventions part. */
  parting(a, b, width, positions, options = {}) {
    return referee.parting(this.#calls, a, b, width, positions, options);
  }
  tableOrder(from, to, width, options = {}) {
    return referee.table_order(this.#calls, from, to, width, options);
  }
  headOrder(from, to, head, options = {}) {
    return referee.head_order(this.#calls, from, to, head, options);
  }
  inspect(json, options = {}) {
    return referee.inspect(this.#calls, json, options);
  }

  // ---- files ----

  /** What a .safetensors file holds: of each tensor its name, its type, or null where none such is read, its shape, and
   *  the offset of its bytes. */
  safetensors(bytes, name = 'safetensors') {
    return this.#calls.result('safetensors', (arena, invoke) => {
      if (!(bytes instanceof ArrayBuffer || bytes instanceof Uint8Array)) refuse('safetensors', 'bytes must be given', typeof bytes);
      const file = arena.bytes(new Uint8Array(bytes)), view = arena.struct(posenc_view), tensor = arena.take(256), count = arena.take(4);
      const found = [];
      for (let number = 0, all = 1; number < all; ++number) {
        invoke('posenc_safetensors_tensor', file, bytes.byteLength, arena.text(name), number, view, tensor, count);
        all = arena.word(count);
        const { data, ...stated } = arena.described(view);
        if (number < all) found.push({ name: text_at(this.#calls.exports, tensor), ...stated, at: data - file });
      }
      return found;
    });
  }
  /** The tensor in the bytes of an .npy file. */
  npy(bytes, name = 'npy') {
    return this.#calls.result('npy', (arena, invoke) => {
      if (!(bytes instanceof ArrayBuffer || bytes instanceof Uint8Array)) refuse('npy', 'bytes must be given', typeof bytes);
      const out = arena.struct(posenc_view);
      invoke('posenc_npy_read', arena.bytes(new Uint8Array(bytes)), bytes.byteLength, arena.text(name), out);
      return arena.adopted(out);
    });
  }
}
