/**
 * Packs what `npm run bench -- webgpu` needs into one archive, for a machine with a GPU but without Node and network:
 * Node itself, the Vulkan loader, Dawn, build/, dist/, bench/, and the packages of TRL. There:
 * `tar xf FILE && rlvr-train-bench/run --json out.json`.
 *
 *   npm run bench -- pack FILE.tar.xz
 *
 * For machines like this one: same system, same processor. Their GPU driver is theirs, and so are Python, PyTorch and
 * transformers; what of TRL they have of their own is taken first.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readGitCommit } from '../build/src/run/fingerprint/fingerprint.node.js';
import { fail } from './command.mjs';
import { unpackPackages } from './peers/packages.mjs';

const NAME = 'rlvr-train-bench';
const RUN = `#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH="\${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/lib"
exec "$here/node" "$here/bench/run.mjs" webgpu "$@"
`;
/** What may be carried to such a machine. */
const LIMIT_MIB = 64;
/** Where Linux distributions put the Vulkan loader. */
const LOADERS = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64'].map((folder) =>
  join(folder, 'libvulkan.so.1'),
);

const [file] = process.argv.slice(3);
if (file === undefined) fail('no file to write; use npm run bench -- pack FILE.tar.xz.');
if (platform() !== 'linux') fail(`${platform()} — the archive is made on Linux, for Linux.`);
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rlvr-train-pack-'));
const inside = (...names) => join(folder, NAME, ...names);
try {
  for (const part of ['build', 'dist', 'bench', 'package.json', 'LICENSE']) {
    cpSync(join(root, part), inside(part), { recursive: true, filter: (path) => !path.includes('.venv') });
  }
  for (const name of dependencies()) {
    const isOtherSystem = (path) => /\/dist\/(darwin|win32|linux)-/.test(path) && !path.includes(`linux-${arch()}`);
    cpSync(join(root, 'node_modules', name), inside('node_modules', name), {
      recursive: true,
      filter: (path) => name !== 'webgpu' || !isOtherSystem(path),
    });
  }
  cpSync(process.execPath, inside('node'));
  const loader = LOADERS.find(existsSync);
  if (loader !== undefined) {
    mkdirSync(inside('lib'));
    copyFileSync(loader, inside('lib', 'libvulkan.so.1')); // the file that the link names: cpSync of Node 24 takes the link for a folder
  }
  unpackPackages(inside('bench', 'peers', 'packages'));
  writeFileSync(inside('run'), RUN);
  // What describeMachine reads, so that figures name their commit.
  mkdirSync(inside('.git'));
  writeFileSync(inside('.git', 'HEAD'), `${readGitCommit(root)}\n`);
  for (const program of ['run', 'node']) chmodSync(inside(program), 0o755);
  execFileSync('tar', ['-C', folder, '-cJf', resolve(file), NAME], { env: { ...process.env, XZ_OPT: '-T0 -6' } });
} finally {
  rmSync(folder, { recursive: true });
}
const size = `${file}: ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB`;
if (statSync(file).size > LIMIT_MIB * 2 ** 20) fail(`${size} — more than the ${LIMIT_MIB} that it may have.`);
process.stdout.write(`${size}\n`);

/** Packages that build/ and dist/ import, with theirs, and Dawn. */
function dependencies() {
  const found = new Set(['webgpu']);
  const add = (names) => {
    for (const name of names) {
      if (found.has(name) || name.startsWith('@webgpu/')) continue;
      found.add(name);
      add(dependenciesOf(join('node_modules', name)));
    }
  };
  add(dependenciesOf('.'));
  return found;
}

function dependenciesOf(path) {
  return Object.keys(JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).dependencies ?? {});
}
