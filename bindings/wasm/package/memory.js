// SPDX-License-Identifier: Apache-2.0
// The module's memory as JavaScript sees it: values that live for one call, tensors that live until they are freed, and
// views made anew, since memory that grows leaves every older view empty.
import { posenc_positions, posenc_view } from './layouts.js';

/** Element types: the number of each in posenc.h, and the array that holds it. Halves are their bits. */
export const types = {
  f32: { number: 1, array: Float32Array },
  f64: { number: 2, array: Float64Array },
  f16: { number: 3, array: Uint16Array },
  bf16: { number: 4, array: Uint16Array },
  i32: { number: 5, array: Int32Array },
  i64: { number: 6, array: BigInt64Array },
};
const most_axes = 8;

/** Kinds of fields: what DataView calls each, and its bytes. */
const kinds = { i32: ['Int32', 4], u32: ['Uint32', 4], i64: ['BigInt64', 8], u64: ['BigUint64', 8], f64: ['Float64', 8] };
const forms = { range: 1, real_range: 2, list: 3 };  // of positions

/** Thrown inside the package alone; every public call returns it as a value. */
export class Refusal {
  constructor(problem) {
    this.problem = problem;
  }
}
export function refuse(operation, rule, value, cause = 'input') {
  throw new Refusal({ cause, operation, rule, value: String(value), index: [] });
}

/** An integer that a number or a BigInt states, as a BigInt. */
export function whole(operation, name, value) {
  if (typeof value === 'bigint' ? value === BigInt.asIntN(64, value) : Number.isSafeInteger(value)) return BigInt(value);
  return refuse(operation, `${name} must be an integer of 64 bits, a BigInt beyond 2^53`, value);
}

