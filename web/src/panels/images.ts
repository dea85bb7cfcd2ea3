// SPDX-License-Identifier: Apache-2.0
// Images: positions of patches, alike to one that is marked; which columns an axis moves; what resizing does.
import { dimension_of } from '../cursor.js';
import type { Grids } from '../engine/images.js';
import { Chart } from '../parts/chart.js';
import { html } from '../parts/dom.js';
import { number_field } from '../parts/field.js';
import { Heatmap } from '../parts/heatmap.js';
import { literal, type Ways } from '../parts/make.js';
import { short } from '../parts/numbers.js';
import { save_buttons } from '../parts/save.js';
import type { Name } from '../state.js';
import { Panel, type Shared } from './panel.js';
import { preset_field } from './presets.js';

const most_side = 32;
const most_width = 512;

/** Where the colours of shares begin: a tenth, so that the legend has a round number. */
const floor_of = (values: Float32Array): number => Math.floor(10 * values.reduce((a, b) => Math.min(a, b))) / 10;

function ways(preset: string, width: number, [height, wide]: [number, number], [row, column]: [number, number]): Ways {
  return {
    command: `posenc grid --preset ${preset} --height ${height} --width ${wide} --dim ${width} --out grid.npy`,
    cpp: `#include <posenc/grid.h>\n#include <posenc/preset.h>\n\nconst posenc::Preset& own = posenc::preset(${literal(preset)});\nconst posenc::Rows rows(own.convention, ${width});\nstd::vector<float> grid(${height} * ${wide} * ${width});\nrows.write_cells(posenc::view(grid.data(), {${height}, ${wide}, ${width}}), own.places.value_or(posenc::whole_places));`,
    python: `import numpy as np, posenc

places = posenc.preset(${literal(preset)}).places
grid = posenc.grid(${literal(preset)}, ${width}, (${height}, ${wide}), places=places)
def shares(of, row, column):  # products with the marked patch, over its own
    products = of.astype(float) @ of[row, column].astype(float)
    return products / products[row, column]
alike = shares(grid, ${row}, ${column})
anew = shares(posenc.grid(${literal(preset)}, ${width}, (${2 * height}, ${2 * wide}), places=places), ${2 * row}, ${2 * column})
cubic = posenc.Convention("vit-resize").replace({"resize.extra": 0})
larger = posenc.resize_table(cubic, grid.reshape(${height * wide}, -1), (${2 * height}, ${2 * wide}), source=(${height}, ${wide}))
resized = shares(larger.reshape(${2 * height}, ${2 * wide}, -1), ${2 * row}, ${2 * column})`,
  };
}

class ImagesPanel {
  readonly panel: Panel;
  readonly #shared: Shared;
  readonly #alike: Heatmap;
  readonly #anew: Heatmap;
  readonly #resized: Heatmap;
  readonly #columns: Chart;
  readonly #scale = html('p', { class: 'summary' });
  #grids: Grids | undefined;

