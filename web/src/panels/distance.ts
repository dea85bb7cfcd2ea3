// SPDX-License-Identifier: Apache-2.0
// Distance: what conventions make of how far apart a query and a key are.
import { dimension_of, position_of } from '../cursor.js';
import { Chart, type Curve } from '../parts/chart.js';
import { html } from '../parts/dom.js';
import { number_field, segments } from '../parts/field.js';
import { f32_text, grouped, most_position, short } from '../parts/numbers.js';
import { save_buttons } from '../parts/save.js';
import { heads, ways_of, width, type Asked } from './distance_asked.js';
import { shift_table } from './distance_shift.js';
import { Panel, type Shared } from './panel.js';
import { preset_field } from './presets.js';

const rows = ['transformer', 'fairseq-sinusoidal'];
const rotations = ['rope-half', 'rope-llama3'];
const encoder = 't5-bucket';
const reaches = { least: 8, most: 4096 };
const shifts = { least: 0, most: 1_000_000 };
const is_within = (value: number, { least, most }: typeof reaches): boolean =>
  Number.isInteger(value) && value >= least && value <= most;

const clamped = (value: bigint, most: number): bigint =>
  value < 0n ? 0n : value > BigInt(most) ? BigInt(most) : value;

/** The name of a curve; where it lies on a former one, that is said. */
function named(at: number, names: string[], lists: number[][], equal_to: (name: string, other: string) => string) {
  const name = names[at] ?? '';
  const twin = lists
    .slice(0, at)
    .findIndex((list) => list.every((y, k) => Math.abs(y - (lists[at]?.[k] ?? NaN)) < as_one));
  return twin < 0 ? name : equal_to(name, names[twin] ?? '');
}
const as_one = 1e-4; // of the height of a picture: less than any pixel

class DistancePanel {
  readonly panel: Panel;
  readonly #shared: Shared;
  readonly #products: Chart;
  readonly #biases: Chart;
  readonly #classes: Chart;
  readonly #shift = html('div', { class: 'scroll', tabindex: 0, role: 'group' });
  readonly #told = html('p', { class: 'summary' });

