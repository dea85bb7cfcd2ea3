// SPDX-License-Identifier: Apache-2.0
// The frame of a panel: what to look for, controls, pictures, what it means for a model, how to make it elsewhere.
import type { About } from '../engine/about.js';
import type { Engine } from '../engine/client.js';
import { html } from '../parts/dom.js';
import { Make } from '../parts/make.js';
import type { Name, State } from '../state.js';
import type { Words } from '../words/words.js';

/** What all panels share. */
export interface Shared {
  state: State;
  engine: Engine;
  about: () => Promise<About>;
  /** A worker of its own, so that nothing waits for it. */
  referee: () => Engine;
  words: Words;
  /** The token of the first text at the cursor, which the panel of texts writes and the bar of the cursor shows. */
  here: { token: string | undefined; changed: () => void };
}

export interface PanelWords {
  title: string;
  look: string;
  means: string;
  sources: string;
}

/** What the library says is English. */
export function fault(words: Words, thrown: unknown): HTMLElement {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return html('span', {}, words.fault, html('span', { lang: 'en' }, text));
}

export class Panel {
  readonly element: HTMLElement;
  readonly title: string;
  readonly controls = html('div', { class: 'controls' });
  readonly body = html('div', { class: 'body' });
  readonly make: Make;
  readonly #means: HTMLElement;
  readonly #said = html('p', { class: 'said', role: 'status' });
  readonly #shared: Shared;
  #near = false;
  #refused = false;
  #failed = false; // by what is no choice of the reader's
  #draw: (() => Promise<void>) | undefined;

  constructor(
    readonly id: string,
    shared: Shared,
    { title, look, means, sources }: PanelWords,
  ) {
    this.#shared = shared;
    this.title = title;
    this.make = new Make(shared.words);
    this.#means = html('p', { class: 'means' }, means);
    this.element = html(
      'section',
      { id, 'aria-labelledby': `${id}-title` },
      html('h2', { id: `${id}-title`, tabindex: -1 }, title),
      html('p', { class: 'look' }, look),
      this.controls,
      this.#said,
      this.body,
      html('p', { class: 'unprinted' }, shared.words.unprinted),
      this.#means,
      html('p', { class: 'sources' }, sources),
      this.make.element,
    );
  }
  /** One sentence about what is shown; none. */
  say(text: string): void {
    this.#said.textContent = text;
  }
  /** Says why what was asked for is not shown: what stands there is of before, and is not handed out. */
  refuse(text: string | Node): void {
    this.#said.replaceChildren(text);
    this.#refused = true;
  }
  #mark_refused(): void {
    this.element.toggleAttribute('data-refused', this.#refused);
    for (const button of this.body.querySelectorAll<HTMLButtonElement>('.save button')) button.disabled = this.#refused;
  }
  /** What it means for a model, where that depends on what is shown. */
  mean(text: string): void {
    if (this.#means.textContent !== text) this.#means.textContent = text;
  }
  /** Draws when the panel is near what is seen, and anew when one of the names has changed. */
  drawn(names: readonly Name[], draw: () => Promise<void>): void {
    this.#draw = draw;
    this.element.dataset.stale = ''; // until it is near
    this.#shared.state.on(names, () => this.refresh());
    new IntersectionObserver(
      (entries) => {
        this.#near = entries.at(-1)?.isIntersecting ?? false;
        if (this.#near && this.element.dataset.stale !== undefined) this.refresh();
      },
      { rootMargin: '300px' },
    ).observe(this.element);
  }
  /** Draws again what could not be drawn. */
  retry(): void {
    if (this.#failed) this.refresh();
  }
  refresh(): void {
    this.element.dataset.stale = '';
    if (this.#near) this.catch_up();
  }
  /** Draws what is stale, wherever the reader is. */
  catch_up(): void {
    const draw = this.#draw;
    if (draw === undefined || this.element.dataset.stale === undefined) return;
    delete this.element.dataset.stale;
    this.#shared.engine.newest(this.id, async () => {
      this.#refused = this.#failed = false;
      try {
        await draw();
      } catch (thrown) {
        this.#failed = true;
        this.refuse(fault(this.#shared.words, thrown));
      }
      this.#mark_refused();
      this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1);
    });
  }
}
