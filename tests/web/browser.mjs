// SPDX-License-Identifier: Apache-2.0
// The page in headless Chromium, and what several tests ask of it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { serve } from '../../web/serve.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const tools = createRequire(join(root, 'build/node/'));
const { chromium } = tools('playwright-core');
export const axe = readFileSync(tools.resolve('axe-core/axe.min.js'), 'utf8');
const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync);

const screens = join(root, 'build/page/screens');
mkdirSync(screens, { recursive: true });
export const picture = (name) => join(screens, `${name}.png`);

/** A browser, and the server of the page; both end with the test. */
export async function open(context) {
  const server = await serve();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  context.after(async () => {
    await browser.close();
    server.close();
  });
  return { browser, ...server };
}

/** A page that must say nothing on its console. */
export async function new_page(context, { browser, url }, hash = '', options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-US', ...options });
  const said = [];
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('console', (message) => said.push(message.text()));
  context.after(() => assert.deepEqual(said, []));
  await page.goto(url + hash);
  return page;
}

/** Brings a panel into view and waits until it has been drawn as it is asked for. */
export async function panel(page, id) {
  const section = page.locator(`section#${id}`);
  await section.scrollIntoViewIfNeeded();
  await page.waitForSelector(`section#${id}[data-drawn]:not([data-stale])`);
  await settled(page);
  return section;
}

/** Waits until nothing that was asked for is still to be drawn. */
export async function settled(page) {
  await page.waitForFunction(() => document.documentElement.dataset.busy === '0');
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction(() => document.documentElement.dataset.busy === '0');
}

/** What a button of a panel hands out, as bytes. */
export async function saved(page, section, name) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    section.getByRole('button', { name, exact: true }).click(),
  ]);
  return readFileSync(await download.path());
}

/** The rows of a figure's table, which is opened for it. */
export async function table_of(figure) {
  await figure.locator('details').evaluate((each) => {
    each.open = true;
  });
  await figure.locator('tbody tr').first().waitFor();
  return figure
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
}

/** Gives a file to the panel that reads them. */
export async function choose(page, section, file) {
  await section.locator('input[type=file]').setInputFiles(file);
  await settled(page);
}
/** What that panel says of it. */
export const progress = (section) => section.locator('p.summary[role=status]').last().textContent();

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Elements of an .npy file: its shape as NumPy writes it, and the hash of what follows the header. */
export function of_npy(bytes) {
  const length = 10 + bytes.readUInt16LE(8);
  const shape = /'shape': \(([^)]*)\)/.exec(bytes.subarray(10, length).toString())[1];
  return { shape, data: bytes.subarray(length), hash: sha256(bytes.subarray(length)) };
}

const numbers_file = join(root, 'tests/web/numbers.txt');
const numbers = new Map(
  readFileSync(numbers_file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t').reverse()),
);
/** A value of the page is what a command of the tool makes, which numbers_test.py holds against the native library.
 *  POSENC_NEW_NUMBERS=1 takes what is new down, for --write there to fill in. */
export function assert_native(value, command) {
  if (numbers.has(command)) return assert.equal(value, numbers.get(command), command);
  if (!process.env.POSENC_NEW_NUMBERS) assert.fail(`tests/web/numbers.txt has no line of: ${command}`);
  appendFileSync(numbers_file, `?\t${command}\n`);
}

/** The command that a panel gives for its numbers. */
export async function command_of(section) {
  return section.locator('.make code').first().textContent();
}
