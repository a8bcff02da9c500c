/**
 * Writes the modules that are made of rows, of folders and of AssemblyScript, where they are not as they should be. Part of the
 * build, of `npm run typecheck`, and of every run of the tests, since git keeps none of them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVIDENCE_MODULE, evidenceModule, readEvidence } from './build_evidence.mjs';
import { PAPERS_MODULE, papersModule, readPapers } from './build_papers.mjs';
import { KERNEL_LISTS, writeKernelLists } from './kernel_lists.mjs';
import { areBuilt } from './wasm_sources.mjs';
import { writeIfOther } from './write_if_other.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Modules that the build makes, from the root. The registries are a folder, packages/zoo/made. */
export const MADE = [
  PAPERS_MODULE,
  EVIDENCE_MODULE,
  ...KERNEL_LISTS,
  'src/kernels/wasm/binaries.ts',
  'packages/report/assets.ts',
];

export async function writeMadeModules() {
  // A copy of the core alone has no zoo.
  if (existsSync(join(root, 'packages/zoo'))) {
    await import('./write_registries.mjs');
    writeIfOther(join(root, PAPERS_MODULE), papersModule(readPapers()));
    writeIfOther(join(root, EVIDENCE_MODULE), evidenceModule(readEvidence()));
  }
  writeKernelLists();
  if (areBuilt()) return;
  process.stderr.write('rlvr-train: building WebAssembly, half a minute …\n');
  // What the compiler says is in the error of a build that fails.
  execFileSync(process.execPath, [join(root, 'tools/build_wasm.mjs')], { stdio: 'pipe' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeMadeModules();
