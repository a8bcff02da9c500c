// Compiles src/kernels/wasm/assembly into WebAssembly modules (threads or not, relaxed-SIMD FMA or not, wide tiles or not)
// and writes them, as base64, into one TypeScript module: no file to locate, in Node, a worker or a browser.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const entry = join(root, 'src/kernels/wasm/assembly/index.ts');
const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js');
const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-wasm-'));

const MAXIMUM_PAGES = 65536; // 4 GiB, the most that 32-bit addresses reach
const variants = [
  { name: 'threadsFma', threads: true, fma: true },
  { name: 'threadsFmaWide', threads: true, fma: true, wide: true },
  { name: 'threads', threads: true, fma: false },
  { name: 'singleFma', threads: false, fma: true },
  { name: 'single', threads: false, fma: false },
];

const lines = ['// Made by tools/build_wasm.mjs. Do not edit.', ''];
for (const { name, threads, fma, wide } of variants) {
  const out = join(folder, `${name}.wasm`);
  execFileSync(
    process.execPath,
    [
      compiler,
      entry,
      '--outFile',
      out,
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--importMemory',
      '--enable',
      'simd',
      ...(fma ? ['--enable', 'relaxed-simd'] : []),
      ...(wide ? ['--use', 'WIDE=1'] : []),
      ...(threads
        ? ['--enable', 'threads', '--sharedMemory', '--maximumMemory', String(MAXIMUM_PAGES)]
        : ['--disable', 'threads', '--maximumMemory', String(MAXIMUM_PAGES)]),
      ...(process.argv.includes('--text') ? ['--textFile', join(root, `${name}.wat`)] : []),
    ],
    { stdio: 'inherit' },
  );
  // With its type, or the declarations would hold the text once more.
  lines.push(`export const ${name}: string =`, `  '${readFileSync(out).toString('base64')}';`);
}
writeFileSync(join(root, 'src/kernels/wasm/binaries.ts'), `${lines.join('\n')}\n`);
rmSync(folder, { recursive: true });
