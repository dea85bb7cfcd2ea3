// SPDX-License-Identifier: Apache-2.0
// A matrix as colours: whole pixels of the screen a cell, axes with their units, zero white, a cursor that keys move.
import { colour_of, paint } from './colours.js';
import { html, set, svg } from './dom.js';
import { Figure, label, line } from './figure.js';
import { short, ticks } from './numbers.js';

export interface Matrix {
  values: Float32Array;
  rows: number;
  columns: number;
  /** Colours go from -limit over zero to limit; or from white, which is `least`, to limit. */
  limit: number;
  least?: number;
  /** Cells with an outline, row-major. */
  marked?: readonly number[];
}
export interface Axes {
  x: string;
  y: string;
  /** The name of a column and of a row. */
  column: (index: number) => string;
  row: (index: number) => string;
}
interface Place {
  row: number;
  column: number;
}

const margin = { left: 64, top: 34, right: 10, bottom: 40 };
const tallest = 512;
const largest_cell = 26; // CSS pixels
const least_outlined = 8; // a smaller cell would be all outline

export class Heatmap extends Figure {
  #canvas = html('canvas', { width: 1, height: 1 });
  #context = this.#canvas.getContext('2d') as CanvasRenderingContext2D;
  #image: ImageData | undefined;
  #matrix: Matrix | undefined;
  #axes: Axes;
  #cursor: Partial<Place> = {};
  #named: { text: SVGTextElement; name: () => string }[] = []; // ticks, whose names may change with the values
  #cross = svg('g', { class: 'cursor' });
  #marks = svg('g', { class: 'marks' });
  #first = 0; // the first column that is shown
  #cell = { width: 1, height: 1 };
  /** A cell is chosen; one is pointed at, or none. */
  pick: (place: Place) => void = () => {};
  point: (place: Place | undefined) => void = () => {};

