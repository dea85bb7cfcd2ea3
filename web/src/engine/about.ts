// SPDX-License-Identifier: Apache-2.0
// What the module has: its version, and which presets are for what.
import { must, type Convention, type Posenc } from 'posenc';
import { module } from './files.js';

export interface About {
  version: string;
  presets: number;
  /** Names, by what they are for. */
  added: string[];
  rotated: string[];
  grids: string[];
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

export async function about(): Promise<About> {
  const posenc = await module();
  const found: About = {
    version: posenc.version.text,
    presets: posenc.presets.length,
    added: [],
    rotated: [],
    grids: [],
  };
  for (const preset of posenc.presets) {
    const convention = must(posenc.convention(preset));
    const gives = (use: Parameters<Convention['gives']>[0]): boolean => convention.gives(use).ok;
    if (gives('tokens') && is_plain(posenc, convention, false)) found.added.push(preset);
    if (gives('rotations') && is_plain(posenc, convention, true)) found.rotated.push(preset);
    if (gives('cells') && convention.cellAxes.length === 2) found.grids.push(preset);
    convention.free();
  }
  return found;
}
