// SPDX-License-Identifier: Apache-2.0
// The page's side of the worker in which the module runs: a promise for each request.
import type { Answer, Call, Reply, Requests } from './requests.js';

/** The bytes of a file of the page: of the one file that the page is, or of its folder. */
async function bytes_of(name: string): Promise<ArrayBuffer> {
  const embedded = document.getElementById(`file:${name}`);
  if (embedded === null) {
    const response = await fetch(name);
    if (!response.ok) throw new Error(`${name}: ${response.status}`);
    return response.arrayBuffer();
  }
  return Uint8Array.from(atob(embedded.textContent ?? ''), (character) => character.charCodeAt(0)).buffer;
}

/** The unpacked bytes of a file: some servers unpack a .gz themselves. */
async function file(name: string): Promise<ArrayBuffer> {
  const bytes = await bytes_of(name);
  const [first, second] = new Uint8Array(bytes, 0, 2);
  if (first !== 0x1f || second !== 0x8b) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

function new_worker(): Worker {
  const embedded = document.getElementById('file:worker.js');
  if (embedded === null) return new Worker('worker.js');
  return new Worker(URL.createObjectURL(new Blob([embedded.textContent ?? ''], { type: 'text/javascript' })));
}

const no_worker = (): Error =>
  new Error(
    location.protocol === 'file:'
      ? 'the module cannot be loaded from here; a folder needs a file server, posenc.html works from a disk'
      : 'the files of the page cannot be reached; is the network there?',
  );

/** What was asked for is no longer wanted. */
export class Stopped extends Error {}

export class Engine {
  #worker: Worker | undefined;
  #waiting = new Map<number, { settle: (answer: any) => void; fail: (error: Error) => void }>();
  #last = 0;
  #newest = new Map<string, { running: boolean; next?: () => void }>();
  #works = 0;
  /** What the page is told when work begins and ends. */
  busy: (count: number) => void = () => {};

  constructor() {
    this.#start();
  }
  #start(): void {
    this.#worker = undefined;
    try {
      this.#worker = new_worker();
    } catch {
      return; // a script of a folder on a disk is refused at once
    }
    const worker = this.#worker;
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#worker = undefined; // the next request tries again
      this.#fail(no_worker());
    });
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      if (data.kind === 'file') {
        file(data.name).then(
          (bytes) => worker.postMessage({ kind: 'file', name: data.name, bytes }, [bytes]),
          (error) => worker.postMessage({ kind: 'file', name: data.name, fault: String(error) }),
        );
        return;
      }
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      this.#tell();
      if (data.kind === 'fault') waiting?.fail(new Error(data.text));
      else waiting?.settle(data.value);
    });
  }
  #fail(error: Error): void {
    for (const { fail } of this.#waiting.values()) fail(error);
    this.#waiting.clear();
    this.#tell();
  }
  /** Ends all that was asked for with a Stopped, and the worker that is at it; the next request has a new one. */
  stop(): void {
    this.#worker?.terminate();
    this.#fail(new Stopped());
    this.#start();
  }
  #tell(): void {
    this.busy(this.#waiting.size + this.#works);
  }
  /** What the worker answers. */
  ask<N extends keyof Requests>(name: N, ...passed: Parameters<Requests[N]>): Promise<Answer<N>> {
    const id = ++this.#last;
    if (this.#worker === undefined) this.#start();
    const worker = this.#worker;
    if (worker === undefined) return Promise.reject(no_worker());
    return new Promise((settle, fail) => {
      this.#waiting.set(id, { settle, fail });
      this.#tell();
      worker.postMessage({ kind: 'call', id, name, passed } satisfies Call);
    });
  }
  /** Runs `work` soon; of several for one place while one is running, the newest alone. */
  newest(place: string, work: () => Promise<void>): void {
    const slot = this.#newest.get(place) ?? { running: false };
    this.#newest.set(place, slot);
    slot.next = () => {
      slot.running = true;
      delete slot.next;
      ++this.#works;
      this.#tell();
      void work().finally(() => {
        slot.running = false;
        slot.next?.();
        --this.#works;
        this.#tell();
      });
    };
    if (!slot.running) slot.next();
  }
}
