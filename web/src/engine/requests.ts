// SPDX-License-Identifier: Apache-2.0
// What goes between the page and its worker.
import type { requests } from './worker.js';

export type Requests = typeof requests;
export type Answer<N extends keyof Requests> = Awaited<ReturnType<Requests[N]>>;

export interface Call {
  kind: 'call';
  id: number;
  name: keyof Requests;
  passed: unknown[];
}
/** The bytes of a file that the worker has asked for. */
export type Given = { kind: 'file'; name: string; bytes?: ArrayBuffer; fault?: string };
export type Reply =
  | { kind: 'value'; id: number; value: unknown }
  | { kind: 'fault'; id: number; text: string }
  | { kind: 'file'; name: string };
