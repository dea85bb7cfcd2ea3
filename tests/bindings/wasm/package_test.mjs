// SPDX-License-Identifier: Apache-2.0
// What npm packs: its size, what it holds, and that it works where it is installed, typed and bundled.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

import { folder, root } from './loaded.mjs';

const most_bytes = 850_000;  // 244 kB are conventions by name and as JSON; the referee and inspect are 325 kB
const tools = createRequire(join(root, 'build/node/'));
const script = "import { load, must } from 'posenc'; const posenc = await load();"
  + "console.log(must(posenc.table(must(posenc.convention('transformer')), 4, { start: 1, count: 1 })).data.join(' '));";
const row = `${[Math.sin(1), Math.cos(1), Math.sin(0.01), Math.cos(0.01)].map(Math.fround).join(' ')}\n`;

/** A folder with the packed package in its node_modules. */
function installed(context) {
  const at = mkdtempSync(join(tmpdir(), 'posenc-package-'));
  context.after(() => rmSync(at, { recursive: true }));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', at, folder], { cwd: at });
  const packed = join(at, readdirSync(at)[0]);
  writeFileSync(join(at, 'package.json'), '{ "private": true, "type": "module" }');
  execFileSync('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', packed], { cwd: at });
  return { at, packed };
}

test('the package is small, and works where it is installed, typed and bundled', (context) => {
  const { at, packed } = installed(context);
  assert.ok(statSync(packed).size <= most_bytes, `${statSync(packed).size} bytes`);
  context.diagnostic(`npm pack: ${statSync(packed).size} bytes`);

  writeFileSync(join(at, 'script.js'), script);
  assert.equal(execFileSync('node', ['script.js'], { cwd: at, encoding: 'utf8' }), row);

  const esbuild = tools('esbuild');
  esbuild.buildSync({ entryPoints: [join(at, 'script.js')], bundle: true, minify: true, format: 'esm', outfile: join(at, 'bundle.mjs') });
  rmSync(join(at, 'node_modules'), { recursive: true });
  assert.equal(execFileSync('node', ['bundle.mjs'], { cwd: at, encoding: 'utf8' }), row);
});

test('its types are those of the calls', (context) => {
  const { at } = installed(context);
  writeFileSync(join(at, 'script.ts'), `
import { load, must, type Problem, type Tensor } from 'posenc';
const posenc = await load();
const rows = posenc.rows(must(posenc.convention('transformer')), 8);
if (!rows.ok) { const problem: Problem = rows.error; throw new Error(problem.rule); }
const table: Tensor<'f64'> = must(rows.value.table({ count: 3 }, 'f64'));
const data: Float64Array = table.data;
const bits: Uint16Array = must(rows.value.table([1n, 2], 'bf16')).data;
// @ts-expect-error what may be refused has no value yet
rows.value.frequencies().value;
console.log(data.length + bits.length);
`);
  const compiler = tools.resolve('typescript/bin/tsc');
  execFileSync('node', [compiler, '--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom',
    'script.ts'], { cwd: at, stdio: 'inherit' });
});

test('it holds what it should, makes no request and evaluates no text', () => {
  const names = readdirSync(folder).sort();
  assert.deepEqual(names, ['LICENSE', 'asked.js', 'call.js', 'convention.js', 'layouts.js', 'made_ready.js', 'memory.js',
    'module.js', 'package.json', 'posenc.d.ts', 'posenc.js', 'referee.js', 'stage.js']);
  for (const name of names.filter((each) => each.endsWith('.js'))) {
    const text = readFileSync(join(folder, name), 'utf8').replace(/'[^']{1000,}'/, '');
    assert.doesNotMatch(text, /\bfetch\(|XMLHttpRequest|\beval\(|new Function|WebSocket|import\(/, name);
  }
});
