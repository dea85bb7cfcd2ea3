// SPDX-License-Identifier: Apache-2.0
// The page's files as the worker has them, and the module in them.
import { load, must, type Convention, type Posenc } from 'posenc';
import type { Given, Reply } from './requests.js';

interface Waiting {
  promise: Promise<ArrayBuffer>;
  settle: (bytes: ArrayBuffer) => void;
  fail: (error: Error) => void;
}
const asked = new Map<string, Waiting>();

/** The bytes of a file, which the page fetches once. */
export function file(name: string): Promise<ArrayBuffer> {
  const known = asked.get(name);
  if (known !== undefined) return known.promise;
  let waiting: Omit<Waiting, 'promise'> | undefined;
  const promise = new Promise<ArrayBuffer>((settle, fail) => {
    waiting = { settle, fail };
  });
  asked.set(name, { promise, ...(waiting as unknown as Omit<Waiting, 'promise'>) });
  postMessage({ kind: 'file', name } satisfies Reply);
  return promise;
}

export function give({ name, bytes, fault }: Given): void {
  if (bytes !== undefined) return asked.get(name)?.settle(bytes);
  asked.get(name)?.fail(new Error(fault));
  asked.delete(name);
}

/** The module without the referee, which is what most panels need; and the whole one. */
const modules: Record<string, Promise<Posenc>> = {};
function loaded(name: string): Promise<Posenc> {
  modules[name] ??= file(name)
    .then(load)
    .catch((error) => {
      delete modules[name]; // the next request tries again
      throw error;
    });
  return modules[name];
}
export const module = (): Promise<Posenc> => loaded('core.wasm.gz');
export const module_with_referee = (): Promise<Posenc> => loaded('posenc.wasm.gz');

/** The last few of what was made, by name: what moves with a slider is made once. */
export class Kept<T extends { free(): void }> {
  #made = new Map<string, T>();
  constructor(readonly most: number) {}
  get(name: string, make: () => T): T {
    const found = this.#made.get(name) ?? make();
    this.#made.delete(name);
    this.#made.set(name, found);
    for (const [oldest, value] of this.#made) {
      if (this.#made.size <= this.most) break;
      this.#made.delete(oldest);
      value.free();
    }
    return found;
  }
}

export interface Named {
  preset: string;
  changes?: Record<string, string>;
}
export const name_of = ({ preset, changes = {} }: Named): string => JSON.stringify([preset, changes]);

const conventions = new Kept<Convention>(64);
export function convention_of(posenc: Posenc, named: Named): Convention {
  return conventions.get(name_of(named), () => must(posenc.convention(named.preset, named.changes)));
}
