// SPDX-License-Identifier: Apache-2.0
// What the panel of the signal asks for, and how to make it elsewhere.
import type { Asked, Layout } from '../engine/signal.js';
import { literal, type Ways } from '../parts/make.js';
import { parse_position } from '../parts/numbers.js';
import type { State } from '../state.js';

/** Scalings as changes of a convention's fields. */
const scalings: Record<string, (factor: string, length: string) => Record<string, string>> = {
  none: () => ({}),
  linear: (factor) => ({ 'ladder.scaling': 'linear', 'ladder.scaling.factor': factor }),
  ntk: (factor) => ({ 'ladder.scaling': 'ntk', 'ladder.scaling.factor': factor }),
  yarn: (factor, length) => ({
    'ladder.scaling': 'yarn',
    'ladder.scaling.factor': factor,
    'ladder.scaling.length': length,
    'ladder.scaling.fast': '32',
    'ladder.scaling.slow': '1',
    'ladder.scaling.truncate': 'whole',
  }),
  llama3: (factor, length) => ({
    'ladder.scaling': 'llama3',
    'ladder.scaling.factor': factor,
    'ladder.scaling.length': length,
    'ladder.scaling.low': '1',
    'ladder.scaling.high': '4',
  }),
};
/** Its lists of divisors are of one model, so are its width and the length beyond which the long one is taken. */
const longrope = { preset: 'rope-longrope', width: 96, length: 4097 };
export const scaling_names = [...Object.keys(scalings), 'longrope'];

export function asked_of(state: State): Asked {
  const scaling = state.get('scaling');
  if (scaling === 'longrope') return longrope;
  const changes = scalings[scaling]?.(state.get('factor'), state.get('trained')) ?? {};
  return { preset: state.get('preset'), width: Number(state.get('d')), changes };
}
/** The same without scaling; nothing where that is the same. */
export function plain_of(asked: Asked): Asked | undefined {
  if (asked.preset === longrope.preset) return { preset: 'rope-half', width: longrope.width };
  return Object.keys(asked.changes ?? {}).length > 0 ? { ...asked, changes: {} } : undefined;
}

/** Python's lines that make a convention, and its name: a scaling is a field of the ladder that is replaced whole. */
function python_of(preset: string, changes: Record<string, string>): [string, string] {
  const { 'ladder.scaling': kind, ...fields } = changes;
  if (kind === undefined) return ['', literal(preset)];
  const parts = Object.entries(fields).map(
    ([path, value]) =>
      `, ${literal(path.replace('ladder.scaling.', ''))}: ${Number.isNaN(Number(value)) ? literal(value) : value}`,
  );
  return [
    `own = posenc.Convention(${literal(preset)})
scaled = own.replace(ladders=[{**own.ladders[0], "scaling": {"kind": ${literal(kind)}${parts.join('')}}}])
`,
    'scaled',
  ];
}

export function ways_of(
  { preset, width, changes = {}, length }: Asked,
  layout: Layout,
  first: string,
  rows: number,
): Ways {
  const rotated = layout === 'rotated';
  const sets = Object.entries({ ...changes, ...(rotated && { stored: 'sine_cosine' }) });
  const last = String((parse_position(first) ?? 0n) + BigInt(rows));
  const shell =
    sets.map(([path, value]) => ` --set ${path}=${value}`).join('') +
    (length === undefined ? '' : ` --length ${length}`);
  const own = `posenc::preset(${literal(preset)}).convention`;
  const list = sets.map(([path, value]) => `    {${literal(path)}, ${literal(value)}}`).join(',\n');
  const convention = sets.length === 0 ? own : `posenc::with(${own}, {\n${list}})`;
  const [made, python] = python_of(preset, changes);
  const context = length === undefined ? '' : `, length=${length}`;
  const cpp_context = length === undefined ? '' : `, posenc::exact(), {.length = ${length}}`;
  const out = `std::vector<float> table(${rows} * ${width});`;
  const range = `posenc::Positions::range(${first}, ${rows})`;
  const view = `posenc::view(table.data(), {${rows}, ${width}})`;
  return rotated
    ? {
        command: `posenc cache --preset ${preset}${shell} --tensor sin_cos --dim ${width} --positions ${first}:${last} --out table.npy`,
        cpp: `#include <posenc/preset.h>\n#include <posenc/rotary_cache.h>\n\nconst posenc::RotaryCache cache(${convention}, ${width}${cpp_context});\n${out}\ncache.write(cache.tensors()[0], ${range}, ${view});`,
        python: `import posenc\n\n${made}table = posenc.rotary_cache(${python}, ${width}, range(${first}, ${last}), stored="sine_cosine"${context})["sin_cos"]`,
      }
    : {
        command: `posenc table --preset ${preset}${shell} --dim ${width} --positions ${first}:${last} --out table.npy`,
        cpp: `#include <posenc/preset.h>\n#include <posenc/sinusoid.h>\n\n${out}\nposenc::sinusoid(${convention},\n    ${range}, ${view});`,
        python: `import posenc\n\n${made}table = posenc.table(${python}, ${width}, range(${first}, ${last}))`,
      };
}
