// SPDX-License-Identifier: Apache-2.0
// What the module has: its version, and which presets are for what.
import { must, type Convention, type Posenc } from 'posenc';
import { module } from './files.js';

/** Fields of a convention by their paths: ladder.scaling, ladder.scaling.factor, magnitude and so on. */
export type Fields = Record<string, string | number>;
export interface About {
  version: string;
  presets: number;
  /** Names, by what they are for. */
  added: string[];
  rotated: string[];
  grids: string[];
  biases: string[];
  /** Biases of a query and a key alone. */
  slopes: string[];
  buckets: string[];
  /** What each of those above is called besides. */
  aliases: Record<string, string[]>;
  /** What those of `added` and `rotated` do to long contexts. */
  scalings: Record<string, Fields>;
}

const widths = [64, 80, 96]; // of some models a part turns, which must be even

/** One axis, at some usual width, with nothing to state besides: what the panels ask for. */
function is_plain(posenc: Posenc, convention: Convention, rotated: boolean): boolean {
  return (
    convention.axes.length === 1 &&
    widths.some((width) => {
      const made = rotated ? posenc.rotation(convention, width) : posenc.rows(convention, width);
      if (made.ok) made.value.free();
      return made.ok;
    })
  );
}

/** A field that is a kind with fields of its own, or a word, or a number; lists are left out. */
function fields_at(path: string, value: unknown): Fields {
  if (typeof value === 'string' || typeof value === 'number') return { [path]: value };
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return {};
  const { kind, ...fields } = value as { kind: string };
  return Object.assign(
    { [path]: kind },
    ...Object.entries(fields).map(([name, each]) => fields_at(`${path}.${name}`, each)),
  );
}
function scaling_of(convention: Convention): Fields {
  const { ladders = [], magnitude } = JSON.parse(must(convention.json()));
  return { ...fields_at('ladder.scaling', ladders[0]?.scaling), ...fields_at('magnitude', magnitude) };
}

function gives_pairs(posenc: Posenc, convention: Convention, slopes: boolean): boolean {
  const made = slopes ? posenc.bias(convention, 8, [1], [0]) : posenc.buckets(convention, [1], [0]);
  if (made.ok) made.value.free();
  return made.ok;
}

export async function about(): Promise<About> {
  const posenc = await module();
  const about: About = {
    version: posenc.version.text,
    presets: posenc.presets.length,
    added: [],
    rotated: [],
    grids: [],
    biases: [],
    slopes: [],
    buckets: [],
    aliases: {},
    scalings: {},
  };
  for (const preset of posenc.presets) {
    const convention = must(posenc.convention(preset));
    const gives = (use: Parameters<Convention['gives']>[0]): boolean => convention.gives(use).ok;
    const added = gives('tokens') && is_plain(posenc, convention, false);
    const rotated = gives('rotations') && is_plain(posenc, convention, true);
    if (added) about.added.push(preset);
    if (rotated) about.rotated.push(preset);
    if (added || rotated) about.scalings[preset] = scaling_of(convention);
    if (gives('cells') && convention.cellAxes.length === 2) about.grids.push(preset);
    if (gives('slopes') || gives('classes')) about.biases.push(preset);
    if (gives('slopes') && gives_pairs(posenc, convention, true)) about.slopes.push(preset);
    if (gives('classes') && gives_pairs(posenc, convention, false)) about.buckets.push(preset);
    about.aliases[preset] = JSON.parse(must(posenc.preset(preset))).aliases;
    convention.free();
  }
  return about;
}
