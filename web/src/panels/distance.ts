// SPDX-License-Identifier: Apache-2.0
// Distance: what conventions make of how far apart a query and a key are.
import { dimension_of, position_of } from '../cursor.js';
import { Chart, type Curve } from '../parts/chart.js';
import { html } from '../parts/dom.js';
import { number_field, segments } from '../parts/field.js';
import type { Ways } from '../parts/make.js';
import { f32_text, grouped, short } from '../parts/numbers.js';
import { save_buttons } from '../parts/save.js';
import { Panel, type Shared } from './panel.js';

const width = 128;
const heads = 8;
const rows = ['transformer', 'fairseq-sinusoidal'];
const rotations = ['rope-half', 'rope-llama3'];
const reaches = 4096;
const farthest_shift = 1_000_000;

function ways(position: string, reach: number, shift: number): Ways {
  const end = BigInt(position) + BigInt(reach) + 1n;
  return {
    command: `posenc table --preset transformer --dim ${width} --positions ${position}:${end} --out rows.npy\nposenc bias --preset alibi --heads ${heads} --queries ${reach}:${reach + 1} --keys 0:${reach + 1} --out alibi.npy\nposenc bias --preset t5-bucket --queries ${reach}:${reach + 1} --keys 0:${reach + 1} --out classes.npy`,
    cpp: `#include <posenc/bias.h>\n#include <posenc/preset.h>\n#include <posenc/rotary.h>\n\nstd::vector<float> keys(${reach + 1} * ${width}, 1.0f);  // the same vector at every distance\nconst posenc::View view = posenc::view(keys.data(), {${reach + 1}, ${width}});\nposenc::rotary(posenc::preset("rope-half").convention, posenc::Positions::range(${position}, ${reach + 1}), view, view);`,
    python: `import numpy as np, posenc\n\nrows = posenc.table("transformer", ${width}, range(${position}, ${end}))\nproducts = rows.astype(float) @ rows[0]\nkeys = posenc.rotate("rope-half", range(${position}, ${end}), np.ones((${reach + 1}, ${width}), np.float32))\nscores = keys.astype(float) @ keys[0] / ${width}\nbias = posenc.bias("alibi", ${heads}, [${reach}], range(${reach + 1}))\nturn = posenc.table("transformer", ${width}, [${shift}])  # sine and cosine of k w: the rotation T(k)`,
  };
}

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
    this.panel.drawn(['p', 'i', 'reach', 'k', 'vectors'], () => this.#draw());
  }
  #build(): void {
    const { state, words } = this.#shared;
    const own = words.distance;
    this.panel.controls.append(
      number_field(state, { name: 'reach', label: own.reach, least: 8, most: reaches, wrong: own.reachWrong }),
      segments(state, {
        name: 'vectors',
        label: own.vectors,
        choices: [
          { value: 'same', label: own.same },
          { value: 'random', label: own.random },
        ],
      }),
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
        number_field(state, { name: 'k', label: own.k, least: 0, most: farthest_shift, wrong: own.kWrong }),
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
    if (!(reach >= 8 && reach <= reaches)) return this.panel.say(own.reachWrong);
    if (!(k >= 0 && k <= farthest_shift && Number.isInteger(k))) return this.panel.say(own.kWrong);
    this.panel.say('');
    await this.#draw_products(reach, k);
    await this.#draw_biases(reach, k);
    await this.#draw_shift(k);
    this.panel.make.show(ways(String(position_of(state)), reach, k));
  }
  async #draw_products(reach: number, k: number): Promise<void> {
    const { state, engine, words } = this.#shared;
    const own = words.distance;
    const first = String(position_of(state));
    const vectors = state.get('vectors') === 'random' ? ('random' as const) : ('same' as const);
    const made = await Promise.all([
      ...rows.map((preset) => engine.ask('row_products', { preset, width }, first, reach)),
      ...rotations.map((preset) => engine.ask('turned_products', { preset, width }, first, reach, vectors)),
    ]);
    const names = [...rows.map(own.rowsOf), ...rotations.map((name) => own.turnedOf(name, vectors === 'random'))];
    const curves = made.flatMap(({ mean, some }, i): Curve[] => [
      { name: names[i] ?? '', colour: i, points: mean.map((y, x) => [x, y]) },
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
        k <= reach ? names.map((name, i) => `${name}: ${short(made[i]?.mean[k] ?? 0, 3)}`).join('; ') : '',
      ),
      () => ({
        head: [own.distance, ...names],
        rows: Array.from({ length: reach + 1 }, (_, at) => [at, ...made.map(({ mean }) => short(mean[at] ?? 0, 6))]),
      }),
    );
  }
  async #draw_biases(reach: number, k: number): Promise<void> {
    const { engine, words } = this.#shared;
    const own = words.distance;
    const [lines, causal, both] = await Promise.all([
      engine.ask('biases', 'alibi', heads, reach),
      engine.ask('classes', 't5-bucket-decoder', reach),
      engine.ask('classes', 't5-bucket', reach),
    ]);
    const shown = [0, 2, 5, 7];
    const x = { label: own.distance, least: 0, most: reach };
    const cursor = k <= reach ? { cursor: k } : {};
    this.#biases.show({
      curves: shown.map((head, i) => ({
        name: own.head(head + 1),
        colour: i,
        points: (lines[head] ?? []).map((y, at): [number, number] => [at, y]),
      })),
      x,
      y: { label: own.added, least: Math.min(...lines.flat()), most: 0 },
      height: 220,
      ...cursor,
    });
    this.#biases.describe(own.biasSummary, () => ({
      head: [own.distance, ...lines.map((_, head) => own.head(head + 1))],
      rows: Array.from({ length: reach + 1 }, (_, at) => [at, ...lines.map((list) => f32_text(list[at] ?? 0))]),
    }));
    this.#classes.show({
      curves: [
        { name: own.decoder, points: causal.map((y, at): [number, number] => [at, y]) },
        { name: own.encoder, points: both.map((y, at): [number, number] => [at, y]) },
      ],
      x,
      y: { label: own.number, least: 0, most: 32 },
      height: 220,
      ...cursor,
    });
    this.#classes.describe(own.classSummary(new Set(causal).size), () => ({
      head: [own.distance, own.decoder, own.encoder],
      rows: causal.map((each, at) => [at, each, both[at] ?? 0]),
    }));
  }
  /** T(k) as numbers, of the pair of the cursor and its neighbours. */
  async #draw_shift(k: number): Promise<void> {
    const { state, engine, words } = this.#shared;
    const own = words.distance;
    const position = String(position_of(state));
    const { turn, from, to } = await engine.ask('shift', { preset: 'transformer', width }, position, k);
    const pair = Math.min(width / 2 - 1, Math.floor(dimension_of(state) / 2));
    const number = (list: Float32Array, at = pair): string => f32_text(list[at] ?? 0);
    const made = (at: number): [number, number] => {
      const [c = 0, s = 0, x = 0, y = 0] = [turn.cosines[at], turn.sines[at], from.sines[at], from.cosines[at]];
      return [c * x + s * y, c * y - s * x];
    };
    this.#told.textContent = own.shiftTold(
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
    const table = html(
      'table',
      {},
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          ...[
            own.pair,
            `cos ${k}w`,
            `sin ${k}w`,
            'T(k) PE(p): sin',
            'T(k) PE(p): cos',
            'PE(p + k): sin',
            'PE(p + k): cos',
          ].map((text) => html('th', { scope: 'col' }, text)),
        ),
      ),
      html(
        'tbody',
        {},
        ...Array.from({ length: width / 2 }, (_, at) =>
          html(
            'tr',
            { class: at === pair ? 'marked' : '' },
            ...[
              String(at),
              number(turn.cosines, at),
              number(turn.sines, at),
              ...made(at).map((value) => f32_text(Math.fround(value))),
              number(to.sines, at),
              number(to.cosines, at),
            ].map((text) => html('td', {}, text)),
          ),
        ),
      ),
    );
    this.#shift.replaceChildren(table);
  }
}

export const distance_panel = (shared: Shared): Panel => new DistancePanel(shared).panel;