  constructor(shared: Shared) {
    const { words, state } = shared;
    const own = words.distance;
    this.#shared = shared;
    this.panel = new Panel('distance', shared, own);
    [this.#products, this.#biases, this.#classes] = [own.products, own.biases, own.classes].map(
      (title) => new Chart(title, words.table),
    ) as [Chart, Chart, Chart];
    this.#shift.setAttribute('aria-label', own.shift);
    this.#build();
    for (const chart of [this.#products, this.#biases, this.#classes])
      chart.pick = (at) => state.set({ k: String(Math.max(0, Math.round(at))) });
    this.panel.drawn(['p', 'i', 'reach', 'k', 'vectors', 'slopes', 'buckets'], () => this.#draw());
  }
  #build(): void {
    const { state, words } = this.#shared;
    const own = words.distance;
    this.panel.controls.append(
      number_field(state, { name: 'reach', label: own.reach, ...reaches, wrong: own.reachWrong }),
      segments(state, {
        name: 'vectors',
        label: own.vectors,
        choices: [
          { value: 'same', label: own.same },
          { value: 'random', label: own.random },
        ],
      }),
      preset_field(this.#shared, 'slopes', own.slopes, ({ slopes }) =>
        slopes.map((value) => ({ value, label: value })),
      ),
      preset_field(this.#shared, 'buckets', own.buckets, ({ buckets }) =>
        buckets.map((value) => ({ value, label: value })),
      ),
    );
    this.panel.body.append(
      this.#products.element,
      save_buttons(words.save, 'products', this.#products),
      html(
        'div',
        { class: 'pair' },
        html('div', {}, this.#biases.element, save_buttons(words.save, 'biases', this.#biases)),
        html('div', {}, this.#classes.element, save_buttons(words.save, 'classes', this.#classes)),
      ),
      html('h3', {}, own.shift),
      html(
        'div',
        { class: 'controls' },
        number_field(state, { name: 'k', label: own.k, ...shifts, wrong: own.kWrong }),
      ),
      this.#told,
      this.#shift,
    );
  }
  async #draw(): Promise<void> {
    const { state } = this.#shared;
    const own = this.#shared.words.distance;
    const reach = Number(state.get('reach'));
    const k = Number(state.get('k'));
    if (!is_within(reach, reaches)) return this.panel.refuse(own.reachWrong);
    if (!is_within(k, shifts)) return this.panel.refuse(own.kWrong);
    const position = position_of(state);
    const vectors = state.get('vectors') === 'random' ? ('random' as const) : ('same' as const);
    const reached = Number(clamped(most_position - 1n - position, reach));
    this.panel.say(reached < reach ? own.ends(grouped(most_position), grouped(position), grouped(reached)) : '');
    const asked = { position, reach, reached, shift: k, slopes: state.get('slopes'), buckets: state.get('buckets'), vectors };
    await this.#draw_products(reached, k, vectors);
    await this.#draw_biases(asked);
    await this.#draw_buckets(asked);
    await this.#draw_shift(k);
    this.panel.make.show(ways_of(asked));
  }
  async #draw_products(reach: number, k: number, vectors: Asked['vectors']): Promise<void> {
    const { state, engine, words } = this.#shared;
    const own = words.distance;
    const first = String(position_of(state));
    const made = await Promise.all([
      ...rows.map((preset) => engine.ask('row_products', { preset, width }, first, reach)),
      ...rotations.map((preset) => engine.ask('turned_products', { preset, width }, first, reach, vectors)),
    ]);
    const names = [...rows.map(own.rowsOf), ...rotations.map((name) => own.turnedOf(name, vectors === 'random'))];
    const means = made.map(({ mean }) => mean);
    const curves = made.flatMap(({ mean, some }, i): Curve[] => [
      { name: named(i, names, means, own.equalTo), colour: i, points: mean.map((y, x) => [x, y]) },
      ...(i === rows.length
        ? some.map((list, j): Curve => ({
            name: own.single(j + 1),
            colour: 6,
            faint: true,
            points: list.map((y, x) => [x, y]),
          }))
        : []),
    ]);
    const all = curves.flatMap(({ points }) => points.map(([, y]) => y));
    this.#products.show({
      curves,
      x: { label: own.distance, least: 0, most: reach },
      y: { label: own.share, least: Math.min(-0.2, ...all), most: Math.max(1, ...all) },
      rules: [{ at: 0, label: '' }],
      ...(k <= reach && { cursor: k }),
    });
    this.#products.describe(
      own.productsSummary(
        grouped(position_of(state)),
        grouped(reach),
        k <= reach
          ? own.valuesAt(grouped(k), names.map((name, i) => `${name} ${short(made[i]?.mean[k] ?? 0, 3)}`).join(', '))
          : '',
      ),
      () => ({
        head: [own.distance, ...names],
        rows: Array.from({ length: reach + 1 }, (_, at) => [at, ...made.map(({ mean }) => short(mean[at] ?? 0, 6))]),
      }),
    );
  }
  async #draw_biases({ reach, shift, slopes }: Asked): Promise<void> {
    const { engine, words } = this.#shared;
    const own = words.distance;
    const lines = await engine.ask('biases', slopes, heads, reach);
    this.#biases.show({
      curves: [0, 2, 5, 7].map((head, i) => ({
        name: own.head(head + 1),
        colour: i,
        points: (lines[head] ?? []).map((y, at): [number, number] => [at, y]),
      })),
      x: { label: own.distance, least: 0, most: reach },
      y: { label: own.added, least: Math.min(0, ...lines.flat()), most: Math.max(0, ...lines.flat()) },
      height: 220,
      ...(shift <= reach && { cursor: shift }),
    });
    const steps = lines.map((list) => Math.abs((list[1] ?? 0) - (list[0] ?? 0)));
    this.#biases.describe(own.biasSummary(slopes, short(Math.max(...steps)), short(Math.min(...steps))), () => ({
      head: [own.distance, ...lines.map((_, head) => own.head(head + 1))],
      rows: Array.from({ length: reach + 1 }, (_, at) => [at, ...lines.map((list) => f32_text(list[at] ?? 0))]),
    }));
  }
  /** The one that is chosen beside T5's encoder. */
  async #draw_buckets({ reach, shift, buckets }: Asked): Promise<void> {
    const { engine, words } = this.#shared;
    const own = words.distance;
    const names = [...new Set([buckets, encoder])];
    const lists = await Promise.all(names.map((name) => engine.ask('classes', name, reach)));
    const [chosen = []] = lists;
    this.#classes.show({
      curves: lists.map((list, i) => ({
        name: named(i, names, lists, own.equalTo),
        points: list.map((y, at): [number, number] => [at, y]),
      })),
      x: { label: own.distance, least: 0, most: reach },
      y: { label: own.number, least: Math.min(0, ...lists.flat()), most: Math.max(32, ...lists.flat()) },
      height: 220,
      ...(shift <= reach && { cursor: shift }),
    });
    this.#classes.describe(
      own.classSummary(buckets, new Set(chosen).size, grouped(reach), grouped(chosen.indexOf(chosen.at(-1) ?? 0))),
      () => ({
        head: [own.distance, ...names],
        rows: Array.from({ length: reach + 1 }, (_, at) => [at, ...lists.map((list) => list[at] ?? 0)]),
      }),
    );
  }
  /** T(k) as numbers, of the pair of the cursor and its neighbours. */
  async #draw_shift(k: number): Promise<void> {
    const { state, engine, words } = this.#shared;
    const own = words.distance;
    const position = String(position_of(state));
    this.#shift.hidden = position_of(state) + BigInt(k) > most_position;
    if (this.#shift.hidden) {
      this.#told.textContent = own.noShift(grouped(position_of(state)), grouped(k));
      return;
    }
    const { turn, from, to } = await engine.ask('shift', { preset: 'transformer', width }, position, k);
    const column = dimension_of(state);
    const pair = Math.min(width / 2 - 1, Math.floor(column / 2));
    const number = (list: Float32Array, at = pair): string => f32_text(list[at] ?? 0);
    const beyond = column < width ? '' : `${own.lastPair(column, words.cursor.beyond(width))} `;
    this.#told.textContent =
      beyond +
      own.shiftTold(
        pair,
        grouped(position_of(state)),
        String(k),
        number(turn.cosines),
        number(turn.sines),
        number(from.sines),
        number(from.cosines),
        number(to.sines),
        number(to.cosines),
      );
    this.#shift.replaceChildren(shift_table(own, k, pair, { turn, from, to }));
  }
}

export const distance_panel = (shared: Shared): Panel => new DistancePanel(shared).panel;
