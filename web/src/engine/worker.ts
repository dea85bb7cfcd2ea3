// SPDX-License-Identifier: Apache-2.0
// The worker: the module, and what panels ask of it.
import { about } from './about.js';
import { biases, classes, row_products, shift, turned_products } from './distance.js';
import { images } from './images.js';
import { precise, recipes, worst } from './precision.js';
import type { Call, Given, Reply } from './requests.js';
import { give } from './files.js';
import { encode } from './text.js';
import { compare, identify, identify_rows, identify_tensor, inspect, list_tensors } from './referee.js';
import { signal } from './signal.js';

export const requests = {
  about,
  signal,
  encode,
  precise,
  recipes,
  worst,
  images,
  biases,
  classes,
  row_products,
  shift,
  turned_products,
  compare,
  identify,
  identify_rows,
  identify_tensor,
  inspect,
  list_tensors,
};

/** Memory that the answer holds, to be moved rather than copied. */
function moved(value: unknown): ArrayBuffer[] {
  if (value === null || typeof value !== 'object') return [];
  if (ArrayBuffer.isView(value)) return [value.buffer as ArrayBuffer];
  return Object.values(value).flatMap(moved);
}

const post = (reply: Reply, transfer: ArrayBuffer[] = []): void =>
  (postMessage as (message: Reply, options: { transfer: ArrayBuffer[] }) => void)(reply, { transfer });

addEventListener('message', async ({ data }: MessageEvent<Call | Given>) => {
  if (data.kind === 'file') return give(data);
  const { id, name, passed } = data;
  try {
    const value = await (requests[name] as (...passed: unknown[]) => unknown)(...passed);
    post({ kind: 'value', id, value }, [...new Set(moved(value))]);
  } catch (thrown) {
    post({ kind: 'fault', id, text: thrown instanceof Error ? thrown.message : String(thrown) });
  }
});
