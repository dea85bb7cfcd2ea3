// SPDX-License-Identifier: Apache-2.0
// Conventions made ready for one width: what costs once, so that rows are had in microseconds.
import { posenc_rotated } from './layouts.js';
import { freed_with, refuse, whole } from './memory.js';

/** Several lists, one for each axis, or the one that there is. */
function axes_of(given) {
  const several = Array.isArray(given) && given.length > 0 && typeof given[0] === 'object';
  return several ? given : [given];
}

/** A handle of the C ABI: `free` names the function that frees it, `width` the one that tells its columns. */
class Handle {
  #address;
  #free;
  constructor(owner, calls, address, names) {
    this.#address = address;
    this.calls = calls;
    this.#free = freed_with(owner, calls.exports, names.free, address);
    this.width = Number(calls.exports[names.width](address));
  }
  address(operation) {
    return this.#address !== 0 ? this.#address : refuse(operation, 'what is freed is not used', 'a freed one');
  }
  free() {
    this.#free();
    this.#address = 0;
  }
  frequencies(name) {
    return this.calls.result('frequencies', (arena, invoke) =>
      this.calls.numbers(arena, invoke, 'f64', name, this.address('frequencies')));
  }
}

/** Rows of positions. */
export class Rows {
  #handle;
  constructor(calls, address) {
    this.#handle = new Handle(this, calls, address, { free: 'posenc_rows_free', width: 'posenc_rows_width' });
    this.width = this.#handle.width;
  }
  /** A new tensor [positions, width]. */
  table(positions, type = 'f32') {
    return this.#handle.calls.result('table', (arena, invoke) => {
      const list = arena.positions('positions', [positions]);
      return arena.filled(type, [arena.count(list), this.width], (view) =>
        invoke('posenc_rows_write', this.#handle.address('table'), list, view, 0));
    });
  }
  /** Into a tensor that there is: what moves with a slider makes nothing anew. */
  write(positions, out) {
    return this.#handle.calls.result('write', (arena, invoke) => {
      invoke('posenc_rows_write', this.#handle.address('write'), arena.positions('positions', [positions]),
        arena.tensor('out', out), 0);
      return out;
    });
  }
  frequencies() {
    return this.#handle.frequencies('posenc_rows_frequencies');
  }
  free() {
    this.#handle.free();
  }
}

/** Rows of points with a coordinate on each axis. */
export class CoordinateRows {
  #handle;
  constructor(calls, address) {
    this.#handle = new Handle(this, calls, address, { free: 'posenc_coordinates_free', width: 'posenc_coordinates_width' });
    this.width = this.#handle.width;
  }
  /** A new tensor [points, width]; a list of coordinates for each axis. */
  table(coordinates, type = 'f32') {
    return this.#handle.calls.result('table', (arena, invoke) => {
      const lists = axes_of(coordinates);
      const first = arena.positions('coordinates', lists);
      return arena.filled(type, [arena.count(first), this.width], (view) =>
        invoke('posenc_coordinates_write', this.#handle.address('table'), first, lists.length, view, 0));
    });
  }
  free() {
    this.#handle.free();
  }
}

/** The cells of a grid. */
export class Grid {
  #handle;
  constructor(calls, address) {
    this.#handle = new Handle(this, calls, address, { free: 'posenc_grid_free', width: 'posenc_grid_width' });
    this.width = this.#handle.width;
  }
  /** A new tensor [..extents, width]. */
  table(extents, type = 'f32') {
    return this.#handle.calls.result('table', (arena, invoke) => {
      if (!Array.isArray(extents)) refuse('table', 'extents must be a list of sizes', extents);
      return arena.filled(type, [...extents, this.width], (view) =>
        invoke('posenc_grid_write', this.#handle.address('table'), view, 0));
    });
  }
  free() {
    this.#handle.free();
  }
}

const directions = ['forward', 'inverse'], sides = ['query', 'key'], token_axes = ['beforeColumns', 'beforeHeads'];

function number_of(name, words, word, otherwise) {
  if (word === undefined) return otherwise;
  const found = words.indexOf(word);
  return found < 0 ? refuse('rotate', `${name} must be ${words.join(' or ')}`, word) : found + 1;
}

/** Heads turned in place. */
export class Rotation {
  #handle;
  constructor(calls, address) {
    this.#handle = new Handle(this, calls, address, { free: 'posenc_rotary_free', width: 'posenc_rotary_width' });
    this.width = this.#handle.width;
  }
  /** Turns a tensor [.., positions, columns], or several, where they stand. */
  rotate(coordinates, tensors, { direction, side, tokens } = {}) {
    return this.#handle.calls.result('rotate', (arena, invoke) => {
      const lists = axes_of(coordinates), turned = Array.isArray(tensors) ? tensors : [tensors];
      const rotated = turned.map((tensor) => {
        const view = arena.tensor('tensors', tensor);
        return { in: view, out: view, side: number_of('side', sides, side, 0),
          tokens: number_of('tokens', token_axes, tokens, 0) };
      });
      invoke('posenc_rotary_rotate', this.#handle.address('rotate'), arena.positions('coordinates', lists), lists.length,
        arena.structs(posenc_rotated, rotated), turned.length,
        number_of('direction', directions, direction, 1), 0);
      return tensors;
    });
  }
  free() {
    this.#handle.free();
  }
}

/** Cosines and sines in the form in which a kernel reads them. */
export class RotationTables {
  #handle;
  constructor(calls, address) {
    this.#handle = new Handle(this, calls, address, { free: 'posenc_rotary_cache_free', width: 'posenc_rotary_cache_width' });
    this.width = this.#handle.width;
    this.names = Object.freeze(calls.names('posenc_rotary_cache_tensor', address));
  }
  /** A new tensor [positions, width] of that name. */
  table(name, coordinates, type = 'f32') {
    return this.#handle.calls.result('table', (arena, invoke) => {
      const lists = axes_of(coordinates);
      const first = arena.positions('coordinates', lists);
      return arena.filled(type, [arena.count(first), this.width], (view) => invoke('posenc_rotary_cache_write',
        this.#handle.address('table'), arena.text(String(name)), first, lists.length, view, 0));
    });
  }
  frequencies() {
    return this.#handle.frequencies('posenc_rotary_cache_frequencies');
  }
  free() {
    this.#handle.free();
  }
}
