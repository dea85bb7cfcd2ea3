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
  about: Promise<About>;
  /** A worker of its own, so that nothing waits for it. */
  referee: () => Engine;
  words: Words;
}

export interface PanelWords {
  title: string;
  look: string;
  means: string;
  sources: string;
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
  /** One sentence about what was asked for and is not had; none. */
  say(text: string): void {
    this.#said.textContent = text;
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
      try {
        await draw();
      } catch (thrown) {
        this.say(this.#shared.words.fault(thrown instanceof Error ? thrown.message : String(thrown)));
      }
      this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1);
    });
  }
}
