// SPDX-License-Identifier: Apache-2.0
// What the referee says: of two conventions, of a tensor, of a model's configuration. All of it needs the whole module.
import { must, type Posenc, type Tensor } from 'posenc';
import { convention_of, module_with_referee } from './files.js';
import { table_of, type Asked } from './signal.js';

/** A number of two that differ, and where. */
interface Apart {
  at: number[];
  a: number;
  b: number;
}
export interface Compared {
  text: string;
  equal: boolean;
  /** "pairing: adjacent, not split_half" */
  differences: string[];
  entries: number;
  axes: string[];
  first: Apart | null;
  largest: Apart | null;
  /** The column of `left` that each column of `right` is; nothing where the two are not orders of one another. */
  order: number[] | undefined;
  /** Why there is no order. */
  reason: string;
}

/** `width` is that of the order; numbers are compared at usual widths and positions. */
export async function compare(left: string, right: string, width: number): Promise<Compared> {
  const posenc = await module_with_referee();
  const [a, b] = [left, right].map((preset) => convention_of(posenc, { preset }));
  if (a === undefined || b === undefined) throw new Error('two conventions');
  const verdict = must(posenc.compare(a, b, {}));
  const rotated = a.gives('rotations').ok && b.gives('rotations').ok;
  const found = rotated ? posenc.headOrder(a, b, width) : posenc.tableOrder(a, b, width);
  return {
    text: verdict.text,
    equal: verdict.holds,
    differences: verdict.report.differences,
    entries: verdict.report.entries,
    axes: verdict.report.axes,
    first: verdict.report.first,
    largest: verdict.report.largest,
    order: found.ok ? ('read' in found.value ? found.value.read : found.value) : undefined,
    reason: found.ok ? '' : found.error.message,
  };
}

export interface Agreement {
  entries: number;
  equal: number;
  largest: number;
  difference: number;
}
/** Fields of referee.h's Candidate. */
export interface Candidate {
  presets: string[];
  differences: string[];
  form: string;
  reading: string;
  extra: number;
  copies: number;
  extents: number[];
  width: number;
  places: { axis: string; first: number; step: number | null }[];
  fitted: { name: string; value: number; simple: string }[];
  storage: string;
  exact: Agreement;
  recipe: string;
  by_recipe: Agreement;
}
export interface Identified {
  text: string;
  candidates: Candidate[];
  /** Of what fits nothing: what it is like, and the preset that is nearest. */
  kind: string;
  nearest: Candidate | null;
  shape: number[];
  type: string;
}

function identified(posenc: Posenc, tensor: Tensor): Identified {
  const { shape, type } = tensor;
  const { text, report } = must(posenc.identify(tensor));
  tensor.free();
  return { text, candidates: report.candidates, kind: report.kind, nearest: report.nearest, shape, type };
}

export async function identify(bytes: Uint8Array, name: string): Promise<Identified> {
  const posenc = await module_with_referee();
  return identified(posenc, must(posenc.npy(bytes, name)));
}

/** The rows that a panel shows, as if they had been dropped. */
export async function identify_rows(asked: Asked, first: string, count: number): Promise<Identified> {
  const posenc = await module_with_referee();
  const { values, rows, columns } = table_of(posenc, asked, BigInt(first), count);
  return identified(posenc, must(posenc.tensor('f32', [rows, columns], values)));
}

export interface Listed {
  name: string;
  type: string;
  shape: number[];
  readable: boolean;
}
/** The tensors of a .safetensors file. */
export async function list_tensors(bytes: Uint8Array, name: string): Promise<Listed[]> {
  const posenc = await module_with_referee();
  return must(posenc.safetensors(bytes, name)).map(({ name: tensor, type, shape }) => ({
    name: tensor,
    type: type ?? '?',
    shape,
    readable: type !== null,
  }));
}
export async function identify_tensor(bytes: Uint8Array, name: string, wanted: string): Promise<Identified> {
  const posenc = await module_with_referee();
  const stored = must(posenc.safetensors(bytes, name)).find((tensor) => tensor.name === wanted);
  if (stored?.type === null || stored === undefined) throw new Error(wanted);
  const tensor = must(posenc.tensor(stored.type, stored.shape));
  const { data } = tensor;
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength).set(
    bytes.subarray(stored.at, stored.at + data.byteLength),
  );
  return identified(posenc, tensor);
}

export interface Role {
  preset: string | null;
  convention: {
    family: string;
    ladders?: { base?: number; scaling?: string | { kind: string; factor?: number; length?: number } }[];
  } | null;
  width: { head?: number; rotated?: number; columns?: number; rows?: number; heads?: number };
}
/** What a config.json states. */
export interface Inspected {
  json: string;
  model: string;
  roles: Record<string, Role>;
  /** What the model has besides, and why it is not here. */
  missing: { name: string; why: string }[];
  /** The longest position that the configuration itself names. */
  longest: number | undefined;
}
/** Of the model and of its parts: "vision.rotary". */
function roles_of({ roles, parts }: any): Record<string, Role> {
  const inner = Object.entries(parts ?? {}).flatMap(([name, part]) =>
    Object.entries(roles_of(part)).map(([role, value]) => [`${name}.${role}`, value]),
  );
  return { ...roles, ...Object.fromEntries(inner) };
}
const longest_names = ['max_position_embeddings', 'n_positions', 'max_sequence_length', 'seq_length', 'max_seq_len'];

/** The document; nothing of one with Infinity or NaN, which Python writes and JSON has not. */
function numbers_of(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export async function inspect(text: string, name: string): Promise<Inspected> {
  const posenc = await module_with_referee();
  const report = JSON.parse(must(posenc.inspect(text, { source: name })));
  const own = numbers_of(text);
  const longest = [own, own.text_config ?? {}].flatMap((part) => longest_names.map((each) => part[each]));
  return {
    json: JSON.stringify(report, null, 2),
    model: report.model_type,
    roles: roles_of(report),
    missing: report.missing,
    longest: longest.find((each) => typeof each === 'number'),
  };
}
