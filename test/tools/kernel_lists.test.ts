/** The lists of kernels are made of the interface: a kernel that a backend lacks stops the build, and is named. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { Command } from '../../src/kernels/wasm/assembly/commands.ts';
import { KERNEL_ARGUMENTS } from '../../src/kernels/wasm/kernel_arguments.ts';
import { kernelLists } from '../../tools/kernel_lists.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['src/kernels', 'packages/tfjs/kernels', 'packages/webgpu/shaders'];
const folder = mkdtempSync(join(tmpdir(), 'kernels-'));
beforeEach(() => {
  for (const path of FOLDERS) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

function change(file: string, from: string, to: string): void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

it('a command is a kernel of the interface, whose arguments the host gives, or one of the engine itself', () => {
  const commands = Object.keys(Command).filter((name) => !/^\d/.test(name));
  expect(commands.filter((name) => !Object.hasOwn(KERNEL_ARGUMENTS, name))).toEqual(['packWeight']);
  expect(Object.keys(KERNEL_ARGUMENTS).filter((name) => !commands.includes(name))).toEqual([]);
});

it('a new kernel of the interface is listed for each backend from the file that has it', () => {
  change(
    'src/kernels/kernels.ts',
    'export interface Kernels {',
    'export interface Kernels {\n  halve(args: ScaleArgs): void;',
  );
  change(
    'src/kernels/reference/swiglu.ts',
    '/** out = gate',
    "export const halve: ReferenceKernel<'halve'> = {};\n/** out = gate",
  );
  writeFileSync(join(folder, 'packages/tfjs/kernels/halve.ts'), 'export function halve(): void {}\n');
  writeFileSync(join(folder, 'packages/webgpu/shaders/halve.ts'), 'export function halve(): void {}\n');
  writeFileSync(
    join(folder, 'src/kernels/wasm/assembly/halve.ts'),
    '/** arguments: out */\nexport function halve(): void {}\n',
  );
  const lists = kernelLists(folder);
  expect(lists.get('src/kernels/reference/kernel_list.ts')).toContain(
    "import { halve, swiglu, swigluBackward } from './swiglu.ts';",
  );
  expect(lists.get('packages/tfjs/kernels/kernel_list.ts')).toContain("import { halve } from './halve.ts';");
  expect(lists.get('packages/webgpu/shaders/kernel_list.ts')).toContain("import { halve } from './halve.ts';");
  expect(lists.get('src/kernels/wasm/assembly/commands.ts')).toMatch(/enum Command \{\n {2}halve,\n {2}embedding,/);
  expect(lists.get('src/kernels/wasm/assembly/run_command.ts')).toContain("import { halve } from './halve';");
  expect(lists.get('src/kernels/wasm/assembly/run_command.ts')).toContain('case Command.halve: return halve();');
});

it.each([
  ['src/kernels/reference/swiglu.ts', 'export const swigluBackward', 'const swigluBackward'],
  ['packages/tfjs/kernels/swiglu.ts', 'export function swigluBackward', 'function swigluBackward'],
  ['packages/webgpu/shaders/swiglu.ts', 'export function swigluBackward', 'function swigluBackward'],
  ['src/kernels/wasm/assembly/swiglu.ts', 'export function swigluBackward', 'export function swigluOther'],
])('a kernel that is in no file of its folder is named: %s', (file, from, to) => {
  change(file, from, to);
  const backend = file.slice(0, file.lastIndexOf('/'));
  expect(() => kernelLists(folder)).toThrow(
    `${backend}: no file exports swigluBackward, a kernel of kernels.ts; write it`,
  );
});
