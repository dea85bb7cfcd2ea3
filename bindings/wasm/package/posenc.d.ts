// SPDX-License-Identifier: Apache-2.0
// posenc: position encodings of Transformers. Every convention by name, each number the real one rounded once, the same
// bits as the native library.
//
//   import { load, must } from 'posenc';
//   const posenc = await load();
//   const whisper = must(posenc.convention('whisper'));
//   const table = must(posenc.table(whisper, 384, { start: 0, count: 1500 }));
//   table.data;                                    // Float32Array of 1500 x 384, a view of the module's memory
//
// What a function computes, in which shapes and with which accuracy, and what it refuses, stands in the C++ header of its
// word: rows in sinusoid.h, rotation in rotary.h, and so on. Nothing here asks the network for anything.

/** What is wrong with a call: the operation, the rule it breaks, the value it got, and where. */
export interface Problem {
  /** Who has to act: the caller, or the system that failed us (memory). */
  cause: 'input' | 'system';
  operation: string;
  rule: string;
  value: string;
  /** The element, where there is one. */
  index: number[];
  /** `[operation] rule, got value` */
  message: string;
}
export type Result<T> = { ok: true; value: T } | { ok: false; error: Problem };

/** The value, or an Error with the message, whose `problem` is the problem. */
export function must<T>(result: Result<T>): T;

/** Halves are their bits; i64 are BigInts. */
export interface Elements {
  f32: Float32Array;
  f64: Float64Array;
  f16: Uint16Array;
  bf16: Uint16Array;
  i32: Int32Array;
  i64: BigInt64Array;
}
export type Type = keyof Elements;
export type Real = 'f32' | 'f64' | 'f16' | 'bf16';

/** An integer; a BigInt beyond 2^53. */
export type Whole = number | bigint;
/** start, start + step, ..: `start` is 0 and `step` 1 unless stated. Or a list of integers or reals, or a tensor [L]. */
export type Positions =
  | { start?: Whole; count: Whole; step?: Whole }
  | readonly Whole[] | Int32Array | Uint32Array | BigInt64Array | Float64Array | Float32Array
  | Tensor;
/** One list, or one for each axis. */
export type Coordinates = Positions | readonly Positions[];

/** What some conventions depend on besides positions; context.h. */
export interface Context {
  length?: Whole;
  centre?: number;
  learned?: number;
}
export interface Options {
  /** A name of `recipes`, or "original": of the preset that the convention was asked by; exact unless stated. */
  recipe?: string;
  context?: Context;
}

/** A row-major tensor in the module's memory, which is freed with it or when it is no longer reached. */
export class Tensor<T extends Type = Type> {
  private constructor();
  readonly type: T;
  readonly shape: number[];
  /** In the module's memory; 0 when it is freed. */
  readonly address: number;
  /** The elements: a view, not a copy. Memory that grows empties older views, so ask again after each call; `.slice()`
   *  keeps what it has. Empty when it is freed. */
  readonly data: Elements[T];
  free(): void;
}

export type Use =
  | 'rows' | 'tokens' | 'timesteps' | 'cells' | 'coordinates' | 'rotations' | 'slopes' | 'classes' | 'windows'
  | 'logCoordinates' | 'queryScales' | 'storedRows' | 'resizedTables';

/** Immutable. */
export class Convention {
  private constructor();
  readonly axes: readonly string[];
  readonly cellAxes: readonly string[];
  /** Every field; equal conventions have equal text. */
  json(): Result<string>;
  /** Whether an operation takes it, and if not, why. */
  gives(use: Use): Result<true>;
  free(): void;
}

/** Rows of positions, made ready: rows.h. */
export class Rows {
  private constructor();
  /** Columns of a row. */
  readonly width: number;
  /** [positions, width] */
  table<T extends Real = 'f32'>(positions: Positions, type?: T): Result<Tensor<T>>;
  /** Into a tensor of that shape. */
  write<T extends Tensor>(positions: Positions, out: T): Result<T>;
  /** In radians a position, each rounded once. */
  frequencies(): Result<Float64Array>;
  free(): void;
}

/** Rows of points: rows.h. */
export class CoordinateRows {
  private constructor();
  readonly width: number;
  /** [points, width] */
  table<T extends Real = 'f32'>(coordinates: Coordinates, type?: T): Result<Tensor<T>>;
  free(): void;
}

