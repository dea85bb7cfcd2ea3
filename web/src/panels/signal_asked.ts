// SPDX-License-Identifier: Apache-2.0
// What the panel of the signal asks for, and how to make it elsewhere.
import type { About, Fields } from '../engine/about.js';
import type { Asked, Layout } from '../engine/signal.js';
import { literal, type Ways } from '../parts/make.js';
import { parse_position } from '../parts/numbers.js';
import type { State } from '../state.js';

type Changes = Record<string, string>;
/** Scalings by the fields of their kinds. */
const kinds: Record<string, (factor: string, length: string) => Changes> = {
  none: () => ({}),
  linear: (factor) => ({ factor }),
  ntk: (factor) => ({ factor }),
  yarn: (factor, length) => ({ factor, length, fast: '32', slow: '1', truncate: 'whole' }),
  llama3: (factor, length) => ({ factor, length, low: '1', high: '4' }),
};
/** LongRoPE's lists of divisors are of one model, so are its width and the length beyond which the long one is taken. */
export const longrope = { preset: 'rope-longrope', width: 96, length: 4097 };
/** What the convention does itself comes first. */
export const scaling_names = ['own', ...Object.keys(kinds), 'longrope'];

/** A convention of that kind keeps what the reader does not state. */
function scaling_changes(kind: string, own: Fields, state: State): Changes {
  const same = own['ladder.scaling'] === kind;
  const fields = Object.entries(kinds[kind]?.(state.get('factor'), state.get('trained')) ?? {});
  return {
    ...(!same && { 'ladder.scaling': kind }),
    ...Object.fromEntries(
      fields
        .filter(([name]) => !same || name === 'factor' || name === 'length')
        .map(([name, value]) => [`ladder.scaling.${name}`, value]),
    ),
  };
}
/** The magnitude goes with the scaling, as transformers reads a configuration: YaRN's follows the factor, and that of
 *  YaRN and LongRoPE ends with them. */
function magnitude_changes(kind: string, { magnitude }: Fields, factor: string): Changes {
  if (kind !== 'yarn') return typeof magnitude === 'string' ? { magnitude: '1' } : {};
  if (magnitude === undefined) return {}; // of rows
  const gains: Changes =
    magnitude === 'yarn' ? {} : { magnitude: 'yarn', 'magnitude.gain': '1', 'magnitude.gain_all': '0' };
  return { ...gains, 'magnitude.factor': factor };
}

export function asked_of(state: State, { scalings }: About): Asked {
  const kind = state.get('scaling');
  if (kind === 'longrope') return longrope;
  const preset = state.get('preset');
  const own = scalings[preset] ?? {};
  const changes =
    kind in kinds ? { ...scaling_changes(kind, own, state), ...magnitude_changes(kind, own, state.get('factor')) } : {};
  return { preset, width: Number(state.get('d')), changes };
}
/** Fields of scaling and magnitude as they are after changes. */
export function shown_fields(own: Fields, changes: Changes): Fields {
  const shown = { ...own };
  for (const [path, value] of Object.entries(changes)) {
    for (const former of Object.keys(shown)) if (former.startsWith(`${path}.`)) delete shown[former];
    shown[path] = value;
  }
  return shown;
}
/** The kind of scaling that is shown. */
export function scaling_of(state: State, { preset, changes = {} }: Asked, { scalings }: About): string {
  return String(shown_fields(scalings[preset] ?? {}, changes)['ladder.scaling'] ?? state.get('scaling'));
}
/** The same without scaling; nothing where that is the same. */
export function plain_of(asked: Asked, { scalings }: About): Asked | undefined {
  const unscaled = { ...asked, changes: { 'ladder.scaling': 'none' } };
  if (asked.preset === longrope.preset) return unscaled;
  const kind = shown_fields(scalings[asked.preset] ?? {}, asked.changes ?? {})['ladder.scaling'] ?? 'none';
  return kind === 'none' ? undefined : unscaled;
}

/** Python's lines that make a convention, and its name. */
function python_of(preset: string, changes: Changes): [string, string] {
  if (Object.keys(changes).length === 0) return ['', literal(preset)];
  const fields = Object.entries(changes).map(
    ([path, value]) => `    ${literal(path)}: ${Number.isNaN(Number(value)) ? literal(value) : value},\n`,
  );
  return [`scaled = posenc.Convention(${literal(preset)}).replace({\n${fields.join('')}})\n`, 'scaled'];
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
  const convention = sets.length === 0 ? own : `posenc::with_fields(${own}, {\n${list}})`;
  const [made, python] = python_of(preset, changes);
  const context = length === undefined ? '' : `, length=${length}`;
  const cpp_context = length === undefined ? '' : `, {.context = {.length = ${length}}}`;
  const out = `std::vector<float> table(${rows} * ${width});`;
  const range = `posenc::Positions::range(${first}, ${rows})`;
  const view = `posenc::view(table.data(), {${rows}, ${width}})`;
  return rotated
    ? {
        command: `posenc cache --preset ${preset}${shell} --tensor sin_cos --dim ${width} --positions ${first}:${last} --out table.npy`,
        cpp: `#include <posenc/preset.h>\n#include <posenc/rotary_cache.h>\n\nconst posenc::RotaryCache cache(${convention}, ${width}${cpp_context});\n${out}\ncache.write(cache.tensors()[0], ${range}, ${view});`,
        python: `import math, posenc\n\n${made}table = posenc.rotary_cache(${python}, ${width}, range(${first}, ${last}), stored="sine_cosine"${context})["sin_cos"]\nperiods = [2 * math.pi / each if each else math.inf for each in posenc.rotary_frequencies(${python}, ${width}${context})]`,
      }
    : {
        command: `posenc table --preset ${preset}${shell} --dim ${width} --positions ${first}:${last} --out table.npy`,
        cpp: `#include <posenc/preset.h>\n#include <posenc/sinusoid.h>\n\n${out}\nposenc::sinusoid(${convention},\n    ${range}, ${view});`,
        python: `import math, posenc\n\n${made}table = posenc.table(${python}, ${width}, range(${first}, ${last}))\nperiods = [2 * math.pi / each if each else math.inf for each in posenc.Rows(${python}, ${width}).frequencies]`,
      };
}
