// SPDX-License-Identifier: Apache-2.0
// A plain file server for build/page, on the loopback alone.
//
// Usage: node web/serve.mjs [PORT]
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const folder = join(dirname(fileURLToPath(import.meta.url)), '../build/page');
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };

/** The path of a request; nothing where it is none. */
function path_of(url) {
  try {
    return decodeURIComponent(new URL(url, 'http://loopback').pathname);
  } catch {
    return undefined;
  }
}

/** Serves until it is closed; `asked` has the paths that were asked for. */
export async function serve(port = 0) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const path = path_of(request.url);
    if (path === undefined) return response.writeHead(400).end();
    asked.push(path);
    const file = join(folder, normalize(path.endsWith('/') ? `${path}index.html` : path));
    const body = file.startsWith(folder) ? await readFile(file).catch(() => undefined) : undefined;
    if (body === undefined) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(body);
  });
  await new Promise((listening, failed) => server.on('error', failed).listen(port, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}/`, asked, close: () => server.close() };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const port = Number(process.argv[2] ?? 8080);
  try {
    const { url } = await serve(port);
    console.log(`the page: ${url} (end with Ctrl-C)`);
  } catch (error) {
    console.error(`the page cannot be served at port ${port}: ${error.message}`);
    process.exitCode = 1;
  }
}
