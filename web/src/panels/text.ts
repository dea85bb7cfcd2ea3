// SPDX-License-Identifier: Apache-2.0
// Text to tensor: tokens, rows, factor, signal, dropout, and what attention makes of two orders of the same words.
import type { Encoded, TextAsked } from '../engine/text.js';
import { dimension_of, position_of } from '../cursor.js';
import { BarChart } from '../parts/bars.js';
import { html, set } from '../parts/dom.js';
import { choice_field, number_field, switch_field, text_field } from '../parts/field.js';
import { Heatmap } from '../parts/heatmap.js';
import { f32_bits, f32_text, short } from '../parts/numbers.js';
import { readout } from '../parts/readout.js';
import { save_buttons } from '../parts/save.js';
import { listed, longest } from '../state.js';
import { Panel, type Shared } from './panel.js';
import { asked_of, most_text, ways_of } from './text_asked.js';
import { aligned, differing, furthest, in_order, relation_of, strongest, token_text } from './text_told.js';

class TextPanel {
  readonly panel: Panel;
  readonly #shared: Shared;
  readonly #lists: HTMLElement[];
  readonly #norms: BarChart;
  readonly #tensor: Heatmap;
  readonly #weights: Heatmap[];
  readonly #told = html('p', { class: 'summary' });
  readonly #readout;
  #encoded: Encoded[] = [];
  #marked = '';
  #order: number[] = []; // of the second text's tokens in its maps
  #drawn: { data: Float32Array; shape: [number, number] }[] = []; // the four maps

