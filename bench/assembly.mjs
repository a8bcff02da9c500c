/** Compiles AssemblyScript of the benchmarks, or the kernels in a build of their own, with the flags of tools/build_wasm.mjs. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

/**
 * @param source  path of the module's entry
 * @param flags   beside those that every module has: features, constants
 */
export async function compileAssembly(source, flags) {
  const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-bench-'));
  try {
    const file = join(folder, 'module.wasm');
    const all = ['-O3', '--noAssert', '--runtime', 'stub', '--importMemory', '--enable', 'simd', ...flags];
    const { error, stderr } = await asc.main([source, '--outFile', file, '--baseDir', '/', ...all]);
    if (error) throw new Error(`${source} does not compile:\n${stderr}`);
    return await WebAssembly.compile(readFileSync(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The flag for fused multiply-add, where the backend has it. */
export const fmaFlags = (fma) => (fma ? ['--enable', 'relaxed-simd'] : []);
