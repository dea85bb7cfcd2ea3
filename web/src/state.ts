// SPDX-License-Identifier: Apache-2.0
// The state of the page, as text in the URL behind #: the panel that it opens at, where one is named, then one value a name.
// So a link shows what its author saw and back and forward work, from a disk too.

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
  long: '16384',
  scaling: 'own',
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
  reach: '256',
  k: '8',
  vectors: 'same',
  slopes: 'alibi',
  buckets: 't5-bucket-decoder',
  grid: 'mae-2d',
  height: '14',
  wide: '14',
  dim: '64',
  row: '4',
  column: '9',
};
export type Name = keyof typeof defaults;
/** All values of those names that cost time or memory without bound: an address may have anything. */
export const listed = {
  rows: ['64', '128', '256', '512', '1024'],
  columns: ['8', '16', '32', '64', '512'],
  across: ['8', '16', '32', '64'],
} as const satisfies Partial<Record<Name, readonly string[]>>;
type Changes = Partial<Record<Name, string>>;
/** A change by itself, as a choice; or one of many on the way, as of a slider or a text that is typed: what belongs
 *  together is one step back. */
type Step = 'visit' | 'pass';

const names = Object.keys(defaults) as Name[];
export const longest = 2000; // characters of a text that an address has; longer ones are not in links
const pause = 250; // ms: browsers refuse to write more than some 200 addresses in half a minute
const settled = 1000; // ms without a change end what belongs together

function read(hash: string): Record<Name, string> {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const is_listed = (name: Name, value: string): boolean =>
    !(name in listed) || (listed[name as keyof typeof listed] as readonly string[]).includes(value);
  const value_of = (name: Name): string => {
    const value = given.get(name);
    return value !== null && is_listed(name, value) ? value : defaults[name];
  };
  return Object.fromEntries(names.map((name) => [name, value_of(name)])) as Record<Name, string>;
}

/** What stands before the first value: "#distance&p=40". */
const panel_of = (hash: string): string => /^#?([a-z]+)(?:&|$)/.exec(hash)?.[1] ?? '';

function hash_of(values: Record<Name, string>, panel: string): string {
  const is_stated = (name: Name): boolean => values[name] !== defaults[name] && values[name].length <= longest;
  const stated = new URLSearchParams(names.filter(is_stated).map((name) => [name, values[name]]));
  return `#${[panel, String(stated)].filter(Boolean).join('&')}`;
}

export class State {
  #values = read(location.hash);
  #panel = panel_of(location.hash);
  #listeners: { names: readonly Name[]; run: () => void }[] = [];
  #returns: (() => void)[] = [];
  #writing: ReturnType<typeof setTimeout> | undefined;
  #moving: { names: string; end: ReturnType<typeof setTimeout> } | undefined;

  constructor() {
    addEventListener('popstate', () => {
      clearTimeout(this.#writing); // the address is another one now
      this.#writing = undefined;
      this.#settle();
      this.#panel = panel_of(location.hash);
      this.#change(read(location.hash));
      for (const run of [...this.#returns]) run();
    });
  }
  /** The panel that the address names; empty where it names none. */
  get panel(): string {
    return this.#panel;
  }
  set panel(id: string) {
    if (id === this.#panel) return;
    this.#settle();
    this.#panel = id;
    history.pushState(null, '', hash_of(this.#values, id));
  }
  get(name: Name): string {
    return this.#values[name];
  }
  /** Runs whenever one of the names has another value. */
  on(names: readonly Name[], run: () => void): void {
    this.#listeners.push({ names, run });
  }
  /** Runs after back and forward: a control may show what never came here. */
  on_return(run: () => void): void {
    this.#returns.push(run);
  }
  /** Nobody listens any longer. */
  forget(): void {
    this.#listeners = [];
    this.#returns = [];
  }
  set(changes: Changes, step: Step = 'visit'): void {
    const next = { ...this.#values, ...changes };
    if (names.every((name) => next[name] === this.#values[name])) return;
    const moving = step === 'pass' ? Object.keys(changes).join() : undefined;
    const is_new = moving === undefined || moving !== this.#moving?.names;
    if (is_new) {
      this.#settle();
      history.pushState(null, '', hash_of(next, this.#panel));
    } else this.#write_soon();
    this.#change(next);
    if (moving === undefined) return;
    clearTimeout(this.#moving?.end);
    this.#moving = { names: moving, end: setTimeout(() => this.#settle(), settled) };
  }
  #write_soon(): void {
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => this.#write_now(), pause);
  }
  #write_now(): void {
    clearTimeout(this.#writing);
    if (this.#writing !== undefined) history.replaceState(null, '', hash_of(this.#values, this.#panel));
    this.#writing = undefined;
  }
  /** The next change is a step of its own. */
  #settle(): void {
    this.#write_now();
    clearTimeout(this.#moving?.end);
    this.#moving = undefined;
  }
  #change(next: Record<Name, string>): void {
    const changed = names.filter((name) => next[name] !== this.#values[name]);
    this.#values = next;
    for (const { names: wanted, run } of [...this.#listeners]) {
      if (wanted.some((name) => changed.includes(name))) run();
    }
  }
}
