// SPDX-License-Identifier: Apache-2.0
// Encodes options as the structs of posenc.h.
import { posenc_context, posenc_places } from './layouts.js';
import { fields_at, refuse, whole } from './memory.js';

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
  return arena.struct(posenc_context, {
    stated: (centre === undefined ? 0 : 1) | (learned === undefined ? 0 : 2),
    length: length === undefined ? 0n : whole(arena.operation, 'context.length', length),
    centre: centre === undefined ? 0 : real(arena, 'context.centre', centre),
    learned: learned === undefined ? 0 : real(arena, 'context.learned', learned) });
}

const divisors = ['one', 'count', 'gaps', 'last', 'longest', 'shortest'], roundings = ['asTheyAre', 'floor'];

/** posenc_places; 0 where they are not stated. */
export function places_of(arena, places) {
  if (places === null) return 0;
  const { first = 0, divisor = 'one', rounding = 'asTheyAre', eps = 0, gain = 1, shift = 0 } = places;
  const is_half = first === 'minusHalf';
  return arena.struct(posenc_places, {
    first_kind: is_half ? 2 : 1, divisor: word_number(arena, 'divisor', divisors, divisor),
    rounding: word_number(arena, 'rounding', roundings, rounding),
    first: is_half ? 0 : real(arena, 'places.first', first), eps: real(arena, 'places.eps', eps),
    gain: real(arena, 'places.gain', gain), shift: real(arena, 'places.shift', shift) });
}

/** What a posenc_places states, as a value. */
export function places_at(exports, address) {
  const { first_kind, divisor, rounding, first, eps, gain, shift } = fields_at(exports, posenc_places, address);
  return { first: first_kind === 2 ? 'minusHalf' : first, divisor: divisors[divisor - 1], rounding: roundings[rounding - 1],
    eps, gain, shift };
}
