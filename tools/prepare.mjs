// What npm runs after an install in a checkout, and before it packs: builds, unless dist/ and web/dist/ are newer than all
// that they are made of. `node tools/prepare.mjs js` looks at dist/ alone, and builds nothing else: what the end-to-end
// tests begin with. A copy without packages/ builds the core's own command, build/core. What the build says is shown where
// it fails. package.json calls this `postprepare`: of a package with `prepare`, npm 11 warns the user who installs it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MADE } from './made_modules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const onlyJs = process.argv[2] === 'js';

const measured = ['bench/arena/results.json', 'bench/results/strategies.json', 'bench/results/methods.json'];
const code = ['src', 'packages', 'tools', ...measured, 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
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

/** `built`: what the script writes, the last file first. */
const CORE = { script: 'build:core', what: 'the core', built: ['build/core/cli/main.js'], sources: ['src', 'tools'] };
const COMMAND = { script: 'build:js', what: 'the command', built: ['dist/config.schema.json'], sources: code };
const ALL = {
  script: 'build',
  what: 'WebAssembly, the command and the page, about a minute',
  built: ['web/dist/index.html', 'docs/reference/catalogue.md'],
  sources: [...code, ...page],
};

/** When a file was written, or the newest of a folder; neither of what the build makes, nor of tests, which it does not take. */
function newest(path) {
  if (MADE.includes(path) || /^packages[/\\][^/\\]+[/\\]test$/.test(path)) return 0;
  const status = statSync(join(root, path));
  if (!status.isDirectory()) return status.mtimeMs;
  return Math.max(status.mtimeMs, ...readdirSync(join(root, path)).map((name) => newest(join(path, name))));
}

const hasWorkspaces = existsSync(join(root, 'packages'));
const { script, what, built, sources } = !hasWorkspaces ? CORE : onlyJs ? COMMAND : ALL;
const needed = [...built, ...(hasWorkspaces ? MADE : [])].map((name) => join(root, name));
const isBuilt = needed.every((path) => existsSync(path));
if (!isBuilt || statSync(needed[0]).mtimeMs < Math.max(...sources.map(newest))) {
  process.stderr.write(`rlvr-train: building ${what} …\n`);
  const { status, stdout, stderr, error } = spawnSync('npm', ['run', '--silent', script], {
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
