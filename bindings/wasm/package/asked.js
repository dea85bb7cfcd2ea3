// SPDX-License-Identifier: Apache-2.0
// Options as the structs of posenc.h, and verdicts as values. exports.cc states where the fields of each struct stand.
import { refuse, text_at, whole } from './memory.js';

function real(arena, name, value) {
  return typeof value === 'number' ? value : refuse(arena.operation, `${name} must be a number`, value);
}

function word_number(arena, name, words, word) {
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

/** posenc_places; 0 for 0, 1, 2, .. */
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

/** Positions of the rows, a list for each axis, as an address and a number. */
function lists_of(arena, name, lists) {
  if (lists === undefined) return [0, 0];
  if (!Array.isArray(lists)) refuse(arena.operation, `${name} must be a list of positions for each axis`, typeof lists);
  return [arena.positions(name, lists), lists.length];
}

export function options_of_identify(arena, { depth = 'sampled', positions }) {
  const [first, axes] = lists_of(arena, 'options.positions', positions);
  return arena.sized(20, [[4, 'u32', word_number(arena, 'options.depth', ['sampled', 'full'], depth)],
    [8, 'u32', first], [12, 'u32', axes]]);
}

export function options_of_compare(arena, { width = 0, positions, context }) {
  const [first, axes] = lists_of(arena, 'options.positions', positions);
  return arena.sized(32, [[8, 'i64', whole(arena.operation, 'options.width', width)], [16, 'u32', first], [20, 'u32', axes],
    [24, 'u32', context_of(arena, context)]]);
}

/** posenc_entry: one column at one place. */
export function entry_of(arena, entry) {
  const { width, column, at, side, headWidth = 0, context, before } = entry ?? {};
  if (!Array.isArray(at)) refuse(arena.operation, 'at must be a list of one coordinate for each axis', at);
  const sides = ['query', 'key'];
  const fields = [
    [4, 'u32', side === undefined ? 0 : word_number(arena, 'side', sides, side)],
    [8, 'i64', whole(arena.operation, 'width', width)], [16, 'i64', whole(arena.operation, 'column', column)],
    [24, 'i64', whole(arena.operation, 'headWidth', headWidth)],
    [32, 'u32', arena.positions('at', at.map((each) => [each]))], [36, 'u32', at.length],
    [40, 'u32', context_of(arena, context)]];
  if (before !== undefined) {
    fields.push([44, 'u32', arena.struct(16, [[0, 'f64', real(arena, 'before', before[0])], [8, 'f64', real(arena, 'before', before[1])]])]);
  }
  return arena.sized(48, fields);
}

/** What a posenc_verdict holds; the handle is freed. */
export function verdict_of(calls, address) {
  const { exports } = calls;
  const text = (name) => text_at(exports, exports[name](address) >>> 0);
  const json = text('posenc_verdict_json');
  const verdict = {
    holds: exports.posenc_verdict_holds(address) === 1,
    presets: calls.names('posenc_verdict_preset', address),
    json,
    report: JSON.parse(json),
    text: text('posenc_verdict_text'),
  };
  exports.posenc_verdict_free(address);
  return verdict;
}
