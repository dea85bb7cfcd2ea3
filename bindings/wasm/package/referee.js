// SPDX-License-Identifier: Apache-2.0
// The referee, orders of numbers and configurations of models: what a module without them, as the page loads first,
// refuses. Every name of posenc.h that stands here alone is not exported by that one.
import { Convention } from './convention.js';
import { context_of, places_of, real, word_number } from './asked.js';
import {
  posenc_check_options, posenc_compare_options, posenc_entry, posenc_identify_options, posenc_inspect_options,
} from './layouts.js';
import { refuse, text_at, whole } from './memory.js';

/** Positions of the rows, a list for each axis, as an address and a number. */
function lists_of(arena, name, lists) {
  if (lists === undefined) return [0, 0];
  if (!Array.isArray(lists)) refuse(arena.operation, `${name} must be a list of positions for each axis`, typeof lists);
  return [arena.positions(name, lists), lists.length];
}

function options_of_identify(arena, { depth = 'sampled', positions }) {
  const [first, axes] = lists_of(arena, 'options.positions', positions);
  return arena.struct(posenc_identify_options, {
    depth: word_number(arena, 'options.depth', ['sampled', 'full'], depth), positions: first, axes });
}

function options_of_compare(arena, { width = 0, positions, context }) {
  const [first, axes] = lists_of(arena, 'options.positions', positions);
  return arena.struct(posenc_compare_options, {
    dim: whole(arena.operation, 'options.width', width), positions: first, axes, context: context_of(arena, context) });
}

/** posenc_entry: one column at one place. */
function entry_of(arena, entry) {
  const { width, column, at, side, headWidth = 0, context, before } = entry ?? {};
  if (!Array.isArray(at)) refuse(arena.operation, 'at must be a list of one coordinate for each axis', at);
  const sides = ['query', 'key'];
  return arena.struct(posenc_entry, {
    side: side === undefined ? 0 : word_number(arena, 'side', sides, side),
    dim: whole(arena.operation, 'width', width), column: whole(arena.operation, 'column', column),
    head_width: whole(arena.operation, 'headWidth', headWidth),
    at: arena.positions('at', at.map((each) => [each])), axes: at.length, context: context_of(arena, context),
    before: before === undefined ? 0
      : arena.numbers(Float64Array, [real(arena, 'before', before[0]), real(arena, 'before', before[1])]) });
}

/** What a posenc_verdict holds; the handle is freed. */
function verdict_of(calls, address) {
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

/** The verdict that a function of posenc.h writes; `pass(arena, invoke)` are what it takes. */
function judged(calls, operation, name, pass) {
  return calls.result(operation, (arena, invoke) => verdict_of(calls, calls.made(arena, invoke, name, ...pass(arena))));
}

export function identify(calls, tensor, options) {
  return judged(calls, 'identify', 'posenc_identify',
    (arena) => [arena.tensor('tensor', tensor), options_of_identify(arena, options)]);
}

export function check(calls, tensor, convention, options) {
  return judged(calls, 'check', 'posenc_check', (arena) => {
    const list_of = (name) => (options[name] === undefined ? 0 : arena.positions(name, [options[name]]));
    return [arena.tensor('tensor', tensor), Convention.address_of('check', convention, calls),
      arena.struct(posenc_check_options, {
        dim: whole('check', 'width', options.width ?? 0), context: context_of(arena, options.context),
        identify: options_of_identify(arena, options), places: places_of(arena, options.places ?? null),
        queries: list_of('queries'), keys: list_of('keys') })];
  });
}

export function compare(calls, a, b, options) {
  return judged(calls, 'compare', 'posenc_compare', (arena) => [Convention.address_of('compare', a, calls),
    Convention.address_of('compare', b, calls), options_of_compare(arena, options)]);
}

export function explain(calls, convention, entry) {
  return judged(calls, 'explain', 'posenc_explain', (arena) => [
    Convention.address_of('explain', convention, calls), entry_of(arena, entry), arena.text(entry?.recipe)]);
}

export function parting(calls, a, b, width, positions, { context }) {
  return judged(calls, 'parting', 'posenc_parting', (arena) => [
    Convention.address_of('parting', a, calls), Convention.address_of('parting', b, calls),
    whole('parting', 'width', width), whole('parting', 'positions', positions), context_of(arena, context)]);
}

export function table_order(calls, from, to, width, { context }) {
  return calls.result('tableOrder', (arena, invoke) => Array.from(calls.numbers(arena, invoke, 'i64', 'posenc_table_order',
    Convention.address_of('tableOrder', from, calls), Convention.address_of('tableOrder', to, calls),
    whole('tableOrder', 'width', width), context_of(arena, context)), Number));
}

export function head_order(calls, from, to, head, { context }) {
  return calls.result('headOrder', (arena, invoke) => {
    const columns = Number(whole('headOrder', 'head', head)), size = 8 * Math.max(0, columns);
    const read = arena.take(size), written = arena.take(size);
    invoke('posenc_head_order', Convention.address_of('headOrder', from, calls), Convention.address_of('headOrder', to, calls),
      BigInt(columns), context_of(arena, context), read, written);
    const list = (at) => Array.from(new BigInt64Array(calls.exports.memory.buffer, at, columns), Number);
    return { read: list(read), written: list(written) };
  });
}

export function inspect(calls, json, { source, as, part, length = 0, frequencies = 0 }) {
  return calls.result('inspect', (arena, invoke) => {
    const options = arena.struct(posenc_inspect_options, {
      source: arena.text(source), as: arena.text(as), part: arena.text(part),
      length: whole('inspect', 'length', length), frequencies: whole('inspect', 'frequencies', frequencies) });
    return calls.text(arena, invoke, 'posenc_inspect', ...arena.counted(String(json)), options);
  });
}
