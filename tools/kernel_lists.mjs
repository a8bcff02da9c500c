/**
 * The lists of kernels, made of the interface in src/kernels/kernels.ts and of the files that implement it, so that a kernel is
 * named in no list by hand.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeIfOther } from './write_if_other.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HEAD =
  '// Made by tools/made_modules.mjs of src/kernels/kernels.ts and of the files beside this one. Do not edit.';
const INTERFACE = 'src/kernels/kernels.ts';
/** Folders whose files export each kernel under its name. */
const BACKENDS = ['src/kernels/reference', 'packages/tfjs/kernels', 'packages/webgpu/shaders'];
const LIST = 'kernel_list.ts';
const ASSEMBLY = 'src/kernels/wasm/assembly';
const ASSEMBLY_LISTS = ['commands.ts', 'run_command.ts'];

/** Paths of all lists, from the root. */
export const KERNEL_LISTS = [
  ...BACKENDS.map((folder) => `${folder}/${LIST}`),
  ...ASSEMBLY_LISTS.map((name) => `${ASSEMBLY}/${name}`),
];

/**
 * @param {string} root  of the project, or of a copy of it, which may have the core alone
 * @returns {Map<string, string>} the text of each list, by its path from there
 * @throws {Error} naming a kernel of the interface that a backend has in no file
 */
export function kernelLists(root = ROOT) {
  const names = namesOf(readFileSync(join(root, INTERFACE), 'utf8'));
  const present = BACKENDS.filter((folder) => existsSync(join(root, folder)));
  const lists = present.map((backend) => {
    const files = exportsIn(join(root, backend), /^export (?:async function|function|const) (\w+)\b/gm);
    const imports = [...byFile(backend, names, files)].map(([file, found]) => imported(found, file));
    return [
      `${backend}/${LIST}`,
      lines([...imports, '', 'export const kernels = {', ...names.map((name) => `  ${name},`), '};']),
    ];
  });
  // The assembly has commands of its own, too, which the interface does not name: they are the other functions that read arguments.
  const files = exportsIn(join(root, ASSEMBLY), /\barguments: [^/]*\*\/\nexport function (\w+)\(\): void/g);
  const commands = [...names, ...[...files.keys()].filter((name) => !names.includes(name)).sort()];
  const imports = [...byFile(ASSEMBLY, commands, files)].map(([file, found]) =>
    imported(found, file.replace(/\.ts$/, '')),
  );
  const cases = commands.map((name) => `    case Command.${name}: return ${name}();`);
  return new Map([
    ...lists,
    [
      `${ASSEMBLY}/commands.ts`,
      lines(['/** Read by both languages. */', 'export enum Command {', ...commands.map((name) => `  ${name},`), '}']),
    ],
    [
      `${ASSEMBLY}/run_command.ts`,
      lines([
        ...imports,
        "import { Command } from './commands';",
        '',
        'export function runCommand(kernel: i32): void {',
        '  switch (kernel) {',
        ...cases,
        '    default: unreachable();',
        '  }',
        '}',
      ]),
    ],
  ]);
}

/** Writes the lists that are not as they should be. */
export function writeKernelLists() {
  for (const [path, text] of kernelLists()) writeIfOther(join(ROOT, path), text);
}

/** The methods of `Kernels`, in their order. */
function namesOf(text) {
  const [, body = ''] = /^export interface Kernels \{\n([\s\S]*?)^\}/m.exec(text) ?? [];
  const names = [...body.matchAll(/^ {2}(\w+)\(args: /gm)].map(([, name]) => name);
  if (names.length === 0) throw new Error(`${INTERFACE}: found no \`interface Kernels { name(args: …): void }\``);
  return names;
}

/** What the files of a folder export, to the names of the files. */
function exportsIn(folder, pattern) {
  const files = readdirSync(folder).filter(
    (file) => file.endsWith('.ts') && file !== LIST && !ASSEMBLY_LISTS.includes(file),
  );
  return new Map(
    files
      .sort()
      .flatMap((file) =>
        [...readFileSync(join(folder, file), 'utf8').matchAll(pattern)].map(([, name]) => [name, file]),
      ),
  );
}

function byFile(backend, names, files) {
  const found = new Map();
  for (const name of names) {
    const file = files.get(name);
    if (file === undefined) throw new Error(`${backend}: no file exports ${name}, a kernel of kernels.ts; write it`);
    found.set(file, [...(found.get(file) ?? []), name].sort());
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const imported = (names, file) => `import { ${names.join(', ')} } from './${file}';`;

const lines = (body) => `${[HEAD, ...body].join('\n')}\n`;
