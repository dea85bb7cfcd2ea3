// SPDX-License-Identifier: Apache-2.0
// The signal: every entry of a table, the ladder of its frequencies, and a clock for each pair.
import { dimension_of, position_dial, position_of } from '../cursor.js';
import type { About } from '../engine/about.js';
import type { Entries, Layout } from '../engine/signal.js';
import { Chart } from '../parts/chart.js';
import { Clocks } from '../parts/clocks.js';
import { html } from '../parts/dom.js';
import { choice_field, number_field, text_field } from '../parts/field.js';
import { Heatmap } from '../parts/heatmap.js';
import { f32_bits, f32_text, grouped, most_position, parse_position, short } from '../parts/numbers.js';
import { readout } from '../parts/readout.js';
import { save_buttons } from '../parts/save.js';
import { listed, type Name, type State } from '../state.js';
import type { Words } from '../words/words.js';
import { Panel, type Shared } from './panel.js';
import { added_and_rotated, preset_field } from './presets.js';
import { asked_of, plain_of, scaling_names, scaling_of, ways_of } from './signal_asked.js';
import { period_of, show_clocks, show_ladder, type Ladder } from './signal_ladder.js';
import { scaling_told } from './signal_told.js';

/** The pair that a column belongs to; nothing where that is not known. */
export function pair_of(layout: Layout, column: number, columns: number): number | undefined {
  if (layout === 'other' || column >= columns) return undefined;
  return layout === 'interleaved' ? Math.floor(column / 2) : column % (columns / 2);
}
const column_of = (layout: Layout, pair: number): number => (layout === 'interleaved' ? 2 * pair : pair);

const first_of = (state: State): bigint => parse_position(state.get('from')) ?? 0n;

/** What keeps the panel from being drawn: an address may have anything. */
function fault_of(state: State, { signal }: Words): string | undefined {
  const within = (name: Name, least: number, most: number): boolean =>
    Number(state.get(name)) >= least && Number(state.get(name)) <= most;
  if (!within('d', 1, most_width)) return signal.widthWrong;
  const last = most_position - BigInt(state.get('rows'));
  if (first_of(state) > last) return signal.fromWrong(state.get('rows'), grouped(last));
  if (!within('trained', 1, most_trained) || !within('long', 1, most_trained)) return signal.trainedWrong;
  return within('factor', 1, most_factor) ? undefined : signal.factorWrong;
}
const most_width = 1024;
const most_trained = 10_000_000;
const most_factor = 1000;

class SignalPanel {
  readonly panel: Panel;
  readonly #shared: Shared;
  readonly #heat: Heatmap;
  readonly #ladder: Chart;
  readonly #clocks: Clocks;
  readonly #readout;
  readonly #width: HTMLElement;
  readonly #scaling_told = html('p', { class: 'summary' });
  readonly #place = html('span');
  readonly #outside = html('p', { class: 'summary', hidden: true }, this.#place, ' ');
  #about: About | undefined;
  #entries: Entries = { values: new Float32Array(), rows: 0, columns: 0, layout: 'other' };
  #frequencies: Float64Array = new Float64Array();
  #here: Float32Array = new Float32Array(); // the row at the cursor
  #position = 0n; // of the cursor, when this was drawn
  #first = 0n;
  #shown = '';

