// SPDX-License-Identifier: Apache-2.0
// A file for the page to read.

/** Elements of f32 in NumPy's format, as Playwright takes a file. */
export function npy(name, shape, data) {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`;
  const header = text.padEnd(64 * Math.ceil((11 + text.length) / 64) - 11) + '\n';
  const before = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  return { name, mimeType: 'application/octet-stream', buffer: Buffer.concat([before, Buffer.from(header), data]) };
}
