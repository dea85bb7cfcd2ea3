// SPDX-License-Identifier: Apache-2.0
// The package in a page of headless Chromium: the bits of the native library, no request but for its own files.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';

import { configurations, differing, folder, root } from './loaded.mjs';

const tools = createRequire(join(root, 'build/node/'));
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync);

const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.html': 'text/html' };
const page_text = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>posenc</title>';

/** The package's files and lines.mjs, on the loopback. */
async function serve(context) {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    const name = request.url.slice(1);
    const file = name === 'lines.mjs' ? join(root, 'tests/bindings/wasm', name) : join(folder, name);
    const body = name === '' ? page_text : readFileSync(file);
    response.writeHead(200, { 'content-type': types[/\.\w+$/.exec(name || '.html')[0]] }).end(body);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  context.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}/`, asked };
}

async function new_page(context) {
  const { chromium } = tools('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  context.after(() => browser.close());
  const page = await browser.newPage();
  const said = [];
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('console', (message) => said.push(message.text()));
  return { page, said };
}

test('every bit and every text in Chromium is the native one', async (context) => {
  const { url, asked } = await serve(context);
  const { page, said } = await new_page(context);
  await page.goto(url);
  const got = await page.evaluate(async (given) => {
    const [{ load }, { lines }] = await Promise.all([import('/posenc.js'), import('/lines.mjs')]);
    return lines(await load(), given);
  }, configurations);
  assert.deepEqual(differing(got), []);
  assert.deepEqual(said, []);
  assert.deepEqual(asked.filter((each) => !/^\/(\w+\.m?js)?$/.test(each)), []);
});

test('a bundle works in a classic script, without any file server', async (context) => {
  const { page, said } = await new_page(context);
  const bundle = tools('esbuild').buildSync({
    stdin: { contents: "import { load } from './posenc.js'; window.posenc = load();", resolveDir: folder },
    bundle: true, minify: true, format: 'iife', write: false });
  await page.addScriptTag({ content: bundle.outputFiles[0].text });
  const row = await page.evaluate(async () => {
    const posenc = await window.posenc;
    const table = posenc.table(posenc.convention('transformer').value, 4, { start: 1, count: 1 });
    return [...table.value.data];
  });
  assert.deepEqual(row, [Math.sin(1), Math.cos(1), Math.sin(0.01), Math.cos(0.01)].map(Math.fround));
  assert.deepEqual(said, []);
});
