// SPDX-License-Identifier: Apache-2.0
// Layouts of the structs of posenc.h in wasm32: for JavaScript, and for the compiler to prove.
//
// Usage: node layouts.mjs POSENC_H      writes the proof
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A type has fields: name, kind, offset, and of an array the count; a number is one field without a name. */
const number = (kind, bytes) => ({ bytes, align: bytes, fields: [{ name: '', kind, at: 0 }] });
const pointer = number('u32', 4);
const numbers = {
  char: number('u8', 1), int32_t: number('i32', 4), uint32_t: number('u32', 4), size_t: number('u32', 4),
  int64_t: number('i64', 8), uint64_t: number('u64', 8), double: number('f64', 8),
};

const unknown = (member) => new Error(`a struct has a member of a form that layouts.mjs does not know: ${member}`);

/** The type, the name and the count of each member of a struct. */
function members_of(body, types) {
  return body.split(';').map((each) => each.trim()).filter((each) => each !== '').flatMap((member) => {
    const called = /^void \(\*(\w+)\)\(.*\)$/s.exec(member);
    if (called !== null) return [{ type: pointer, name: called[1] }];
    const [, word, declared] = /^(?:const )?(\w+)(.*)$/s.exec(member) ?? ['', '', ''];
    return declared.split(',').map((each) => {
      const [, star, name, count] = /^(\**)\s*(\w+)(?:\[(\d+)\])?$/.exec(each.trim()) ?? [];
      const type = star === '' ? types[word] : pointer;
      const is_known = name !== undefined && type !== undefined && (count === undefined || type.fields[0].name === '');
      if (!is_known) throw unknown(member);
      return { type, name, count: count === undefined ? undefined : Number(count) };
    });
  });
}

function struct_of(members) {
  const struct = { bytes: 0, align: 1, fields: [] };
  const padded = (align) => Math.ceil(struct.bytes / align) * align;
  for (const { type, name, count } of members) {
    const start = padded(type.align);
    for (const part of type.fields) {
      const field = { name: part.name === '' ? name : `${name}.${part.name}`, kind: part.kind, at: start + part.at };
      struct.fields.push({ ...field, count: part.count ?? count });
    }
    struct.bytes = start + type.bytes * (count ?? 1);
    struct.align = Math.max(struct.align, type.align);
  }
  struct.bytes = padded(struct.align);
  return struct;
}

/** Every struct that a header defines, by name. */
export function structs_of(header) {
  const types = { ...numbers }, structs = {};
  const text = header.replace(/\/\*.*?\*\//gs, ' ');
  for (const [, word, alias, name, body] of text.matchAll(/typedef (?:(\w+) (\w+);|struct (\w+) \{([^}]*)\})/g)) {
    if (alias !== undefined) types[alias] = types[word];
    else types[name] = structs[name] = struct_of(members_of(body, types));
  }
  return structs;
}

/** The module layouts.js of the package. */
export function javascript(structs) {
  const fields_of = ({ fields }) => fields.map(({ name, kind, at, count }) =>
    `  '${name}': { kind: '${kind}', at: ${at}${count === undefined ? '' : `, count: ${count}`} },\n`).join('');
  return `// SPDX-License-Identifier: Apache-2.0
// The structs of posenc.h in wasm32: bytes, and of each field the kind, the offset and an array's count. Made by layouts.mjs.
${Object.entries(structs).map(([name, struct]) =>
    `export const ${name} = { bytes: ${struct.bytes}, fields: {\n${fields_of(struct)}} };\n`).join('')}`;
}

/** A source in C++ that compiles where the compiler lays out the same. */
export function proof(structs) {
  const bytes = { u8: 1, i32: 4, u32: 4, i64: 8, u64: 8, f64: 8 };
  const lines = Object.entries(structs).flatMap(([of, struct]) => [`static_assert(sizeof(${of}) == ${struct.bytes});`,
    ...struct.fields.map(({ name, kind, at, count = 1 }) => `static_assert(offsetof(${of}, ${name}) == ${at} && `
      + `sizeof(${of}::${name}) == ${bytes[kind] * count});`)]);
  return ['// Made by layouts.mjs.', '#include <posenc.h>', ...lines, ''].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(proof(structs_of(readFileSync(process.argv[2], 'utf8'))));
}
