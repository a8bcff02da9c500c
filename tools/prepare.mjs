// What npm runs after an install in a checkout, and before it packs: builds, unless dist/ and web/dist/ are newer than all
// that they are made of. `node tools/prepare.mjs js` looks at dist/ alone, and builds nothing else: what the end-to-end
// tests begin with. What the build says is shown where it fails. package.json calls this `postprepare`: of a package with
// `prepare`, npm 11 warns the user who installs it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MADE as MADE_MODULES } from './made_modules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const onlyJs = process.argv[2] === 'js';
/** The last file that the build writes. */
const BUILT = join(root, onlyJs ? 'dist/config.schema.json' : 'web/dist/index.html');
/** Made by the build itself. */
const MADE = MADE_MODULES.map((name) => join(root, name));

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
const measured = ['bench/arena/results.json', 'bench/results/strategies.json', 'bench/results/methods.json'];
const code = ['src', 'packages', 'tools', ...measured, 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
const sources = [...code, ...(onlyJs ? [] : page)].map((name) => join(root, name));
const made = [BUILT, ...MADE, ...(onlyJs ? [] : [join(root, 'docs/reference/catalogue.md')])];
const isBuilt = made.every((path) => existsSync(path));
if (!isBuilt || statSync(BUILT).mtimeMs < Math.max(...sources.map(newest))) {
  const what = onlyJs ? 'the command' : 'WebAssembly, the command and the page, about a minute';
  process.stderr.write(`rlvr-train: building ${what} …\n`);
  const { status, stdout, stderr, error } = spawnSync('npm', ['run', '--silent', onlyJs ? 'build:js' : 'build'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write(`${stdout}${stderr}${error?.message ?? ''}\nrlvr-train: the build failed, see above.\n`);
    process.exitCode = 1;
  }
}
