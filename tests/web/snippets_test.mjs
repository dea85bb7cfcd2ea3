// SPDX-License-Identifier: Apache-2.0
// The lines that panels give to make their numbers elsewhere do that, as they stand: a shell with the tool, and Python with
// the package of this tree, where ./dev has built them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';

import { new_page, of_npy, open, panel, root, saved, table_of } from './browser.mjs';

const tool = ['dev', 'release'].map((preset) => join(root, 'build', preset, 'apps/posenc/posenc')).find(existsSync);
const python = [join(root, 'build/python/venv/bin/python')].find(
  (path) => existsSync(path) && spawnSync(path, ['-c', 'import posenc']).status === 0,
);
const without_tool = tool === undefined && 'the tool is not built: ./dev run';
const without_python = python === undefined && 'the Python package is not built: ./dev python';

/** What every panel saves, and the file or the name in which its lines leave the same. */
const panels = [
  ['signal', '', 'table'],
  ['signal', '#preset=rope-yarn&scaling=yarn&factor=4', 'table'],
  ['signal', '#scaling=longrope&rows=64', 'table'],
  ['text', '', 'tensor', 'x'],
  ['precision', '', 'row'],
  ['images', '', 'grid'],
];

function run(context, program, args, input) {
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
const lines = async (section, which) => section.locator('.make code').nth({ shell: 0, python: 2 }[which]).textContent();

/** Rows of the tool's vocabulary, which Python has not: they end the file that apps/posenc/default/default.h describes. */
const rows = `
import numpy as np
file = open(${JSON.stringify(join(root, 'apps/posenc/default/whisper_base_3072.bin'))}, "rb").read()
entries, scales = 3072 * 512, 3072 * 4
rows = np.frombuffer(file[-entries:], np.int8).reshape(3072, 512).astype(np.float32)
rows = rows * np.frombuffer(file[-entries - scales : -entries], "<f4")[:, None]
`;

for (const [id, hash, file, name = file] of panels) {
  test(`${id} ${hash}: lines of a shell`, { skip: without_tool }, async (context) => {
    const page = await new_page(context, await open(context), hash);
    const section = await panel(page, id);
    const { hash: expected } = of_npy(await saved(page, section, `Save as ${file}.npy`));
    const { folder } = run(context, 'sh', ['-e'], await lines(section, 'shell'));
    assert.equal(of_npy(readFileSync(join(folder, `${name}.npy`))).hash, expected);
  });
  test(`${id} ${hash}: lines of Python`, { skip: without_python }, async (context) => {
    const page = await new_page(context, await open(context), hash);
    const section = await panel(page, id);
    const { hash: expected } = of_npy(await saved(page, section, `Save as ${file}.npy`));
    const code = `${rows}\n${await lines(section, 'python')}\nnp.save("made.npy", np.ascontiguousarray(${name}))`;
    const { folder } = run(context, python, ['-'], code);
    assert.equal(of_npy(readFileSync(join(folder, 'made.npy'))).hash, expected);
  });
}

test('which: both say what the panel says', { skip: without_tool || without_python }, async (context) => {
  const page = await new_page(context, await open(context));
  const section = await panel(page, 'which');
  const said = (await section.locator('.verdict').first().textContent()).trim();
  const shell = run(context, 'sh', ['-c', `${await lines(section, 'shell')} || test $? = 1`]).stdout;
  assert.equal(shell.trim(), said);
  assert.equal(run(context, python, ['-'], await lines(section, 'python')).stdout.trim(), said);
});

test(
  'distance: files of the shell are the arrays of Python, and those are drawn',
  { skip: without_tool || without_python },
  async (context) => {
    const page = await new_page(context, await open(context));
    const section = await panel(page, 'distance');
    const { folder } = run(context, 'sh', ['-e'], await lines(section, 'shell'));
    const code = `${await lines(section, 'python')}
assert np.array_equal(rows, np.load("${folder}/rows.npy")) and np.array_equal(bias, np.load("${folder}/biases.npy"))
print(*(products / products[0]), *scores)`;
    const made = run(context, python, ['-'], code).stdout.trim().split(/\s+/).map(Number);
    const drawn = await table_of(section.locator('figure').first());
    assert.equal(made.length, 2 * drawn.length);
    const close = (text, value) =>
      text.includes('×') ? Math.abs(value) < 1e-4 : Math.abs(Number(text.replace('−', '-')) - value) < 1e-5;
    drawn.forEach(([, rows_drawn, , turned], k) => {
      assert.ok(close(rows_drawn, made[k]), `${k}: ${rows_drawn}, ${made[k]}`);
      assert.ok(close(turned, made[drawn.length + k]), `${k}: ${turned}, ${made[drawn.length + k]}`);
    });
  },
);
