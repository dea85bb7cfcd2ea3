// SPDX-License-Identifier: Apache-2.0
// The input stage: rows of tokens, scaled, with a signal added and some entries dropped.
import { posenc_encode_options, posenc_stage_options } from './layouts.js';
import { freed_with, refuse, whole } from './memory.js';

const scales = ['none', 'sqrtDim'];
const modes = ['evaluate', 'train'];

/** posenc_stage_options. */
export function options_of_stage(arena, { scale = 'none', dropout = 0, seed = 0, recipe, paddingId } = {}) {
  const number = typeof scale === 'number';
  if (!number && !scales.includes(scale)) refuse('stage', `scale must be a number, or one of ${scales.join(', ')}`, scale);
  return arena.struct(posenc_stage_options, {
    scale: number ? 3 : scales.indexOf(scale) + 1, scale_number: number ? scale : 0,
    has_padding: paddingId === undefined ? 0 : 1,
    padding_id: paddingId === undefined ? 0n : whole('stage', 'paddingId', paddingId),
    dropout, seed: whole('stage', 'seed', seed), recipe: arena.text(recipe) });
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
      const options = arena.struct(posenc_encode_options, { mode: modes.indexOf(mode) + 1, call, first });
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
