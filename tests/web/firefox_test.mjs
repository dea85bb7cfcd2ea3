// SPDX-License-Identifier: Apache-2.0
// The page in Debian's Firefox, by WebDriver BiDi: every panel is drawn, and a table has the native bits there too.
// Playwright's own driver asks of Firefox what its extended-support release has not.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

import { serve } from '../../web/serve.mjs';
import { assert_native, tools } from './browser.mjs';

const firefox = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);
const skip = firefox === undefined && 'there is no Firefox: apt-get install firefox-esr';

/** Where a new Firefox, which ends with the test, listens. */
async function launched(context) {
  const profile = mkdtempSync(join(tmpdir(), 'posenc-firefox-'));
  const process = spawn(firefox, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']);
  context.after(async () => {
    process.kill();
    await new Promise((ended) => process.on('exit', ended));
    rmSync(profile, { recursive: true, maxRetries: 3 });
  });
  let said = '';
  return new Promise((found, failed) => {
    process.on('exit', () => failed(new Error(said)));
    process.stderr.on('data', (text) => {
      said += text;
      const [, address] = /BiDi listening on (ws:\S+)/.exec(said) ?? [];
      if (address !== undefined) found(`${address}/session`);
    });
  });
}

/** A function that sends a command and gives its result. */
async function connected(address) {
  const { ws: WebSocket } = tools('playwright-core/lib/utilsBundle');
  const socket = new WebSocket(address);
  await new Promise((opened, failed) => socket.on('open', opened).on('error', failed));
  const waiting = [];
  socket.on('message', (text) => {
    const { id, result, message } = JSON.parse(text);
    if (message === undefined) waiting[id]?.settle(result);
    else waiting[id]?.fail(new Error(message));
  });
  return (method, params) =>
    new Promise((settle, fail) => {
      socket.send(JSON.stringify({ id: waiting.push({ settle, fail }) - 1, method, params }));
    });
}

/** Runs in the page: what panels say is wrong, and the SHA-256 of the table that the signal saves, with its command. */
async function drawn() {
  const until = async (holds) => {
    while (!holds()) await new Promise((later) => setTimeout(later, 50));
  };
  const wrong = [];
  for (const section of document.querySelectorAll('main section')) {
    section.scrollIntoView();
    await until(() => section.dataset.drawn !== undefined && document.documentElement.dataset.busy === '0');
    wrong.push(section.querySelector('.said').textContent);
  }
  const made = URL.createObjectURL;
  const file = new Promise((found) => {
    URL.createObjectURL = (blob) => {
      found(blob.arrayBuffer());
      return made.call(URL, blob);
    };
  });
  document.querySelector('#signal [aria-label="Save as table.npy"]').click();
  const bytes = new Uint8Array(await file);
  const digest = await crypto.subtle.digest('SHA-256', bytes.subarray(10 + bytes[8] + 256 * bytes[9]));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return JSON.stringify({ wrong, hash, command: document.querySelector('#signal .make code').textContent });
}

test('every panel is drawn in Firefox, with the native bits', { skip, timeout: 120_000 }, async (context) => {
  const server = await serve();
  context.after(() => server.close());
  const send = await connected(await launched(context));
  await send('session.new', { capabilities: {} });
  const { contexts } = await send('browsingContext.getTree', {});
  const { context: tab } = contexts[0];
  await send('browsingContext.navigate', { context: tab, url: `${server.url}#lang=en`, wait: 'complete' });
  const { result, exceptionDetails } = await send('script.evaluate', {
    expression: `(${drawn})()`,
    target: { context: tab },
    awaitPromise: true,
  });
  assert.equal(exceptionDetails, undefined, exceptionDetails?.text);
  const { wrong, hash, command } = JSON.parse(result.value);
  assert.deepEqual(wrong, ['', '', '', '', '', '']);
  assert_native(hash, command);
});
