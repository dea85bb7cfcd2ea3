// SPDX-License-Identifier: Apache-2.0
// Precision: what roundings make of a row, at any position.
import { dimension_of, position_dial, position_of } from '../cursor.js';
import type { Precise, Worst } from '../engine/precision.js';
import type { Asked } from '../engine/signal.js';
import { Chart } from '../parts/chart.js';
import { html } from '../parts/dom.js';
import { choice_field } from '../parts/field.js';
import { literal, range_text, type Ways } from '../parts/make.js';
import { f32_bits, f32_text, grouped, short } from '../parts/numbers.js';
import { readout } from '../parts/readout.js';
import { save_buttons } from '../parts/save.js';
import { Panel, type Shared } from './panel.js';

const width = 512;
const farthest = 1e9;
const samples = 64;
const least_shown = 1e-9;

/** Units in the last place of `exact` between it and `other`. */
function ulps(exact: number, other: number): number {
  const size = Math.abs(exact);
  const unit = size < 2 ** -126 ? 2 ** -149 : 2 ** (Math.floor(Math.log2(size)) - 23);
  return Math.abs(other - exact) / unit;
}

function ways({ preset }: Asked, recipe: string, position: string): Ways {
  return {
    command: `posenc table --preset ${preset} --dim ${width} --positions ${range_text(BigInt(position), 1)} --recipe ${recipe} --out row.npy`,
    cpp: `#include <posenc/preset.h>\n#include <posenc/recipe.h>\n#include <posenc/sinusoid.h>\n\nstd::vector<float> row(${width});  // without the recipe: the exact numbers\nposenc::sinusoid(posenc::preset(${literal(preset)}).convention, posenc::Positions::at(${position}),\n    posenc::view(row.data(), {1, ${width}}), {.recipe = posenc::recipe(${literal(recipe)})});`,
    python: `import posenc\n\nrow = posenc.table(${literal(preset)}, ${width}, [${position}], recipe=${literal(recipe)})\nexact = posenc.table(${literal(preset)}, ${width}, [${position}])  # a position kept in 16 bits: the row of the one it became\napart = abs(row - exact)`,
  };
}

class PrecisionPanel {
  readonly panel: Panel;
  readonly #shared: Shared;
  readonly #row: Chart;
  readonly #worst: Chart;
  readonly #readout;
  #precise: Precise | undefined;
  #preset = '';
  #curve: { key: string; worst: Worst } | undefined;

