// Compiles src/kernels/wasm/assembly into WebAssembly modules (relaxed-SIMD FMA or not, wide tiles or not, addresses of 32
// bits or of 64) and writes them, deflated and as base64, into one TypeScript module: no file to locate, in Node, a worker or a browser,
// and what npm packs cannot deflate base64 by much.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import binaryen from 'assemblyscript/binaryen';
import { writeKernelLists } from './kernel_lists.mjs';
import { BINARIES, sourcesLine } from './wasm_sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const entry = join(root, 'src/kernels/wasm/assembly/index.ts');
const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js');
const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-wasm-'));

const MAXIMUM_PAGES = 65536; // 4 GiB, the most that 32-bit addresses reach
const MAXIMUM_LONG_PAGES = 262144; // 16 GiB, the most that engines give
/** What makes the compiler count addresses in 64 bits, for which its command line has no flag. */
const LONG_ADDRESSES = join(root, 'tools/long_addresses.mjs');
/** What modules may use, by Binaryen's names. */
const FEATURES = [
  ...['Memory64', 'SIMD128', 'RelaxedSIMD', 'Atomics', 'BulkMemory', 'BulkMemoryOpt'],
  ...['MutableGlobals', 'SignExt', 'NontrappingFPToInt'],
];
const variants = [
  { name: 'threadsFma', fma: true },
  { name: 'threadsFmaWide', fma: true, wide: true },
  { name: 'threadsFma64', fma: true, memory64: true },
  { name: 'threads', fma: false },
];

writeKernelLists();
const lines = ['// Made by tools/build_wasm.mjs. Do not edit.', sourcesLine(), ''];
for (const { name, fma, wide, memory64 } of variants) {
  const out = join(folder, `${name}.wasm`);
  const text = join(folder, `${name}.wat`);
  execFileSync(
    process.execPath,
    [
      compiler,
      entry,
      '--outFile',
      out,
      // Optimised afterwards where its memory is made to fit: until then the module is not valid.
      ...(memory64 ? ['--noValidate', '--transform', LONG_ADDRESSES, '--textFile', text] : ['-O3']),
      '--noAssert',
      '--runtime',
      'stub',
      '--importMemory',
      '--enable',
      'simd',
      ...(fma ? ['--enable', 'relaxed-simd'] : []),
      ...(wide ? ['--use', 'WIDE=1'] : []),
      ...['--enable', 'threads', '--sharedMemory', '--maximumMemory', String(MAXIMUM_PAGES)],
      ...(process.argv.includes('--text') ? ['--textFile', join(root, `${name}.wat`)] : []),
    ],
    { stdio: 'inherit' },
  );
  if (memory64) writeFileSync(out, overLongMemory(readFileSync(text, 'utf8')));
  // With its type, or the declarations would hold the text once more.
  const deflated = deflateRawSync(readFileSync(out), { level: 9 });
  lines.push(`export const ${name}: string =`, `  '${deflated.toString('base64')}';`);
}
writeFileSync(BINARIES, `${lines.join('\n')}\n`);
rmSync(folder, { recursive: true });

/**
 * A module whose memory has 64-bit addresses, of the compiler's text: its code has them, its import of the memory has not.
 */
function overLongMemory(text) {
  const short = `1 ${MAXIMUM_PAGES} shared`;
  if (!text.includes(short)) throw new Error(`the compiler's text has no memory of ${short}`);
  const module = binaryen.parseText(text.replace(short, `i64 1 ${MAXIMUM_LONG_PAGES} shared`));
  module.setFeatures(FEATURES.reduce((all, name) => all | binaryen.Features[name], 0));
  if (module.validate() !== 1) throw new Error('the module with 64-bit addresses is not valid');
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  module.optimize();
  return module.emitBinary();
}
