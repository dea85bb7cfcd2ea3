// SPDX-License-Identifier: Apache-2.0
// What the page shows, as text: one value a name, in the URL behind #, so that a link shows what its author saw and back
// and forward work, from a disk too.

export const defaults = {
  lang: '',
  theme: '',
  p: '1',
  i: '20',
  preset: 'transformer',
  d: '128',
  rows: '128',
  from: '0',
  trained: '4096',
  scaling: 'none',
  factor: '4',
  a: '我爱你',
  b: '你爱我',
  scale: 'on',
  drop: '0.1',
  train: 'off',
  seed: '7',
  columns: '16',
  left: 'rope-pair',
  right: 'rope-half',
  across: '16',
  at: '131071',
  recipe: 'f32-exp',
  width: '512',
  schemes: 'sinusoid,rotation,alibi,t5',
  reach: '256',
  k: '8',
  vectors: 'same',
  grid: 'mae-2d',
  height: '14',
  wide: '14',
  dim: '64',
  row: '4',
  column: '9',
};
export type Name = keyof typeof defaults;
type Changes = Partial<Record<Name, string>>;
/** What is new to look back to, as a choice; or one of many on the way, as of a slider. */
type Step = 'visit' | 'pass';

const names = Object.keys(defaults) as Name[];
const longest = 2000; // characters of a text that an address has; longer ones are not in links
const pause = 250; // ms: browsers refuse to write more than some 200 addresses in half a minute

function read(hash: string): Record<Name, string> {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  return Object.fromEntries(names.map((name) => [name, given.get(name) ?? defaults[name]])) as Record<Name, string>;
}

function hash_of(values: Record<Name, string>): string {
  const is_stated = (name: Name): boolean => values[name] !== defaults[name] && values[name].length <= longest;
  const stated = new URLSearchParams(names.filter(is_stated).map((name) => [name, values[name]]));
  return `#${stated}`;
}

export class State {
  #values = read(location.hash);
  #listeners: { names: readonly Name[]; run: () => void }[] = [];
  #timer: number | undefined;

  constructor() {
    addEventListener('popstate', () => this.#change(read(location.hash)));
  }
  get(name: Name): string {
    return this.#values[name];
  }
  /** Runs whenever one of the names has another value. */
  on(names: readonly Name[], run: () => void): void {
    this.#listeners.push({ names, run });
  }
  /** Nobody listens any longer. */
  forget(): void {
    this.#listeners = [];
  }
  set(changes: Changes, step: Step = 'visit'): void {
    const next = { ...this.#values, ...changes };
    if (names.every((name) => next[name] === this.#values[name])) return;
    if (step === 'visit') {
      this.#write_now();
      history.pushState(null, '', hash_of(next));
    } else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#write_now(), pause) as unknown as number;
    }
    this.#change(next);
  }
  /** The address of what is shown. */
  address(): string {
    return location.href.replace(/#.*/, '') + hash_of(this.#values);
  }
  #write_now(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    history.replaceState(null, '', hash_of(this.#values));
  }
  #change(next: Record<Name, string>): void {
    const changed = names.filter((name) => next[name] !== this.#values[name]);
    this.#values = next;
    for (const { names: wanted, run } of [...this.#listeners]) {
      if (wanted.some((name) => changed.includes(name))) run();
    }
  }
}