  constructor(shared: Shared) {
    const { words } = shared;
    const own = words.signal;
    this.#shared = shared;
    this.panel = new Panel('signal', shared, own);
    this.#heat = new Heatmap(own.heat, words.table, this.#axes(), words.keys);
    this.#ladder = new Chart(own.ladder, words.table);
    this.#clocks = new Clocks(own.clocks, words.table);
    this.#readout = readout([own.entry, own.value, own.bits, own.period]);
    this.#width = number_field(shared.state, {
      name: 'd',
      label: words.widths.model,
      least: 1,
      most: most_width,
      wrong: own.widthWrong,
    });
    this.#build();
    this.#listen();
    this.panel.drawn(['preset', 'd', 'rows', 'from', 'p', 'i', 'trained', 'long', 'scaling', 'factor'], () => this.#draw());
  }
  #build(): void {
    const { state, words } = this.#shared;
    const own = words.signal;
    const is_factor = (text: string): string | undefined =>
      Number(text) >= 1 && Number(text) <= most_factor ? undefined : own.factorWrong;
    this.#outside.append(
      html('button', { type: 'button', onclick: () => state.set({ from: state.get('p') }) }, own.beginHere),
    );
    const first = position_dial(this.#shared, 'from', own.from);
    first.classList.add('wide');
    this.panel.controls.append(
      preset_field(this.#shared, 'preset', own.preset, added_and_rotated(this.#shared)),
      this.#width,
      choice_field(state, { name: 'rows', label: own.rows, choices: listed.rows.map((value) => ({ value, label: value })) }),
      first,
    );
    const scaling = html(
      'div',
      { class: 'controls' },
      number_field(state, {
        name: 'trained',
        label: own.trained,
        least: 1,
        most: most_trained,
        wrong: own.trainedWrong,
      }),
      number_field(state, { name: 'long', label: own.long, least: 1, most: most_trained, wrong: own.trainedWrong }),
      choice_field(state, {
        name: 'scaling',
        label: own.scaling,
        choices: scaling_names.map((value) => ({ value, label: own.scalings[value] ?? value })),
      }),
      text_field(state, { name: 'factor', label: own.factor, width: 6, rule: is_factor }),
    );
    this.panel.body.append(
      this.#heat.element,
      this.#readout.element,
      this.#outside,
      save_buttons(words.save, 'table', this.#heat, () => ({
        data: this.#entries.values,
        shape: [this.#entries.rows, this.#entries.columns],
      })),
      scaling,
      this.#scaling_told,
      this.#ladder.element,
      save_buttons(words.save, 'ladder', this.#ladder),
      this.#clocks.element,
      save_buttons(words.save, 'clocks', this.#clocks),
    );
  }
  #listen(): void {
    const { state } = this.#shared;
    this.#heat.pick = ({ row, column }) => state.set({ p: String(this.#first + BigInt(row)), i: String(column) });
    this.#heat.point = (place) => (place === undefined ? this.#mark() : this.#tell_entry(place));
    const to_pair = (pair: number): void => {
      if (pair >= 0 && pair < this.#frequencies.length) state.set({ i: String(column_of(this.#entries.layout, pair)) });
    };
    this.#ladder.pick = (at) => to_pair(Math.round(at));
    this.#clocks.pick = to_pair;
  }
  #axes() {
    const { axes } = this.#shared.words;
    return {
      x: this.#entries.layout === 'rotated' ? axes.halves : axes.dimension,
      y: axes.position,
      column: String,
      row: (row: number) => grouped(this.#first + BigInt(row)),
    };
  }
  /** The row of the cursor in the table; nothing where it stands elsewhere. */
  #row(): number | undefined {
    const row = this.#position - this.#first;
    return row >= 0n && row < BigInt(this.#entries.rows) ? Number(row) : undefined;
  }
  #pair(column: number): number | undefined {
    return pair_of(this.#entries.layout, column, this.#entries.columns);
  }
  #tell(position: bigint, column: number, value: number | undefined): void {
    const { words } = this.#shared;
    const own = words.signal;
    const pair = this.#pair(column);
    const frequency = pair === undefined ? undefined : this.#frequencies[pair];
    const place = own.at(grouped(position), column);
    const period =
      frequency === undefined ? '—' : frequency === 0 ? own.constant : own.tokens(short(period_of(frequency), 6));
    this.#readout.show(
      value === undefined
        ? [place, words.cursor.beyond(this.#entries.columns)]
        : [place, f32_text(value), f32_bits(value), period],
    );
  }
  #tell_entry({ row, column }: { row: number; column: number }): void {
    this.#tell(this.#first + BigInt(row), column, this.#entries.values[row * this.#entries.columns + column]);
  }
  #mark(): void {
    const { state, words } = this.#shared;
    const column = dimension_of(state);
    const row = this.#row();
    this.#heat.cursor = { column, ...(row !== undefined && { row }) };
    this.#tell(this.#position, column, this.#here[column]);
    this.#outside.hidden = row !== undefined;
    this.#place.textContent = words.signal.outside(grouped(this.#position));
  }
  async #draw(): Promise<void> {
    const { state, engine, words } = this.#shared;
    const wrong = fault_of(state, words);
    if (wrong !== undefined) return this.panel.refuse(wrong);
    this.#about = await this.#shared.about();
    const asked = asked_of(state, this.#about);
    const count = Number(state.get('rows'));
    this.#first = first_of(state);
    const position = position_of(state);
    const { entries, limit, frequencies, plain, clocks, row, magnitude } = await engine.ask(
      'signal',
      asked,
      plain_of(asked, this.#about),
      String(this.#first),
      count,
      String(position),
    );
    this.#position = position;
    const same_ladder = String(frequencies) === String(this.#frequencies) && entries.layout === this.#entries.layout;
    this.#entries = entries;
    this.#frequencies = frequencies;
    this.#here = row;
    this.panel.say('');
    const label = this.#width.querySelector('label') as HTMLElement;
    label.textContent = entries.layout === 'rotated' ? words.widths.head : words.widths.model;
    this.#scaling_told.textContent = scaling_told(words, state, asked, this.#about, magnitude);
    this.#show_entries(asked.preset, limit);
    const shown = [state.get('i'), state.get('trained'), state.get('long'), state.get('scaling'), asked.preset].join();
    const marked = this.#pair(dimension_of(state));
    const ladder: Ladder = { frequencies, plain, length: Number(state.get('trained')), longer: Number(state.get('long')), marked };
    if (!same_ladder || shown !== this.#shown)
      show_ladder(this.#ladder, words, asked.preset, scaling_of(state, asked, this.#about), ladder);
    this.#shown = shown;
    show_clocks(this.#clocks, words, position, clocks, ladder);
    this.panel.make.show(ways_of(asked, entries.layout, String(this.#first), count));
  }
  #show_entries(name: string, limit: number): void {
    const { words, state } = this.#shared;
    const own = words.signal;
    const { values, rows, columns } = this.#entries;
    this.#heat.show({ values, rows, columns, limit }, this.#axes());
    this.#mark();
    const value = this.#here[dimension_of(state)];
    this.#heat.describe(
      own.heatSummary(
        name,
        rows,
        columns,
        grouped(this.#first),
        value === undefined ? words.cursor.beyond(columns) : f32_text(value),
        short(limit, 3),
      ),
      () => ({
        head: [words.axes.dimension, own.value, own.bits],
        rows: Array.from(this.#here, (each, column) => [column, f32_text(each), f32_bits(each)]),
      }),
    );
  }
}

export const signal_panel = (shared: Shared): Panel => new SignalPanel(shared).panel;
