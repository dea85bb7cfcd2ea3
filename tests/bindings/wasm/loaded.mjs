// SPDX-License-Identifier: Apache-2.0
// The package that ./dev wasm has built, and what several tests read of the tree.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
export const folder = join(root, 'build/wasm/package');
export const { load, must } = await import(pathToFileURL(join(folder, 'posenc.js')).href);

export const expected = readFileSync(join(root, 'tests/bindings/wasm/bits.txt'), 'utf8').trimEnd().split('\n');

const configs = join(root, 'tests/inspect/configs');
export const configurations = readdirSync(configs).filter((name) => name.endsWith('.json')).sort()
  .map((name) => [name, readFileSync(join(configs, name), 'utf8')]);

/** The lines that differ, a few of them. */
export function differing(got) {
  const known = new Set(expected);
  const strange = got.filter((line) => !known.has(line));
  const count = Math.abs(got.length - expected.length);
  return [...strange.slice(0, 20), ...(count > 0 ? [`${got.length} lines, not ${expected.length}`] : [])];
}
