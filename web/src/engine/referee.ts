// SPDX-License-Identifier: Apache-2.0
// What the referee says: of two conventions, of a tensor, of a model's configuration. All of it needs the whole module.
import { must, type Posenc, type Tensor } from 'posenc';
import { convention_of, module_with_referee } from './files.js';
import { table_of, type Asked } from './signal.js';

export interface Compared {
  text: string;
  equal: boolean;
  differences: string[];
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
    order: found.ok ? ('read' in found.value ? found.value.read : found.value) : undefined,
    reason: found.ok ? '' : found.error.message,
  };
}

export interface Identified {
  text: string;
  holds: boolean;
  presets: string[];
  shape: number[];
  type: string;
}

function identified(posenc: Posenc, tensor: Tensor): Identified {
  const { shape, type } = tensor;
  const { text, holds, presets } = must(posenc.identify(tensor));
  tensor.free();
  return { text, holds, presets, shape, type };
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

/** What a config.json states, as JSON with an indent. */
export async function inspect(text: string, name: string): Promise<string> {
  const posenc = await module_with_referee();
  return JSON.stringify(JSON.parse(must(posenc.inspect(text, { source: name }))), null, 2);
}