  constructor(shared: Shared) {
    const { words, state } = shared;
    const own = words.precision;
    this.#shared = shared;
    this.panel = new Panel('precision', shared, own);
    this.#row = new Chart(own.row, words.table);
    this.#worst = new Chart(own.worst, words.table);
    this.#readout = readout([own.exact, own.recipe, own.bf16, own.f16]);
    this.#build();
    this.#row.pick = (at) => state.set({ i: String(Math.min(width - 1, Math.max(0, Math.round(at)))) });
    this.#worst.pick = (at) => state.set({ at: String(Math.round(at)) });
    this.panel.drawn(['at', 'recipe', 'preset'], () => this.#draw());
    state.on(['i'], () => this.#show());
  }
  /** The signal's convention where recipes are made for it. */
  async #asked(): Promise<Asked> {
    const { state, about } = this.#shared;
    const { added } = await about();
    const preset = state.get('preset');
    return { preset: added.includes(preset) ? preset : 'transformer', width };
  }
  #build(): void {
    const { state, engine, words } = this.#shared;
    const own = words.precision;
    const field = (names: string[]): HTMLElement =>
      choice_field(state, {
        name: 'recipe',
        label: own.recipeLabel,
        choices: names.map((value) => ({ value, label: value })),
      });
    const recipes = html('div', {}, field([]));
    void this.#asked()
      .then((asked) => engine.ask('recipes', asked))
      .then((names) => recipes.replaceChildren(field(names)))
      .catch(() => {}); // drawing says what is wrong
    const dial = position_dial(this.#shared, 'at', words.cursor.position);
    dial.classList.add('wide');
    this.panel.controls.append(recipes, dial);
    this.panel.body.append(
      this.#readout.element,
      this.#row.element,
      save_buttons(
        words.save,
        'row',
        this.#row,
        () => this.#precise && { data: this.#precise.recipe, shape: [1, width] },
      ),
      this.#worst.element,
      save_buttons(words.save, 'worst', this.#worst),
    );
  }
  async #draw(): Promise<void> {
    const { state, engine, words } = this.#shared;
    const asked = await this.#asked();
    const recipe = state.get('recipe');
    const position = String(position_of(state, 'at'));
    this.#precise = await engine.ask('precise', asked, recipe, position);
    const named = state.get('preset');
    this.#preset = asked.preset;
    this.panel.say(named === asked.preset ? '' : words.precision.rowsAlone(named, asked.preset));
    this.#show();
    this.panel.make.show(ways(asked, recipe, position));
    const key = `${asked.preset} ${recipe}`;
    if (this.#curve?.key !== key)
      this.#curve = { key, worst: await engine.ask('worst', asked, recipe, samples, farthest) };
    this.#show_worst(recipe);
  }
  #kinds(): { name: string; values: Float32Array }[] {
    const own = this.#shared.words.precision;
    const { recipe, bf16, f16 } = this.#precise as Precise;
    return [
      { name: this.#shared.state.get('recipe'), values: recipe },
      { name: own.bf16, values: bf16 },
      { name: own.f16, values: f16 },
    ];
  }
  #show(): void {
    const { state, words } = this.#shared;
    const own = words.precision;
    const precise = this.#precise;
    if (precise === undefined) return;
    const { exact, kept } = precise;
    const kinds = this.#kinds();
    const at = dimension_of(state);
    const told = (value: number): string => `${f32_text(value)}  ${own.ulps(short(ulps(exact[at] ?? 0, value), 3))}`;
    const kept_as = (position: number, value: number | undefined): string =>
      own.keptAs(grouped(BigInt(position)), Number.isNaN(value) ? own.noPosition : told(value ?? 0));
    this.#readout.show(
      at >= width
        ? [words.cursor.beyond(width)]
        : [
            `${f32_text(exact[at] ?? 0)}  ${f32_bits(exact[at] ?? 0)}`,
            told(precise.recipe[at] ?? 0),
            kept_as(kept.bf16, precise.bf16[at]),
            Number.isFinite(kept.f16) ? kept_as(kept.f16, precise.f16[at]) : own.noF16,
          ],
    );
    const apart = (values: Float32Array): number[] =>
      Array.from(values, (value, i) => Math.abs(value - (exact[i] ?? 0)));
    const most = (values: Float32Array): number => apart(values).reduce((worst, each) => Math.max(worst, each), 0);
    this.#row.show({
      curves: kinds.map(({ name, values }) => ({
        name,
        points: apart(values).map((y, x): [number, number] => [x, Math.max(y, least_shown)]),
      })),
      x: { label: words.axes.dimension, least: 0, most: width - 1 },
      y: {
        label: own.apart,
        least: least_shown,
        most: 2,
        log: true,
        name: (value) => (value <= least_shown ? '0' : undefined),
      },
      ...(at < width && { cursor: at }),
    });
    const largest = most(precise.recipe);
    const column = apart(precise.recipe).indexOf(largest);
    this.#row.describe(
      own.rowSummary(
        this.#preset,
        grouped(position_of(state, 'at')),
        short(largest, 3),
        short(ulps(exact[column] ?? 0, precise.recipe[column] ?? 0), 3),
        column,
      ),
      () => ({
        head: [words.axes.dimension, own.exact, ...kinds.map(({ name }) => name)],
        rows: Array.from(exact, (value, i) => [
          i,
          f32_text(value),
          ...kinds.map(({ values }) => f32_text(values[i] ?? NaN)),
        ]),
      }),
    );
  }
  #show_worst(recipe: string): void {
    const { state, words } = this.#shared;
    const own = words.precision;
    const { positions, ...kinds } = (this.#curve as { worst: Worst }).worst;
    const curves = (
      [
        [recipe, kinds.recipe],
        [own.bf16, kinds.bf16],
        [own.f16, kinds.f16],
      ] as const
    ).map(([name, values]) => ({
      name,
      points: positions.map((position, i): [number, number] => [position, Math.max(values[i] ?? NaN, least_shown)]),
    }));
    const cursor = Number(position_of(state, 'at'));
    this.#worst.show({
      curves,
      x: { label: words.axes.position, least: 1, most: farthest, log: true },
      y: {
        label: own.apart,
        least: least_shown,
        most: 4,
        log: true,
        name: (value) => (value <= least_shown ? '0' : undefined),
      },
      ...(cursor >= 1 && cursor <= farthest && { cursor }),
    });
    const wrong = positions.find((_, i) => (kinds.recipe[i] ?? 0) > 0.001);
    this.#worst.describe(own.worstSummary(this.#preset, recipe, wrong === undefined ? undefined : grouped(wrong)), () => ({
      head: [words.axes.position, ...curves.map(({ name }) => name)],
      rows: positions.map((position, i) => [
        grouped(position),
        ...[kinds.recipe, kinds.bf16, kinds.f16].map((values) => short(values[i] ?? NaN, 3)),
      ]),
    }));
  }
}

export const precision_panel = (shared: Shared): Panel => new PrecisionPanel(shared).panel;
