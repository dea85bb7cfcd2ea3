// SPDX-License-Identifier: Apache-2.0
// Runs the lines that panels give, where ./dev has built the tool and the Python package of this tree.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { root } from './browser.mjs';

const tool = ['dev', 'release'].map((preset) => join(root, 'build', preset, 'apps/posenc/posenc')).find(existsSync);
export const python = [join(root, 'build/python/venv/bin/python')].find(
  (path) => existsSync(path) && spawnSync(path, ['-c', 'import posenc']).status === 0,
);
export const without_tool = tool === undefined && 'the tool is not built: ./dev run';
export const without_python = python === undefined && 'the Python package is not built: ./dev python';

export function run(context, program, args, input) {
  const folder = mkdtempSync(join(tmpdir(), 'posenc-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = `${dirname(tool ?? '')}:${process.env.PATH}`;
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    input,
    env: { ...process.env, PATH: path },
  });
  assert.equal(status, 0, stderr.toString());
  return { folder, stdout: stdout.toString() };
}
export const lines = async (section, which) => section.locator('.make code').nth({ shell: 0, cpp: 1, python: 2 }[which]).textContent();

/** Rows of the tool's vocabulary, which Python has not: they end the file that apps/posenc/default/default.h describes. */
export const rows = `
import numpy as np
file = open(${JSON.stringify(join(root, 'apps/posenc/default/whisper_base_3072.bin'))}, "rb").read()
entries, scales = 3072 * 512, 3072 * 4
rows = np.frombuffer(file[-entries:], np.int8).reshape(3072, 512).astype(np.float32)
rows = rows * np.frombuffer(file[-entries - scales : -entries], "<f4")[:, None]
`;