  constructor(shared: Shared) {
    const { words, state } = shared;
    const own = words.images;
    this.#shared = shared;
    this.panel = new Panel('images', shared, own);
    const axes = { x: own.column, y: own.row, column: String, row: String };
    [this.#alike, this.#anew, this.#resized] = [own.alike, own.anew, own.resized].map(
      (title) => new Heatmap(title, words.table, axes, words.keys),
    ) as [Heatmap, Heatmap, Heatmap];
    this.#columns = new Chart(own.moved, words.table);
    this.#build();
    this.#alike.pick = ({ row, column }) => state.set({ row: String(row), column: String(column) });
    this.#columns.pick = (at) => state.set({ i: String(Math.max(0, Math.round(at))) });
    this.panel.drawn(['grid', 'height', 'wide', 'dim', 'row', 'column'], () => this.#draw());
    state.on(['i'], () => this.#show_columns());
  }
  #build(): void {
    const { state, words } = this.#shared;
    const own = words.images;
    const number = (name: Name, label: string, most: number): HTMLElement =>
      number_field(state, {
        name,
        label,
        least: name === 'dim' ? 4 : 2,
        most,
        wrong: own.wrong(name === 'dim' ? 4 : 2, most),
      });
    this.panel.controls.append(
      preset_field(this.#shared, 'grid', own.preset, ({ grids }) => grids.map((value) => ({ value, label: value }))),
      number('height', own.height, most_side),
      number('wide', own.wide, most_side),
      number('dim', words.widths.model, most_width),
    );
    const figures = [
      [this.#alike, 'alike', 'alike'],
      [this.#columns, 'grid', 'table'],
      [this.#anew, 'anew', 'anew'],
      [this.#resized, 'resized', 'resized'],
    ] as const;
    this.panel.body.append(
      html(
        'div',
        { class: 'pair' },
        ...figures.map(([figure, name, part]) =>
          html('div', {}, figure.element, save_buttons(words.save, name, figure, () => this.#saved(part))),
        ),
      ),
      this.#scale,
    );
  }
  #saved(what: 'alike' | 'table' | 'anew' | 'resized') {
    if (this.#grids === undefined) return undefined;
    const { extents, columns, larger } = this.#grids;
    if (what === 'anew' || what === 'resized') return { data: larger[what], shape: extents.map((each) => 2 * each) };
    return { data: this.#grids[what], shape: what === 'table' ? [...extents, columns] : extents };
  }
  async #draw(): Promise<void> {
    const { state, engine, words } = this.#shared;
    const own = words.images;
    const preset = state.get('grid');
    const [height = 0, wide = 0, width = 0, row = 0, column = 0] = (
      ['height', 'wide', 'dim', 'row', 'column'] as const
    ).map((name) => Number(state.get(name)));
    const side = (value: number): boolean => Number.isInteger(value) && value >= 2 && value <= most_side;
    if (!side(height) || !side(wide)) return this.panel.refuse(own.wrong(2, most_side));
    if (!(Number.isInteger(width) && width >= 4 && width <= most_width))
      return this.panel.refuse(own.wrong(4, most_width));
    const at = {
      row: Math.min(height - 1, Math.max(0, row || 0)),
      column: Math.min(wide - 1, Math.max(0, column || 0)),
    };
    this.#grids = await engine.ask('images', preset, width, [height, wide], at.row, at.column);
    this.panel.say('');
    // One scale of colours for all, so that pictures may be compared.
    const { alike, larger } = this.#grids;
    const least = Math.min(...[alike, larger.anew, larger.resized].map(floor_of));
    this.#scale.textContent = own.oneScale(short(least));
    this.#show_alike(height, wide, at, least);
    this.#show_larger(height, wide, at, least);
    this.#show_columns();
    this.panel.mean(this.#grids.keeps ? own.means : own.meansShares);
    this.panel.make.show(ways(preset, width, [height, wide], [at.row, at.column]));
  }
  #show_alike(height: number, wide: number, at: { row: number; column: number }, white: number): void {
    const own = this.#shared.words.images;
    const { alike } = this.#grids as Grids;
    this.#alike.show({ values: alike, rows: height, columns: wide, limit: 1, least: white });
    this.#alike.cursor = at;
    const least = alike.indexOf(alike.reduce((a, b) => Math.min(a, b)));
    this.#alike.describe(
      own.alikeSummary(at.row, at.column, Math.floor(least / wide), least % wide, short(alike[least] ?? 0, 3)),
      () => ({
        head: [own.row, ...Array.from({ length: wide }, (_, i) => String(i))],
        rows: Array.from({ length: height }, (_, i) => [
          i,
          ...Array.from(alike.subarray(i * wide, (i + 1) * wide), (value) => short(value, 5)),
        ]),
      }),
    );
  }
  #show_larger(height: number, wide: number, at: { row: number; column: number }, least: number): void {
    const own = this.#shared.words.images;
    const { larger, beside } = this.#grids as Grids;
    const { anew, resized, furthest } = larger;
    const cursor = { row: 2 * at.row, column: 2 * at.column };
    for (const [figure, values, told] of [
      [this.#anew, anew, own.besideSummary(beside.anew, beside.before)],
      [this.#resized, resized, `${own.besideSummary(beside.resized, beside.before)} ${own.apart(short(furthest, 3))}`],
    ] as const) {
      figure.show({
        values,
        rows: 2 * height,
        columns: 2 * wide,
        limit: 1,
        least,
      });
      figure.cursor = cursor;
      figure.describe(told, () => ({
        head: [own.row, ...Array.from({ length: 2 * wide }, (_, i) => String(i))],
        rows: Array.from({ length: 2 * height }, (_, i) => [
          i,
          ...Array.from(values.subarray(i * 2 * wide, (i + 1) * 2 * wide), (value) => short(value, 5)),
        ]),
      }));
    }
  }
  #show_columns(): void {
    const { state, words } = this.#shared;
    const own = words.images;
    if (this.#grids === undefined) return;
    const { down, right, columns } = this.#grids;
    const cursor = dimension_of(state);
    const most = Math.max(...down, ...right, 1e-6);
    const points = (list: Float32Array): [number, number][] => Array.from(list, (y, x) => [x, y]);
    this.#columns.show({
      curves: [
        { name: own.down, points: points(down) },
        { name: own.right, points: points(right) },
      ],
      x: { label: words.axes.dimension, least: 0, most: columns - 1 },
      y: { label: own.change, least: 0, most },
      height: 240,
      ...(cursor < columns && { cursor }),
    });
    const moved = (list: Float32Array): string => {
      const found = Array.from(list.keys()).filter((i) => (list[i] ?? 0) > 0);
      return found.length === 0 ? '—' : `${found[0]}–${found.at(-1)}`;
    };
    this.#columns.describe(own.movedSummary(moved(down), moved(right)), () => ({
      head: [words.axes.dimension, own.down, own.right],
      rows: Array.from(down, (each, i) => [i, short(each, 4), short(right[i] ?? 0, 4)]),
    }));
  }
}

export const images_panel = (shared: Shared): Panel => new ImagesPanel(shared).panel;
