// SPDX-License-Identifier: Apache-2.0
// Makes a folder that npm packs: the package's sources, the layouts of structs, and the module as text, so that no file is
// asked for at run time.
//
// Usage: node embed.mjs POSENC_WASM FOLDER
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { javascript, structs_of } from './layouts.mjs';

const [module, folder] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const sources = join(here, 'package'), root = join(here, '../..');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(sources)) copyFileSync(join(sources, name), join(folder, name));
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
writeFileSync(join(folder, 'layouts.js'), javascript(structs_of(readFileSync(join(root, 'bindings/c/posenc.h'), 'utf8'))));

const header = readFileSync(join(root, 'include/posenc/version.h'), 'utf8');
const version = ['MAJOR', 'MINOR', 'PATCH'].map((part) => new RegExp(`POSENC_VERSION_${part} (\\d+)`).exec(header)[1]).join('.');
const { scripts, ...manifest } = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8'));  // scripts are of the tree
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);

const bytes = readFileSync(module);
const packed = gzipSync(bytes, { level: 9 });
writeFileSync(join(folder, 'module.js'), `// SPDX-License-Identifier: Apache-2.0
// posenc.wasm, gzipped, in base64.
const packed = '${packed.toString('base64')}';

export async function module_bytes() {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}
`);
console.log(`posenc.wasm: ${bytes.length} bytes, ${packed.length} gzipped`);
