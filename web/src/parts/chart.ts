// SPDX-License-Identifier: Apache-2.0
// Curves over an axis: each with a colour and strokes of its own, a legend of both, and a line where the cursor stands.
import { curves } from './colours.js';
import { html, svg } from './dom.js';
import { Figure, label, line } from './figure.js';
import { power_of_ten, powers, short, ticks } from './numbers.js';

export interface Curve {
  name: string;
  points: [number, number][];
  /** Which of the colours; the place in the list unless stated. */
  colour?: number;
  /** Points rather than a line. */
  dots?: boolean;
  faint?: boolean;
}
export interface Scale {
  label: string;
  least: number;
  most: number;
  log?: boolean;
  /** Names of ticks, where they are not the numbers. */
  name?: (value: number) => string | undefined;
}
export interface Rule {
  at: number;
  label: string;
}
export interface Drawn {
  curves: Curve[];
  x: Scale;
  y: Scale;
  /** Lines across. */
  rules?: Rule[];
  /** Where the cursor stands. */
  cursor?: number;
  height?: number;
}

const margin = { left: 64, top: 26, right: 18, bottom: 40 };
const narrow = 18; // pixels between a rule and its label

export class Chart extends Figure {
  #drawn: Drawn | undefined;
  #legend = html('ul', { class: 'legend', 'aria-hidden': 'true' });
  #to_x: (value: number) => number = () => 0;
  #from_x: (pixel: number) => number = () => 0;
  /** A place on the axis is chosen. */
  pick: ((value: number) => void) | undefined;

  constructor(title: string, table_word: string) {
    super(title, table_word);
    this.stage.before(this.#legend);
    this.stage.addEventListener('click', (event) => {
      if (this.#drawn !== undefined) this.pick?.(this.#from_x(event.clientX - this.stage.getBoundingClientRect().left));
    });
  }
  show(drawn: Drawn): void {
    this.#drawn = drawn;
    this.#legend.replaceChildren(
      ...(drawn.curves.length < 2
        ? []
        : drawn.curves.map((curve, i) => {
            const { colour, dashes } = look_of(curve, i);
            const sample = svg(
              'svg',
              { width: 26, height: 10 },
              svg('line', {
                x1: 1,
                y1: 5,
                x2: 25,
                y2: 5,
                stroke: colour,
                'stroke-width': 2.5,
                'stroke-dasharray': curve.dots ? '1 5' : dashes,
                'stroke-linecap': curve.dots ? 'round' : 'butt',
              }),
            );
            return html('li', {}, sample, curve.name);
          })),
    );
    this.redraw();
  }
  protected draw(width: number): void {
    if (this.#drawn === undefined) return;
    const { x, y, rules = [], cursor, height = 260 } = this.#drawn;
    const area = { left: margin.left, right: width - margin.right, top: margin.top, bottom: height - margin.bottom };
    const to_x = scale_of(x, area.left, area.right);
    const to_y = scale_of(y, area.bottom, area.top);
    this.#to_x = to_x.to;
    this.#from_x = to_x.from;
    this.size(width, height);
    const marks = (scale: Scale, room: number): number[] =>
      scale.log
        ? powers(scale.least, scale.most, Math.floor(room / 40))
        : ticks(scale.least, scale.most, Math.max(2, Math.floor(room / 70)));
    const named = (scale: Scale, value: number): string =>
      scale.name?.(value) ?? (scale.log ? power_of_ten(value) : short(value));
    this.drawing.replaceChildren(
      ...marks(y, (area.bottom - area.top) * (y.log ? 1 : 1.6)).flatMap((value) => [
        line(area.left, to_y.to(value), area.right, to_y.to(value)),
        label(area.left - 8, to_y.to(value) + 4, named(y, value), { 'text-anchor': 'end' }),
      ]),
      ...marks(x, area.right - area.left).flatMap((value) => [
        line(to_x.to(value), area.bottom, to_x.to(value), area.bottom + 5, { stroke: 'var(--muted)' }),
        label(to_x.to(value), area.bottom + 18, named(x, value), { 'text-anchor': 'middle' }),
      ]),
      line(area.left, area.bottom, area.right, area.bottom, { stroke: 'var(--muted)' }),
      label((area.left + area.right) / 2, height - 5, x.label, { 'text-anchor': 'middle', fill: 'var(--ink)' }),
      label(4, 13, y.label, { fill: 'var(--ink)' }),
      ...rules.flatMap(({ at, label: text }) => [
        line(area.left, to_y.to(at), area.right, to_y.to(at), {
          stroke: 'var(--mark)',
          'stroke-dasharray': '5 4',
          'stroke-width': 1.25,
        }),
        label(area.right - 4, to_y.to(at) - (to_y.to(at) - area.top < narrow ? -14 : 6), text, {
          'text-anchor': 'end',
          fill: 'var(--ink)',
          class: 'halo',
        }),
      ]),
      ...this.#drawn.curves.map((curve, i) => this.#curve(curve, i, to_y.to)),
      ...(cursor === undefined
        ? []
        : [
            line(to_x.to(cursor), area.top, to_x.to(cursor), area.bottom, {
              stroke: 'var(--mark)',
              class: 'cursor',
              'stroke-width': 1.25,
            }),
          ]),
    );
  }
  #curve(curve: Curve, index: number, to_y: (value: number) => number): SVGElement {
    const { colour, dashes } = look_of(curve, index);
    const points = curve.points.filter(([, y]) => Number.isFinite(to_y(y)));
    if (curve.dots) {
      return svg(
        'g',
        { fill: colour, opacity: curve.faint ? 0.45 : 1 },
        ...points.map(([x, y]) => svg('circle', { cx: this.#to_x(x).toFixed(2), cy: to_y(y).toFixed(2), r: 2 })),
      );
    }
    const path = points
      .map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${this.#to_x(x).toFixed(2)} ${to_y(y).toFixed(2)}`)
      .join('');
    return svg('path', {
      d: path,
      fill: 'none',
      stroke: colour,
      'stroke-width': curve.faint ? 1.25 : 2,
      'stroke-dasharray': dashes,
      'stroke-linejoin': 'round',
      opacity: curve.faint ? 0.6 : 1,
    });
  }
}

function look_of({ colour }: Curve, index: number): { colour: string; dashes: string } {
  return curves[(colour ?? index) % curves.length] as { colour: string; dashes: string };
}

function scale_of(
  { least, most, log }: Scale,
  from: number,
  to: number,
): { to: (value: number) => number; from: (pixel: number) => number } {
  const of = log ? Math.log10 : (value: number): number => value;
  const back = log ? (value: number): number => 10 ** value : (value: number): number => value;
  const a = of(least);
  const b = of(most) === a ? a + 1 : of(most);
  return {
    to: (value) => from + ((of(value) - a) / (b - a)) * (to - from),
    from: (pixel) => back(a + ((pixel - from) / (to - from)) * (b - a)),
  };
}