  constructor(shared: Shared) {
    const { words, state } = shared;
    const own = words.text;
    this.#shared = shared;
    this.panel = new Panel('text', shared, own);
    this.#norms = new BarChart(own.norms, words.table);
    const axes = {
      x: words.axes.dimension,
      y: words.axes.token,
      column: String,
      row: (row: number) => this.#name(0, row),
    };
    this.#tensor = new Heatmap(own.tensor, words.table, axes, words.keys);
    this.#weights = [own.withoutA, own.withoutB, own.withA, own.withB].map(
      (title, i) =>
        new Heatmap(
          title,
          words.table,
          {
            x: own.answers,
            y: own.asks,
            column: (index) => this.#weight_name(i % 2, index),
            row: (index) => this.#weight_name(i % 2, index),
          },
          words.keys,
        ),
    );
    this.#readout = readout([own.token, own.dimension, own.value, own.bits]);
    this.#lists = [0, 1].map((side) =>
      html('ul', { class: 'tokens', 'aria-label': side === 0 ? own.tokensA : own.tokensB }),
    );
    this.#build();
    this.#norms.pick = (row) => state.set({ p: String(row) });
    this.#tensor.pick = ({ row, column }) => state.set({ p: String(row), i: String(column) });
    this.#tensor.point = (place) => this.#tell(place?.row ?? this.#row(), place?.column ?? dimension_of(state));
    this.panel.drawn(['a', 'b', 'scale', 'drop', 'train', 'seed', 'columns'], () => this.#draw());
    state.on(['p', 'i'], () => this.#mark());
  }
  #build(): void {
    const { state, words } = this.#shared;
    const own = words.text;
    const field = (name: 'a' | 'b', label: string): HTMLElement => {
      const made = text_field(state, {
        name,
        label,
        width: 24,
        rule: (text) => (text.trim() === '' ? own.empty : undefined),
      });
      made.classList.add('wide');
      return made;
    };
    this.panel.controls.append(field('a', own.textA), field('b', own.textB));
    const probability = (text: string): string | undefined =>
      /^0?\.\d+$|^0$/.test(text.trim()) ? undefined : own.dropWrong;
    const stages = html(
      'div',
      { class: 'controls' },
      switch_field(state, { name: 'scale', label: own.scale }),
      switch_field(state, { name: 'train', label: own.train }),
      text_field(state, { name: 'drop', label: own.drop, width: 5, rule: probability }),
      number_field(state, { name: 'seed', label: own.seed, least: 0, most: 999_999_999, wrong: own.seedWrong }),
    );
    const attention = html(
      'div',
      { class: 'controls' },
      choice_field(state, {
        name: 'columns',
        label: own.columns,
        choices: listed.columns.map((value) => ({ value, label: value })),
      }),
    );
    this.panel.body.append(
      ...this.#lists,
      stages,
      this.#norms.element,
      save_buttons(words.save, 'norms', this.#norms),
      this.#tensor.element,
      this.#readout.element,
      save_buttons(
        words.save,
        'tensor',
        this.#tensor,
        () => this.#encoded[0] && { data: this.#encoded[0].out, shape: [1, this.#encoded[0].tokens.length, 512] },
      ),
      html('h3', {}, own.attention),
      html('p', { class: 'summary' }, own.head),
      attention,
      html('div', { class: 'pair' }, ...this.#weights.map((figure, i) => this.#weights_saved(figure, i))),
      this.#told,
    );
  }
  #weights_saved(figure: Heatmap, i: number): HTMLElement {
    const { words } = this.#shared;
    const tensor = () => this.#drawn[i];
    return html('div', {}, figure.element, save_buttons(words.save, `weights-${i + 1}`, figure, tensor));
  }
  #name(side: number, index: number): string {
    const token = this.#encoded[side]?.tokens[index];
    return token === undefined ? '' : token_text(token.bytes);
  }
  /** Of a token of a map: the second text's stand in the first one's order. */
  #weight_name(side: number, index: number): string {
    return this.#name(side, side === 0 ? index : (this.#order[index] ?? index));
  }
  #row(): number {
    const position = position_of(this.#shared.state);
    const count = this.#encoded[0]?.tokens.length ?? 0;
    return position >= 0n && position < BigInt(count) ? Number(position) : -1;
  }
  #tell(row: number, column: number): void {
    const value = this.#encoded[0]?.out[row * 512 + Math.min(column, 511)];
    if (row < 0 || value === undefined) return this.#readout.show([]);
    const token = `${this.#name(0, row)}  (${row})`;
    this.#readout.show(
      column < 512
        ? [token, String(column), f32_text(value), f32_bits(value)]
        : [token, String(column), this.#shared.words.cursor.beyond(512)],
    );
  }
  #mark(): void {
    const row = this.#row();
    const column = dimension_of(this.#shared.state);
    const marked = `${row} ${column}`;
    if (marked === this.#marked) return; // a position behind the text moves nothing here
    this.#marked = marked;
    this.#tensor.cursor = { row, column };
    this.#tell(row, column);
    for (const [i, button] of this.#lists[0]?.querySelectorAll('button').entries() ?? [])
      set(button, { 'aria-pressed': String(i === row) });
    this.#show_norms();
    const name = row < 0 ? undefined : this.#name(0, row);
    const { here } = this.#shared;
    if (here.token !== name) {
      here.token = name;
      here.changed();
    }
  }
  #show_norms(): void {
    const { words } = this.#shared;
    const own = words.text;
    const [first] = this.#encoded;
    if (first === undefined) return;
    const { norms, tokens } = first;
    const row = this.#row();
    const kinds = [
      { name: own.row, values: norms.row },
      { name: own.scaled, values: norms.scaled },
      { name: own.signal, values: norms.signal },
      { name: own.out, values: norms.out },
    ];
    this.#norms.show({
      groups: tokens.map(({ bytes }) => token_text(bytes)),
      kinds,
      y: own.norm,
      ...(row >= 0 && { marked: row }),
    });
    const mean = (list: number[]): string =>
      short(list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length), 3);
    this.#norms.describe(own.normSummary(mean(norms.row), mean(norms.scaled), mean(norms.signal)), () => ({
      head: [words.axes.token, ...kinds.map(({ name }) => name)],
      rows: tokens.map(({ bytes }, i) => [token_text(bytes), ...kinds.map(({ values }) => short(values[i] ?? 0, 6))]),
    }));
  }
  #show_tokens(): void {
    const { state, words } = this.#shared;
    this.#lists.forEach((list, side) =>
      list.replaceChildren(
        ...(this.#encoded[side]?.tokens ?? []).map(({ id, original, bytes }, i) =>
          html(
            'li',
            {},
            html(
              'button',
              {
                type: 'button',
                title: words.text.ids(id, original),
                'aria-pressed': side === 0 ? 'false' : undefined,
                onclick: () => state.set({ p: String(i) }),
              },
              html('b', {}, token_text(bytes)),
              html('small', {}, String(id)),
            ),
          ),
        ),
      ),
    );
  }
  #show_tensor(asked: TextAsked): void {
    const { words } = this.#shared;
    const own = words.text;
    const first = this.#encoded[0] as Encoded;
    const limit = first.out.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    this.#tensor.show({ values: first.out, rows: first.tokens.length, columns: 512, limit });
    this.#tensor.describe(own.tensorSummary(first.tokens.length, asked.train ? first.dropped : 0), () => ({
      head: [words.axes.dimension, ...first.tokens.map(({ bytes }) => token_text(bytes))],
      rows: Array.from({ length: 512 }, (_, column) => [
        column,
        ...first.tokens.map((_, row) => f32_text(first.out[row * 512 + column] ?? 0)),
      ]),
    }));
  }
  #show_weights(asked: TextAsked): void {
    const { words } = this.#shared;
    const own = words.text;
    const [a, b] = this.#encoded as [Encoded, Encoded];
    const order = aligned(a, b);
    this.#order = order.places;
    const weights = [a.without, in_order(b.without, order.places), a.with, in_order(b.with, order.places)];
    this.#drawn = weights.map((data) => ({ data, shape: [Math.sqrt(data.length), Math.sqrt(data.length)] }));
    weights.forEach((values, i) => {
      const count = Math.sqrt(values.length);
      const names = Array.from({ length: count }, (_, index) => this.#weight_name(i % 2, index));
      const first = i % 2 === 0;
      const marked = first ? [] : differing(weights[i - 1] ?? values, values, order);
      const told = first ? '' : own.differ(marked.length, order.partners.length ** 2);
      this.#weights[i]?.show({ values, rows: count, columns: count, limit: 1, least: 0, marked });
      this.#weights[i]?.describe(own.most(...strongest(values, (index) => names[index] ?? '')) + told, () => ({
        head: [own.asks, ...names],
        rows: names.map((name, q) => [name, ...names.map((_, k) => (values[q * count + k] ?? 0).toFixed(4))]),
      }));
    });
    const [without, placed] = [furthest(a, b, 'without'), furthest(a, b, 'with')];
    this.#told.textContent =
      without === undefined || placed === undefined
        ? own.nothingCompared
        : own.compared(
            without < 1e-3 ? without.toExponential(1) : without.toFixed(3),
            placed.toFixed(3),
            asked.columns,
          );
    this.panel.mean({ orders: own.means, same: own.meansSame, others: own.meansOthers }[relation_of(a, b)]);
  }
  async #draw(): Promise<void> {
    const { state, engine, words } = this.#shared;
    const asked = asked_of(state);
    if ([state.get('a'), state.get('b')].some((text) => text.trim() === '')) return this.panel.refuse(words.text.empty);
    this.#encoded = await engine.ask('encode', asked);
    const cut = this.#encoded.find((each, side) => each.cut || state.get(side === 0 ? 'a' : 'b').length > most_text);
    const unlinked = [state.get('a'), state.get('b')].some((text) => text.length > longest);
    this.panel.say(
      [cut && words.text.cut(cut.tokens.length), unlinked && words.text.unlinked(longest)].filter(Boolean).join(' '),
    );
    this.#show_tokens();
    this.#show_tensor(asked);
    this.#show_weights(asked);
    this.#marked = '';
    this.#mark();
    this.panel.make.show(ways_of(asked, this.#encoded[0] as Encoded));
  }
}

export const text_panel = (shared: Shared): Panel => new TextPanel(shared).panel;
