// SPDX-License-Identifier: Apache-2.0
// Makes build/page: a folder for any file server, and posenc.html, the same page as one file that works from a disk.
//
// Usage: node web/build.mjs
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const web = join(root, 'web'),
  out = join(root, 'build/page');
const { build } = createRequire(join(root, 'build/node/'))('esbuild');

/** The package's own bytes of the module are left out: they are files of the page. */
const without_bytes = {
  name: 'without bytes',
  setup: (to) => to.onResolve({ filter: /^\.\/module\.js$/ }, () => ({ path: join(web, 'src/engine/no_module.ts') })),
};
/** A script of its own, which imports nothing. */
async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [join(web, 'src', entry)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    write: false,
    alias: { posenc: join(root, 'build/wasm/package/posenc.js') },
    plugins: [without_bytes],
  });
  return outputFiles[0].text;
}

const packed = (path) => gzipSync(readFileSync(join(root, path)), { level: 9 });
const page = await bundled('page.ts'),
  worker = await bundled('engine/worker.ts');
const style = readFileSync(join(web, 'page.css'), 'utf8');
const frame = readFileSync(join(web, 'index.html'), 'utf8');
const files = {
  'core.wasm.gz': packed('build/wasm/bindings/wasm/core.wasm'),
  'posenc.wasm.gz': packed('build/wasm/bindings/wasm/posenc.wasm'),
  'vocabulary.gz': packed('apps/posenc/default/whisper_base_3072.bin'),
};

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const [name, bytes] of Object.entries({
  'page.js': page,
  'worker.js': worker,
  'page.css': style,
  'index.html': frame,
  ...files,
})) {
  writeFileSync(join(out, name), bytes);
}

const closed = (text) => text.replaceAll('</script', '<\\/script');
const embedded = [
  `<script type="text/plain" id="file:worker.js">${closed(worker)}</script>`,
  ...Object.entries(files).map(
    ([name, bytes]) => `<script type="text/plain" id="file:${name}">${bytes.toString('base64')}</script>`,
  ),
];
writeFileSync(
  join(out, 'posenc.html'),
  frame
    .replace('<link rel="stylesheet" href="page.css">', () => `<style>${style}</style>`)
    .replace('</head>', () => `${embedded.join('\n')}\n</head>`) // the body is the page's own
    .replace('<script src="page.js"></script>', () => `<script>${closed(page)}</script>`),
);

const size = (bytes) => `${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`;
console.log(
  `page.js: ${size(Buffer.from(page))}\nworker.js: ${size(Buffer.from(worker))}\npage.css: ${size(Buffer.from(style))}`,
);
for (const [name, bytes] of Object.entries(files)) console.log(`${name}: ${bytes.length} bytes`);
