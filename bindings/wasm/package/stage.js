// SPDX-License-Identifier: Apache-2.0
// The input stage: rows of tokens, scaled, with a signal added and some entries dropped.
import { freed_with, refuse, whole } from './memory.js';

const scales = ['none', 'sqrtDim'];
const modes = ['evaluate', 'train'];

/** posenc_stage_options. */
export function options_of_stage(arena, { scale = 'none', dropout = 0, seed = 0, recipe, paddingId } = {}) {
  const number = typeof scale === 'number';
  if (!number && !scales.includes(scale)) refuse('stage', `scale must be a number, or one of ${scales.join(', ')}`, scale);
  return arena.sized(56, [[4, 'u32', number ? 3 : scales.indexOf(scale) + 1], [8, 'f64', number ? scale : 0],
    [20, 'u32', paddingId === undefined ? 0 : 1],
    [24, 'i64', paddingId === undefined ? 0n : whole('stage', 'paddingId', paddingId)],
    [32, 'f64', dropout], [40, 'i64', whole('stage', 'seed', seed)], [48, 'u32', arena.text(recipe)]]);
}

export class Stage {
  #calls;
  #address;
  #free;
  #kept;
  #width;
  /** `kept` are the tensors that the stage reads. */
  constructor(calls, address, width, kept) {
    this.#calls = calls;
    this.#address = address;
    this.#width = width;
    this.#kept = kept;
    this.#free = freed_with(this, calls.exports, 'posenc_stage_free', address);
    this.factor = calls.exports.posenc_stage_factor(address);
  }
  /** A new tensor [tokens, width]. */
  encode(ids, positions, { mode = 'evaluate', call = 0, first = 0, type = 'f32' } = {}) {
    return this.#calls.result('encode', (arena, invoke) => {
      if (this.#address === 0) refuse('encode', 'what is freed is not used', 'a freed one');
      if (!modes.includes(mode)) refuse('encode', `mode must be one of ${modes.join(', ')}`, mode);
      const list = arena.tensor('ids', ids);
      const options = arena.sized(20, [[4, 'u32', modes.indexOf(mode) + 1], [8, 'u32', call], [12, 'u32', first]]);
      return arena.filled(type, [...ids.shape, this.#width], (out) => invoke('posenc_stage_encode', this.#address, list,
        arena.positions('positions', [positions]), out, options));
    });
  }
  free() {
    this.#free();
    this.#address = 0;
    this.#kept = undefined;
  }
}
