// SPDX-License-Identifier: Apache-2.0
// posenc in JavaScript: position encodings of Transformers with the bits of the native library. posenc.d.ts says what
// everything means; nothing here computes.
import { Calls } from './call.js';
import { Convention } from './convention.js';
import { CoordinateRows, Grid, Rotation, RotationTables, Rows } from './made_ready.js';
import { module_bytes } from './module.js';
import { Tensor, new_tensor, refuse, whole } from './memory.js';
import { context_of, entry_of, options_of_compare, options_of_identify, places_of, verdict_of } from './asked.js';

export { Convention, CoordinateRows, Grid, Rotation, RotationTables, Rows, Tensor };

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
      const out = arena.take(16);
      calls.exports.posenc_get_version(out);
      const [abi, major, minor, patch] = new Uint32Array(calls.exports.memory.buffer, out, 4);
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
        const list = (texts) => arena.struct(4 * texts.length, texts.map((each, i) => [4 * i, 'u32', arena.text(each)]));
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

  // ---- pairs of positions ----

  bias(convention, heads, queries, keys, { type = 'f32', head, present } = {}) {
    return this.#calls.result('bias', (arena, invoke) => {
      const of = Convention.address_of('bias', convention, this.#calls);
      const q = arena.positions('queries', [queries]), k = arena.positions('keys', [keys]);
      const context = arena.sized(24, [[8, 'i64', head === undefined ? 0n : whole('bias', 'head', head)],
        [16, 'u32', present === undefined ? 0 : arena.tensor('present', present)]]);
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
    return this.#calls.result('identify', (arena, invoke) => verdict_of(this.#calls, this.#calls.made(
      arena, invoke, 'posenc_identify', arena.tensor('tensor', tensor), options_of_identify(arena, options))));
  }
  check(tensor, convention, options = {}) {
    return this.#calls.result('check', (arena, invoke) => verdict_of(this.#calls, this.#calls.made(
      arena, invoke, 'posenc_check', arena.tensor('tensor', tensor), Convention.address_of('check', convention, this.#calls),
      arena.sized(32, [[8, 'i64', whole('check', 'width', options.width ?? 0)], [16, 'u32', context_of(arena, options.context)],
        [20, 'u32', options_of_identify(arena, options)]]))));
  }
  compare(a, b, options = {}) {
    return this.#calls.result('compare', (arena, invoke) => verdict_of(this.#calls, this.#calls.made(
      arena, invoke, 'posenc_compare', Convention.address_of('compare', a, this.#calls),
      Convention.address_of('compare', b, this.#calls), options_of_compare(arena, options))));
  }
  explain(convention, entry) {
    return this.#calls.result('explain', (arena, invoke) => verdict_of(this.#calls, this.#calls.made(
      arena, invoke, 'posenc_explain', Convention.address_of('explain', convention, this.#calls), entry_of(arena, entry),
      arena.text(entry?.recipe))));
  }
  /** The first position at which two conventions part. */
  parting(a, b, width, positions, { context } = {}) {
    return this.#calls.result('parting', (arena, invoke) => verdict_of(this.#calls, this.#calls.made(
      arena, invoke, 'posenc_parting', Convention.address_of('parting', a, this.#calls),
      Convention.address_of('parting', b, this.#calls), whole('parting', 'width', width),
      whole('parting', 'positions', positions), context_of(arena, context))));
  }

  // ---- files ----

  inspect(json, { source, as, part, length = 0, frequencies = 0 } = {}) {
    return this.#calls.result('inspect', (arena, invoke) => {
      const options = arena.sized(40, [[8, 'u32', arena.text(source)], [12, 'u32', arena.text(as)], [16, 'u32', arena.text(part)],
        [24, 'i64', whole('inspect', 'length', length)], [32, 'i64', whole('inspect', 'frequencies', frequencies)]]);
      return this.#calls.text(arena, invoke, 'posenc_inspect', ...arena.counted(String(json)), options);
    });
  }
  /** The tensor in the bytes of an .npy file. */
  npy(bytes, name = 'npy') {
    return this.#calls.result('npy', (arena, invoke) => {
      if (!(bytes instanceof ArrayBuffer || bytes instanceof Uint8Array)) refuse('npy', 'bytes must be given', typeof bytes);
      const out = arena.take(144);
      invoke('posenc_npy_read', arena.bytes(new Uint8Array(bytes)), bytes.byteLength, arena.text(name), out);
      return arena.adopted(out);
    });
  }
}
