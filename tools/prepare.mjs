// What npm runs after an install, before it packs, and once more before the first `npx rlvr-train` in a checkout: builds,
// unless dist/ is newer than all that it is made of.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The last file that the build writes. */
const BUILT = join(root, 'dist/config.schema.json');
/** Made by the build itself. */
const MADE = ['src/kernels/wasm/binaries.ts', 'src/report/assets.ts'].map((name) => join(root, name));

function newest(path) {
  if (!statSync(path).isDirectory()) return MADE.includes(path) ? 0 : statSync(path).mtimeMs;
  return Math.max(statSync(path).mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const sources = ['src', 'tools', 'package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) =>
  join(root, name),
);
const isBuilt = existsSync(BUILT) && MADE.every((path) => existsSync(path));
if (!isBuilt || statSync(BUILT).mtimeMs < Math.max(...sources.map(newest))) {
  execFileSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
}
