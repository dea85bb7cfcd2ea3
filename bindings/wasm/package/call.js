// SPDX-License-Identifier: Apache-2.0
// One call of the C ABI: its status and error as a value.
import { posenc_error } from './layouts.js';
import { Arena, Refusal, fields_at, refuse, text_at } from './memory.js';

function problem_at(exports, cause, address) {
  const { rank, index, operation, rule, value } = fields_at(exports, posenc_error, address);
  return { cause: cause === 1 ? 'input' : 'system', operation, rule, value, index: index.slice(0, rank).map(Number) };
}

function failed({ cause, operation, rule, value, index }) {
  const place = index.length === 0 ? '' : ` at [${index.join(', ')}]`;
  const message = `[${operation}] ${rule}, got ${value}${place}`;
  return { ok: false, error: { cause, operation, rule, value, index, message } };
}

/** What calls need of one instance. A trap is a fault of the module: nothing in its memory is to be relied on then. */
export class Calls {
  #trapped = false;
  constructor(exports) {
    this.exports = exports;
  }
  /** `work(arena, invoke)` as a result; `invoke(name, ...arguments)` calls a function of posenc.h that returns a status. */
  result(operation, work) {
    if (this.#trapped) return this.#refused_after_trap(operation);
    const arena = new Arena(this.exports, operation);
    try {
      const error = arena.struct(posenc_error);
      const invoke = (name, ...passed) => {
        if (!(name in this.exports)) refuse(operation, 'the module must have the referee', 'one without it');
        const status = this.exports[name](...passed, error);
        if (status !== 0) throw new Refusal(problem_at(this.exports, status, error));
      };
      const value = work(arena, invoke);
      arena.end();
      return { ok: true, value };
    } catch (thrown) {
      if (thrown instanceof WebAssembly.RuntimeError) {
        this.#trapped = true;
        return this.#refused_after_trap(operation);
      }
      arena.end();
      if (!(thrown instanceof Refusal)) throw thrown;
      return failed(thrown.problem);
    }
  }
  #refused_after_trap(operation) {
    return failed({
      cause: 'system', operation, rule: 'the module must not trap; load a new one', value: 'a trap', index: [] });
  }
  /** A text that is had by two calls: its length, then its bytes. */
  text(arena, invoke, name, ...passed) {
    const length = arena.take(4);
    invoke(name, ...passed, 0, 0, length);
    const bytes = arena.word(length);
    const text = arena.take(bytes + 1);
    invoke(name, ...passed, text, bytes + 1, length);
    return text_at(this.exports, text);
  }
  /** A list that is had by two calls, its length and its numbers: copied. */
  numbers(arena, invoke, type, name, ...passed) {
    const count = arena.take(4);
    invoke(name, ...passed, 0, 0, count);
    const size = arena.word(count);
    const out = arena.take(8 * size);
    invoke(name, ...passed, out, size, count);
    const array = type === 'i64' ? BigInt64Array : Float64Array;
    return new array(this.exports.memory.buffer, out, size).slice();
  }
  /** Names by number, until there is none. */
  names(name, ...passed) {
    const names = [];
    for (let number = 0; ; ++number) {
      const text = text_at(this.exports, this.exports[name](...passed, number) >>> 0);
      if (text === null) return names;
      names.push(text);
    }
  }
  /** The handle that a _new function writes. */
  made(arena, invoke, name, ...passed) {
    const out = arena.take(4);
    invoke(name, ...passed, out);
    return arena.word(out);
  }
}
