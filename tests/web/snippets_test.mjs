// SPDX-License-Identifier: Apache-2.0
// The lines that panels give to make their numbers elsewhere do that, as they stand: a shell with the tool, Python with
// the package of this tree, where ./dev has built them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import { new_page, of_npy, open, panel, root, saved, table_of } from './browser.mjs';
import { lines, python, rows, run, without_python, without_tool } from './snippets.mjs';

/** What every panel saves, and the file or the name in which its lines leave the same. */
const panels = [
  ['signal', '', 'table'],
  ['signal', '#preset=rope-yarn&scaling=yarn&factor=4', 'table'],
  ['signal', '#scaling=longrope&rows=64', 'table'],
  ['text', '', 'tensor', 'x'],
  ['text', `#a=${encodeURIComponent('The dog bit the naïve man, 不亦说乎👩‍👩‍👧. '.repeat(9))}`, 'tensor', 'x'], // cut
  ['precision', '', 'row'],
  ['images', '', 'grid'],
  ['images', '#grid=detr-sine&height=5&wide=7&dim=32', 'grid'], // places of its own
];

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

const compiler = ['c++', 'g++', 'clang++'].find((each) => spawnSync(each, ['--version']).status === 0);
for (const hash of ['', '#preset=rope-yarn&scaling=yarn&factor=4&train=on&p=9007199254740993', '#scaling=longrope']) {
  test(`every panel ${hash}: lines of C++`, { skip: compiler === undefined && 'no C++ compiler' }, async (context) => {
    const page = await new_page(context, await open(context), hash);
    for (const id of ['text', 'signal', 'distance', 'precision', 'which', 'images']) {
      const text = await lines(await panel(page, id), 'cpp');
      const [includes, body] = [true, false].map((wanted) =>
        text.split('\n').filter((line) => line.startsWith('#include') === wanted).join('\n'),
      );
      const given = 'std::vector<float> data(3072 * 512);\nconst auto rows = posenc::view(data.data(), {3072, 512});';
      const program = `${includes}\n#include <cstdint>\n#include <vector>\nint main() {\n${id === 'text' ? given : ''}\n${body}\n}\n`;
      const args = ['-std=c++20', '-fsyntax-only', '-I', join(root, 'include'), '-x', 'c++', '-'];
      const { status, stderr } = spawnSync(compiler, args, { input: program });
      assert.equal(status, 0, `${program}\n${stderr}`);
    }
  });
}