/** Cells of a grid: grid.h. */
export class Grid {
  private constructor();
  readonly width: number;
  /** [..extents, width] */
  table<T extends Real = 'f32'>(extents: readonly number[], type?: T): Result<Tensor<T>>;
  free(): void;
}
/** How cells are numbered: ((i + first) / (divisor + eps)) gain + shift; places.h. */
export interface Places {
  first?: number | 'minusHalf';
  divisor?: 'one' | 'count' | 'gaps' | 'last' | 'longest' | 'shortest';
  rounding?: 'asTheyAre' | 'floor';
  eps?: number;
  gain?: number;
  shift?: number;
}

/** Queries and keys turned: rotary.h. */
export class Rotation {
  private constructor();
  /** Columns that turn. */
  readonly width: number;
  /** Turns tensors [.., positions, columns] where they stand. */
  rotate<T extends Tensor | readonly Tensor[]>(
    coordinates: Coordinates, tensors: T,
    options?: { direction?: 'forward' | 'inverse'; side?: 'query' | 'key'; tokens?: 'beforeColumns' | 'beforeHeads' },
  ): Result<T>;
  free(): void;
}

/** Cosines and sines as kernels read them: rotary_cache.h. */
export class RotationTables {
  private constructor();
  readonly width: number;
  /** "cos" and "sin", or what the convention stores. */
  readonly names: readonly string[];
  /** [positions, width] */
  table<T extends Real = 'f32'>(name: string, coordinates: Coordinates, type?: T): Result<Tensor<T>>;
  frequencies(): Result<Float64Array>;
  free(): void;
}

/** Tokens into the rows that a first block reads: input_stage.h. */
export class Stage {
  private constructor();
  /** What rows are multiplied by. */
  readonly factor: number;
  /** [..ids, width]; ids [L] or [B, L], i32 or i64. `mode` is 'evaluate' unless stated; `call` and `first` choose the mask. */
  encode<T extends Real = 'f32'>(ids: Tensor, positions: Positions,
    options?: { mode?: 'evaluate' | 'train'; call?: number; first?: number; type?: T }): Result<Tensor<T>>;
  free(): void;
}
/** The signal is a convention's, or the rows of a table: one of the two. */
export interface StageOptions {
  convention?: Convention;
  table?: Tensor;
  /** 'none' unless stated. */
  scale?: 'none' | 'sqrtDim' | number;
  dropout?: number;
  seed?: Whole;
  recipe?: string;
  paddingId?: Whole;
}

/** What the referee found: `json`, which referee.h describes and `report` is the value of, and `text` for people. */
export interface Verdict {
  /** Identified, right, equal, or two conventions that do not part. */
  holds: boolean;
  presets: string[];
  json: string;
  report: any;
  text: string;
}
export interface IdentifyOptions {
  depth?: 'sampled' | 'full';
  /** Of the rows, a list for each axis, where they are known. */
  positions?: readonly Positions[];
}
/** One column at one place: explain.h. */
export interface Entry {
  width: Whole;
  column: Whole;
  /** A coordinate for each axis. */
  at: readonly Whole[];
  recipe?: string;
  side?: 'query' | 'key';
  headWidth?: Whole;
  context?: Context;
  /** What stands in the two columns that a rotation reads. */
  before?: [number, number];
}

export interface Posenc {
  readonly version: { abi: number; text: string };
  readonly presets: readonly string[];
  readonly recipes: readonly string[];

  /** Of a preset's name or a document of JSON, with fields changed: `{ 'ladder.base': 500000 }`. */
  convention(text: string, changes?: Record<string, string | number>): Result<Convention>;
  /** Everything that a preset states, as a document of JSON. */
  preset(name: string): Result<string>;

  /** How the original of a preset numbers cells. */
  placesOf(name: string): Result<Places>;

  rows(convention: Convention, width: Whole, options?: Options): Result<Rows>;
  coordinates(convention: Convention, width: Whole, options?: Options): Result<CoordinateRows>;
  /** Places that are not stated are those of the preset by whose name the convention was made. */
  grid(convention: Convention, width: Whole, options?: Options & { places?: Places }): Result<Grid>;
  rotation(convention: Convention, columns: Whole, options?: Options): Result<Rotation>;
  rotationTables(convention: Convention, head: Whole, options?: Options): Result<RotationTables>;

