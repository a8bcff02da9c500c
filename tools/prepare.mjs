// What npm runs after an install, before it packs, and once more before the first `npx rlvr-train` in a checkout: builds,
// unless dist/ and web/dist/ are newer than all that they are made of. `node tools/prepare.mjs js` looks at dist/ alone, and
// builds nothing else: what the end-to-end tests begin with.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const onlyJs = process.argv[2] === 'js';
/** The last file that the build writes. */
const BUILT = join(root, onlyJs ? 'dist/config.schema.json' : 'web/dist/index.html');
/** Made by the build itself. */
const MADE = ['src/kernels/wasm/binaries.ts', 'src/report/assets.ts'].map((name) => join(root, name));

function newest(path) {
  if (!statSync(path).isDirectory()) return MADE.includes(path) ? 0 : statSync(path).mtimeMs;
  return Math.max(statSync(path).mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const page = [
  'src',
  'public',
  'index.html',
  'lend.html',
  'model.html',
  'vite.config.ts',
  'precache.mjs',
  'service_worker.js',
].map((name) => join('web', name));
const code = ['src', 'tools', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
const sources = [...code, ...(onlyJs ? [] : page)].map((name) => join(root, name));
const made = [BUILT, ...MADE, ...(onlyJs ? [] : [join(root, 'docs/reference/catalogue.md')])];
const isBuilt = made.every((path) => existsSync(path));
if (!isBuilt || statSync(BUILT).mtimeMs < Math.max(...sources.map(newest))) {
  execFileSync('npm', ['run', '--silent', onlyJs ? 'build:js' : 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}