  constructor(title: string, table_word: string, axes: Axes, keys: string) {
    super(title, table_word);
    this.#axes = axes;
    this.stage.prepend(this.#canvas);
    set(this.stage, { tabindex: 0, role: 'group', 'aria-roledescription': keys });
    this.stage.classList.add('heat');
    this.stage.addEventListener('pointermove', (event) => this.point(this.#place_at(event)));
    this.stage.addEventListener('pointerleave', () => this.point(undefined));
    this.stage.addEventListener('click', (event) => {
      const place = this.#place_at(event);
      if (place !== undefined) this.pick(place);
    });
    this.stage.addEventListener('keydown', (event) => this.#on_key(event));
  }
  show(matrix: Matrix, axes: Axes = this.#axes): void {
    const before = this.#matrix;
    const same =
      (['rows', 'columns', 'limit', 'least'] as const).every((part) => before?.[part] === matrix[part]) &&
      axes.x === this.#axes.x &&
      axes.y === this.#axes.y;
    this.#matrix = matrix;
    this.#axes = axes;
    if (!same) return this.redraw();
    for (const { text, name } of this.#named) text.textContent = name();
    this.#draw_marks();
    this.#paint();
  }
  /** Where the cross stands; outside the matrix it is not shown. */
  set cursor(place: Partial<Place>) {
    this.#cursor = place;
    const { column } = place;
    const shown = this.#shown();
    if (column !== undefined && (column < this.#first || column >= this.#first + shown)) this.redraw();
    else this.#draw_cross();
  }
  #shown(): number {
    return this.#image?.width ?? 0;
  }
  protected draw(width: number): void {
    const { rows, columns } = this.#matrix ?? { rows: 0, columns: 0 };
    if (rows === 0 || columns === 0) return;
    const dots = devicePixelRatio || 1;
    const room = Math.floor((width - margin.left - margin.right) * dots);
    const cell = (most: number, count: number): number =>
      Math.max(1, Math.min(Math.floor(most / count), Math.round(largest_cell * dots)));
    this.#cell = { width: cell(room, columns) / dots, height: cell(tallest * dots, rows) / dots };
    if (rows * columns <= 4096 && rows === columns)
      this.#cell.height = this.#cell.width = Math.min(this.#cell.width, this.#cell.height);
    const shown = Math.min(columns, Math.floor(room / dots / this.#cell.width));
    const at = Math.min(Math.max(0, this.#cursor.column ?? 0), columns - 1);
    if (at < this.#first || at >= this.#first + shown || this.#first + shown > columns) {
      this.#first = Math.min(Math.max(0, at - Math.floor(shown / 2)), columns - shown);
    }
    this.#image = this.#context.createImageData(shown, rows);
    set(this.#canvas, { width: shown, height: rows });
    const [wide, high] = [shown * this.#cell.width, rows * this.#cell.height];
    const share = (part: number, of: number): string => `${(100 * part) / of}%`;
    const whole = margin.top + high + margin.bottom;
    this.#canvas.style.cssText = `left: ${margin.left}px; top: ${margin.top}px; width: ${wide}px; height: ${high}px;
      --left: ${share(margin.left, width)}; --top: ${share(margin.top, whole)}; --width: ${share(wide, width)}; --height: ${share(high, whole)}`;
    this.#draw_axes(width, shown, rows);
    this.#paint();
  }
  #draw_axes(width: number, shown: number, rows: number): void {
    const { left, top, bottom } = margin;
    const wide = shown * this.#cell.width;
    const high = rows * this.#cell.height;
    this.size(width, top + high + bottom);
    const x_at = (column: number): number => left + (column - this.#first + 0.5) * this.#cell.width;
    const y_at = (row: number): number => top + (row + 0.5) * this.#cell.height;
    const whole = (least: number, most: number, size: number, apart: number): number[] =>
      most - least < 2
        ? [least]
        : ticks(least, most, Math.max(2, Math.floor(size / apart))).filter((each) => Number.isInteger(each));
    this.#named = [];
    const tick = (x: number, y: number, anchor: string, name: () => string): SVGTextElement => {
      const text = label(x, y, name(), { 'text-anchor': anchor });
      this.#named.push({ text, name });
      return text;
    };
    const names = Array.from({ length: shown }, (_, i) => this.#axes.column(this.#first + i).length);
    const longest = Math.max(...names) * 7 + 22;
    this.drawing.replaceChildren(
      svg('rect', {
        x: left - 0.5,
        y: top - 0.5,
        width: wide + 1,
        height: high + 1,
        fill: 'none',
        stroke: 'var(--rule)',
      }),
      ...whole(this.#first, this.#first + shown - 1, wide, longest).flatMap((column) => [
        line(x_at(column), top + high, x_at(column), top + high + 5, { stroke: 'var(--muted)' }),
        tick(x_at(column), top + high + 18, 'middle', () => this.#axes.column(column)),
      ]),
      ...whole(0, rows - 1, high, 30).flatMap((row) => [
        line(left - 5, y_at(row), left, y_at(row), { stroke: 'var(--muted)' }),
        tick(left - 8, y_at(row) + 4, 'end', () => this.#axes.row(row)),
      ]),
      label(left + wide / 2, top + high + 35, this.#axes.x, { 'text-anchor': 'middle', fill: 'var(--ink)' }),
      label(4, 13, `${this.#axes.y} ↓`, { fill: 'var(--ink)' }),
      ...this.#legend(width),
      this.#marks,
      this.#cross,
    );
    this.#draw_marks();
    this.#draw_cross();
  }
  #legend(width: number): SVGElement[] {
    const { limit = 1, least } = this.#matrix ?? {};
    const size = 120;
    const x = Math.max(margin.left + 60, Math.min(width - 30, margin.left + this.#shown() * this.#cell.width) - size);
    const steps = 24;
    const share = (i: number): number => (least === undefined ? ((i + 0.5) / steps) * 2 - 1 : (i + 0.5) / steps);
    const bars = Array.from({ length: steps }, (_, i) =>
      svg('rect', { x: x + (i * size) / steps, y: 2, width: size / steps + 0.5, height: 9, fill: colour_of(share(i)) }),
    );
    const ends = [
      [least ?? -limit, 'start', x],
      ...(least === undefined ? [[0, 'middle', x + size / 2] as const] : []),
      [limit, 'end', x + size],
    ] as const;
    return [
      ...bars,
      ...ends.map(([value, anchor, at]) => label(at, 23, short(value, 3), { 'text-anchor': anchor, 'font-size': 11 })),
    ];
  }
  #paint(): void {
    const matrix = this.#matrix;
    if (matrix === undefined || this.#image === undefined) return;
    const { values, rows, columns, limit, least } = matrix;
    const shown = this.#shown();
    const range = { white: least ?? 0, most: limit };
    const pixels = new Uint32Array(this.#image.data.buffer);
    if (shown === columns) paint(values, range, pixels);
    else
      for (let row = 0; row < rows; ++row) {
        paint(values.subarray(row * columns + this.#first), range, pixels.subarray(row * shown, (row + 1) * shown));
      }
    this.#context.putImageData(this.#image, 0, 0);
  }
  #draw_marks(): void {
    const { columns, marked = [] } = this.#matrix ?? { columns: 1 };
    const { width, height } = this.#cell;
    const inset = 1.5; // CSS pixels, so that outlines of neighbours do not touch
    this.#marks.replaceChildren(
      ...(Math.min(width, height) < least_outlined ? [] : marked).map((cell) =>
        svg('rect', {
          x: margin.left + ((cell % columns) - this.#first) * width + inset,
          y: margin.top + Math.floor(cell / columns) * height + inset,
          width: width - 2 * inset,
          height: height - 2 * inset,
          fill: 'none',
          stroke: 'var(--curve-1)',
          'stroke-width': 1.5,
        }),
      ),
    );
  }
  #draw_cross(): void {
    const { row, column } = this.#cursor;
    const { rows, columns } = this.#matrix ?? { rows: 0, columns: 0 };
    const { left, top } = margin;
    const shown = this.#shown();
    const { width, height } = this.#cell;
    const boxes: SVGElement[] = [];
    const box = (x: number, y: number, w: number, h: number): void => {
      const outline = { x: x - 1, y: y - 1, width: w + 2, height: h + 2, fill: 'none' };
      boxes.push(
        svg('rect', { ...outline, stroke: 'var(--paper)', 'stroke-width': 3, opacity: 0.7 }),
        svg('rect', { ...outline, stroke: 'var(--mark)', 'stroke-width': 1.25 }),
      );
    };
    if (row !== undefined && row >= 0 && row < rows) box(left, top + row * height, shown * width, height);
    if (column !== undefined && column >= this.#first && column < Math.min(columns, this.#first + shown)) {
      box(left + (column - this.#first) * width, top, width, rows * height);
    }
    this.#cross.replaceChildren(...boxes);
  }
  #place_at(event: MouseEvent): Place | undefined {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const column = this.#first + Math.floor((event.clientX - left) / this.#cell.width);
    const row = Math.floor((event.clientY - top) / this.#cell.height);
    const { rows } = this.#matrix ?? { rows: 0 };
    return row >= 0 && row < rows && column >= this.#first && column < this.#first + this.#shown()
      ? { row, column }
      : undefined;
  }
  #on_key(event: KeyboardEvent): void {
    const { rows, columns } = this.#matrix ?? { rows: 0, columns: 0 };
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-10, 0],
      PageDown: [10, 0],
      Home: [0, -columns],
      End: [0, columns],
    };
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const near = (value: number, most: number): number => Math.min(Math.max(0, value), most - 1);
    this.pick({
      row: near((this.#cursor.row ?? 0) + move[0], rows),
      column: near((this.#cursor.column ?? 0) + move[1], columns),
    });
  }
  protected override pixels() {
    return {
      href: this.#canvas.toDataURL(),
      x: margin.left,
      y: margin.top,
      width: this.#shown() * this.#cell.width,
      height: this.#canvas.height * this.#cell.height,
    };
  }
}