  /** Zeros, or a copy of `data`. */
  tensor<T extends Type>(type: T, shape: readonly number[], data?: ArrayLike<number> | ArrayLike<bigint>): Result<Tensor<T>>;
  /** `rows`, once: [positions, width]. */
  table<T extends Real = 'f32'>(convention: Convention, width: Whole, positions: Positions,
    options?: Options & { type?: T }): Result<Tensor<T>>;

  /** `rows` [vocabulary, width] stay in use. */
  stage(rows: Tensor, options: StageOptions): Result<Stage>;

  /** N(0, 1), or 'scaled' N(0, 1 / width): embedding.h. */
  seededRows(rows: number, width: number, options?: { seed?: Whole; stream?: Whole; init?: 'normal' | 'scaled' }): Result<Tensor<'f32'>>;

  /** [n, m]: rows of `a` [n, d] times rows of `b` [m, d], f32, summed in f64 in the order of columns. */
  products(a: Tensor<'f32'>, b: Tensor<'f32'>): Result<Tensor<'f64'>>;
  /** [1, H, L, S] of queries [1, H, L, d] and keys [1, H, S, d], scaled by the root of d; every key is seen: attention.h.
   *  Products are summed in f64. */
  attentionWeights(queries: Tensor<'f32'>, keys: Tensor<'f32'>): Result<Tensor<'f32'>>;

  /** For each column of `to`, the one of `from` that it is: table_order.h. */
  tableOrder(from: Convention, to: Convention, width: Whole, options?: { context?: Context }): Result<number[]>;
  /** head_order.h. */
  headOrder(from: Convention, to: Convention, head: Whole, options?: { context?: Context }): Result<{ read: number[]; written: number[] }>;
  /** A table [extra + from[0] from[1], d] on another grid: resize.h. */
  resizeTable<T extends Real>(convention: Convention, table: Tensor<T>, from: [number, number], to: [number, number]): Result<Tensor<T>>;

  /** [heads, queries, keys]: bias.h. */
  bias<T extends Real = 'f32'>(convention: Convention, heads: number, queries: Positions, keys: Positions,
    options?: { type?: T; head?: Whole; present?: Tensor }): Result<Tensor<T>>;
  /** [queries, keys]: buckets.h. */
  buckets(convention: Convention, queries: Positions, keys: Positions): Result<Tensor<'i32'>>;
  /** [positions]: query_scale.h. */
  queryScale<T extends Real = 'f32'>(convention: Convention, positions: Positions, options?: { type?: T }): Result<Tensor<T>>;

  /** Which convention a tensor holds. */
  identify(tensor: Tensor, options?: IdentifyOptions): Result<Verdict>;
  /** Is the tensor what the convention says, and if not, why? */
  check(tensor: Tensor, convention: Convention,
    options?: IdentifyOptions & { width?: Whole; context?: Context; places?: Places;
      queries?: Positions; keys?: Positions }): Result<Verdict>;
  compare(a: Convention, b: Convention,
    options?: { width?: Whole; positions?: readonly Positions[]; context?: Context }): Result<Verdict>;
  /** The real number of one entry, its digits, and what each rounding loses. */
  explain(convention: Convention, entry: Entry): Result<Verdict>;
  /** Where two conventions part, among the first `positions`. */
  parting(a: Convention, b: Convention, width: Whole, positions: Whole, options?: { context?: Context }): Result<Verdict>;

  /** The positions that a config.json states, as a document of JSON: inspect.h. What the model has besides is its `missing`. */
  inspect(json: string, options?: { source?: string; as?: string; part?: string; length?: Whole; frequencies?: Whole }): Result<string>;
  /** What the bytes of a .safetensors file hold: safetensors.h. The elements of a tensor begin `at` bytes from the file's
   *  first; a type of null is one that is not read. */
  safetensors(bytes: ArrayBuffer | Uint8Array, name?: string): Result<{ name: string; type: Type | null; shape: number[]; at: number }[]>;
  /** The tensor in the bytes of an .npy file: npy.h. */
  npy(bytes: ArrayBuffer | Uint8Array, name?: string): Result<Tensor>;
}

/** The module of this package, or another one: its bytes, a WebAssembly.Module, or a Response of fetch. */
export function load(source?: BufferSource | WebAssembly.Module | Response | Promise<Response>): Promise<Posenc>;
