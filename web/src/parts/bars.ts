// SPDX-License-Identifier: Apache-2.0
// A bar chart: a group of bars for each token, one colour and opacity for each series.
import { curves } from './colours.js';
import { html, svg } from './dom.js';
import { Figure, label, line } from './figure.js';
import { short, ticks } from './numbers.js';

export interface Bars {
  groups: string[];
  kinds: { name: string; values: number[] }[];
  y: string;
  /** The group that is marked. */
  marked?: number;
}

const margin = { left: 48, top: 26, right: 8, bottom: 26 };
const height = 210;
const widest = 22;

export class BarChart extends Figure {
  #bars: Bars | undefined;
  #legend = html('ul', { class: 'legend', 'aria-hidden': 'true' });
  pick: (group: number) => void = () => {};

  constructor(title: string, table_word: string) {
    super(title, table_word);
    this.stage.before(this.#legend);
    this.stage.addEventListener('click', (event) => {
      const group = (event.target as Element).closest('g[data-group]')?.getAttribute('data-group');
      if (group !== null && group !== undefined) this.pick(Number(group));
    });
  }
  show(bars: Bars): void {
    this.#bars = bars;
    this.#legend.replaceChildren(
      ...bars.kinds.map(({ name }, i) =>
        html(
          'li',
          {},
          svg('svg', { width: 14, height: 12 }, svg('rect', { x: 1, y: 1, width: 12, height: 10, ...look(i) })),
          name,
        ),
      ),
    );
    this.redraw();
  }
  protected draw(width: number): void {
    if (this.#bars === undefined) return;
    const { groups, kinds, y, marked } = this.#bars;
    const bottom = height - margin.bottom;
    const most = Math.max(1e-9, ...kinds.flatMap(({ values }) => values)) * 1.05;
    const to_y = (value: number): number => bottom - (value / most) * (bottom - margin.top);
    const room = (width - margin.left - margin.right) / Math.max(1, groups.length);
    const bar = Math.min(widest, (room * 0.8) / kinds.length);
    const used = bar * kinds.length;
    this.size(width, height);
    this.drawing.replaceChildren(
      ...ticks(0, most, 4).flatMap((value) => [
        line(margin.left, to_y(value), width - margin.right, to_y(value)),
        label(margin.left - 7, to_y(value) + 4, short(value, 3), { 'text-anchor': 'end' }),
      ]),
      label(4, 13, y, { fill: 'var(--ink)' }),
      ...groups.map((name, group) => {
        const x = margin.left + room * group + (room - used) / 2;
        return svg(
          'g',
          { 'data-group': group, style: 'cursor: pointer' },
          group === marked &&
            svg('rect', {
              x: margin.left + room * group + 1,
              y: margin.top,
              width: room - 2,
              height: bottom - margin.top,
              fill: 'none',
              stroke: 'var(--mark)',
              'stroke-width': 1.25,
              class: 'cursor',
            }),
          ...kinds.map(({ values }, kind) =>
            svg('rect', {
              x: x + kind * bar,
              y: to_y(values[group] ?? 0),
              width: Math.max(1, bar - 1.5),
              height: Math.max(0, bottom - to_y(values[group] ?? 0)),
              ...look(kind),
            }),
          ),
          room > 14 &&
            label(margin.left + room * (group + 0.5), height - 8, name, {
              'text-anchor': 'middle',
              fill: 'var(--ink)',
            }),
        );
      }),
      line(margin.left, bottom, width - margin.right, bottom, { stroke: 'var(--muted)' }),
    );
  }
}

function look(kind: number): Record<string, string | number> {
  const { colour } = curves[kind % curves.length] as { colour: string };
  return { fill: colour, 'fill-opacity': [0.35, 0.95, 0.6, 0.8, 0.2][kind % 5] ?? 1, stroke: colour };
}