function real(operation, name, value) {
  return typeof value === 'number' ? value : refuse(operation, `${name} must be a number`, value);
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Text at an address, up to its 0; null at 0. */
export function text_at(exports, address) {
  if (address === 0) return null;
  const bytes = new Uint8Array(exports.memory.buffer, address);
  return decoder.decode(bytes.slice(0, bytes.indexOf(0)));
}

/** The fields of a struct at an address, by name; an array is a list, one of characters their text. */
export function fields_at(exports, layout, address) {
  const view = new DataView(exports.memory.buffer, address);
  const value = ({ kind, at, count }) => {
    if (kind === 'u8') return text_at(exports, address + at);
    const [word, bytes] = kinds[kind];
    const element = (i) => view[`get${word}`](at + bytes * i, true);
    return count === undefined ? element(0) : Array.from({ length: count }, (_, i) => element(i));
  };
  return Object.fromEntries(Object.entries(layout.fields).map(([name, field]) => [name, value(field)]));
}

/** All that one call passes by address; what it took is given back when the call has returned. */
export class Arena {
  #exports;
  #taken = [];
  constructor(exports, operation) {
    this.#exports = exports;
    this.operation = operation;
  }
  /** Zeroed bytes. */
  take(bytes) {
    const address = this.#exports.posenc_take_memory(bytes) >>> 0;  // addresses beyond 2^31 come back signed
    if (address === 0) refuse(this.operation, 'memory must be had', `${bytes} bytes`, 'system');
    this.#taken.push(address);
    new Uint8Array(this.#exports.memory.buffer, address, bytes).fill(0);
    return address;
  }
  end() {
    for (const address of this.#taken) this.#exports.posenc_free_memory(address);
  }
  /** A struct of layouts.js: its fields by name, its size where it has one, 0 for the others. */
  struct(layout, values = {}) {
    return this.structs(layout, [values]);
  }
  /** Structs one after another. */
  structs(layout, list) {
    const first = this.take(layout.bytes * Math.max(1, list.length));
    const own = 'size' in layout.fields ? { size: layout.bytes } : {};
    list.forEach((values, number) => this.#write(layout, first + layout.bytes * number, { ...own, ...values }));
    return first;
  }
  #write(layout, address, values) {
    const view = new DataView(this.#exports.memory.buffer, address);
    for (const [name, value] of Object.entries(values)) {
      const { kind, at, count } = layout.fields[name];
      const [word, bytes] = kinds[kind];
      (count === undefined ? [value] : value).forEach((each, i) => view[`set${word}`](at + bytes * i, each, true));
    }
  }
  /** The number of 32 bits at an address: a size, or an address. */
  word(address) {
    return new DataView(this.#exports.memory.buffer, address).getUint32(0, true);
  }
  bytes(bytes) {
    const address = this.take(bytes.length);
    new Uint8Array(this.#exports.memory.buffer, address, bytes.length).set(bytes);
    return address;
  }
  /** Numbers one after another, as an array of that kind has them. */
  numbers(Kind, values) {
    return this.bytes(new Uint8Array(Kind.from(values).buffer));
  }
  /** UTF-8 and a 0; null where nothing is stated. */
  text(value) {
    if (value === undefined || value === null) return 0;
    return this.bytes(encoder.encode(`${value}\0`));
  }
  /** UTF-8, and how many bytes. */
  counted(value) {
    const bytes = encoder.encode(value);
    return [this.bytes(bytes.length === 0 ? new Uint8Array(1) : bytes), bytes.length];
  }
  /** A posenc_view of row-major elements; 0 for none. */
  view(type, shape, data) {
    const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1n));
    return this.struct(posenc_view, { data, dtype: types[type].number, rank: shape.length, shape, strides });
  }
  tensor(name, value) {
    if (!(value instanceof Tensor) || !value.is_in(this.#exports)) {
      refuse(this.operation, `${name} must be a tensor of this module that is not freed`, typeof value);
    }
    return this.view(value.type, value.shape.map(BigInt), value.address);
  }
  /** One posenc_positions after another, one for each axis; every form of positions of posenc.d.ts. */
  positions(name, lists) {
    return this.structs(posenc_positions, lists.map((list) => this.#positions_fields(name, list)));
  }
  /** How many positions the first list at that address has. */
  count(address) {
    const { kind, count, list } = fields_at(this.#exports, posenc_positions, address);
    return kind === forms.list ? this.described(list).shape.at(-1) ?? 0 : Number(count);
  }
  /** A new tensor that `write(view)` fills; it is freed where that is refused. */
  filled(type, shape, write) {
    const made = new_tensor(this.#exports, this.operation, type, shape);
    try {
      write(this.tensor('out', made));
      return made;
    } catch (thrown) {
      made.free();
      throw thrown;
    }
  }
  /** The tensor that a posenc_view names, whose memory is the caller's now. */
  adopted(view) {
    const { type, shape, data } = this.described(view);
    return new Tensor(this.#exports, type, shape, data);
  }
  /** Type, shape and address that a posenc_view states; null is no type. */
  described(view) {
    const { data, dtype, rank, shape } = fields_at(this.#exports, posenc_view, view);
    return { type: Object.keys(types)[dtype - 1] ?? null, shape: shape.slice(0, rank).map(Number), data };
  }
  #positions_fields(name, given) {
    const { operation } = this;
    if (given instanceof Tensor) return { kind: forms.list, list: this.tensor(name, given) };
    if (Array.isArray(given) || (ArrayBuffer.isView(given) && 'length' in given)) {
      const integers = Array.from(given).every((each) => typeof each === 'bigint' || Number.isSafeInteger(each));
      const kept = Array.from(given, (each) => (integers ? whole : real)(operation, name, each));
      const type = integers ? 'i64' : 'f64';
      const data = this.numbers(types[type].array, kept);
      return { kind: forms.list, list: this.view(type, [BigInt(kept.length)], data) };
    }
    if (given === null || typeof given !== 'object') {
      refuse(operation, `${name} must be { start, count, step }, a list or a tensor`, given);
    }
    const { start = 0, count, step = 1 } = given;
    const counted = whole(operation, `${name}.count`, count);
    if ([start, step].every((each) => typeof each === 'bigint' || Number.isInteger(each))) {
      return { kind: forms.range, count: counted, start: whole(operation, `${name}.start`, start),
        step: whole(operation, `${name}.step`, step) };
    }
    return { kind: forms.real_range, count: counted, real_start: real(operation, `${name}.start`, start),
      real_step: real(operation, `${name}.step`, step) };
  }
}

/** What is freed when its object is no longer reached, if not before. */
const forgotten = new FinalizationRegistry((free) => free());
/** The function that frees `address`, once. */
export function freed_with(object, exports, free, address) {
  const once = { address };
  const now = () => {
    if (once.address !== 0) exports[free](once.address);
    once.address = 0;
  };
  forgotten.register(object, now);
  return now;
}

/** A row-major tensor in the module's memory. */
export class Tensor {
  #exports;
  #free;
  #data;
  constructor(exports, type, shape, address) {
    this.#exports = exports;
    this.type = type;
    this.shape = shape;
    this.address = address;
    this.#free = freed_with(this, exports, 'posenc_free_memory', address);
  }
  is_in(exports) {
    return this.address !== 0 && exports === this.#exports;
  }
  /** The elements: a view of memory, not a copy. Ask again after every call that makes something. */
  get data() {
    if (this.address === 0) return new types[this.type].array(0);
    if (this.#data === undefined || this.#data.buffer !== this.#exports.memory.buffer) {
      const count = this.shape.reduce((product, size) => product * size, 1);
      this.#data = new types[this.type].array(this.#exports.memory.buffer, this.address, count);
    }
    return this.#data;
  }
  free() {
    this.#free();
    this.address = 0;
  }
}

/** A tensor of zeros. */
export function new_tensor(exports, operation, type, shape) {
  if (!Object.hasOwn(types, type)) refuse(operation, `type must be one of ${Object.keys(types).join(', ')}`, type);
  if (!Array.isArray(shape) || shape.length > most_axes) refuse(operation, 'shape must be a list of 0 to 8 sizes', shape);
  const sizes = shape.map((size, axis) => Number(whole(operation, `shape[${axis}]`, size)));
  if (sizes.some((size) => size < 0)) refuse(operation, 'sizes must not be negative', `[${sizes}]`);
  const bytes = sizes.reduce((product, size) => product * size, types[type].array.BYTES_PER_ELEMENT);
  if (bytes > 2 ** 32 - 2 ** 16) refuse(operation, 'a tensor must have fewer than 2^32 bytes', `${bytes} bytes`);
  const address = exports.posenc_take_memory(bytes) >>> 0;
  if (address === 0) refuse(operation, 'memory must be had', `${bytes} bytes`, 'system');
  new Uint8Array(exports.memory.buffer, address, bytes).fill(0);
  return new Tensor(exports, type, sizes, address);
}
