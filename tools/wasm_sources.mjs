/** What the modules of WebAssembly are made of, as a hash: written on top of them, so that a checkout knows when they are stale. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const ASSEMBLY = join(root, 'src/kernels/wasm/assembly');
/** Made by build_wasm.mjs. */
export const BINARIES = join(root, 'src/kernels/wasm/binaries.ts');

/** A comment that names the sources as they are. */
export function sourcesLine() {
  const tools = ['build_wasm.mjs', 'long_addresses.mjs'].map((name) => join(root, 'tools', name));
  const files = readdirSync(ASSEMBLY).filter((name) => name.endsWith('.ts'));
  const hash = createHash('sha256');
  for (const path of [...tools, ...files.sort().map((name) => join(ASSEMBLY, name))]) hash.update(readFileSync(path));
  return `// Of sources ${hash.digest('hex').slice(0, 16)}.`;
}

/** Whether the modules are those of the sources as they are. */
export const areBuilt = () =>
  existsSync(BINARIES) && readFileSync(BINARIES, 'utf8').slice(0, 200).includes(sourcesLine());
