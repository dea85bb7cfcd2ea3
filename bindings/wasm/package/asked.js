// SPDX-License-Identifier: Apache-2.0
// Options as the structs of posenc.h. exports.cc states where the fields of each struct stand.
import { refuse, whole } from './memory.js';

export function real(arena, name, value) {
  return typeof value === 'number' ? value : refuse(arena.operation, `${name} must be a number`, value);
}

export function word_number(arena, name, words, word) {
  const found = words.indexOf(word);
  return found < 0 ? refuse(arena.operation, `${name} must be one of ${words.join(', ')}`, word) : found + 1;
}

/** posenc_context; 0 where nothing is stated. */
export function context_of(arena, context) {
  if (context === undefined) return 0;
  const { length, centre, learned } = context;
  return arena.sized(32, [
    [4, 'u32', (centre === undefined ? 0 : 1) | (learned === undefined ? 0 : 2)],
    [8, 'i64', length === undefined ? 0n : whole(arena.operation, 'context.length', length)],
    [16, 'f64', centre === undefined ? 0 : real(arena, 'context.centre', centre)],
    [24, 'f64', learned === undefined ? 0 : real(arena, 'context.learned', learned)]]);
}

const divisors = ['one', 'count', 'gaps', 'last', 'longest', 'shortest'], roundings = ['asTheyAre', 'floor'];

/** posenc_places; 0 where they are not stated. */
export function places_of(arena, places) {
  if (places === null) return 0;
  const { first = 0, divisor = 'one', rounding = 'asTheyAre', eps = 0, gain = 1, shift = 0 } = places;
  const is_half = first === 'minusHalf';
  return arena.struct(48, [
    [0, 'u32', is_half ? 2 : 1], [4, 'u32', word_number(arena, 'divisor', divisors, divisor)],
    [8, 'u32', word_number(arena, 'rounding', roundings, rounding)],
    [16, 'f64', is_half ? 0 : real(arena, 'places.first', first)], [24, 'f64', real(arena, 'places.eps', eps)],
    [32, 'f64', real(arena, 'places.gain', gain)], [40, 'f64', real(arena, 'places.shift', shift)]]);
}

/** What a posenc_places states, as a value. */
export function places_at(exports, address) {
  const fields = new DataView(exports.memory.buffer, address);
  const number = (offset) => fields.getFloat64(offset, true), word = (offset) => fields.getUint32(offset, true);
  return { first: word(0) === 2 ? 'minusHalf' : number(16), divisor: divisors[word(4) - 1],
    rounding: roundings[word(8) - 1], eps: number(24), gain: number(32), shift: number(40) };
}
