/**
 * `node tools/lock.mjs`: renews package-lock.json from package.json. To be run after package.json has changed.
 *
 * npm writes the lock from what its registry serves. One that leaves out binaries of other platforms makes a lock that
 * `npm ci` refuses, on every platform, so the missing ones are written in from what their parent says of them: version, and
 * platform by their name. They are without a hash, which npm takes from the registry on a machine of that platform.
 * Addresses are left out, so that any registry can be used.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LOCK = 'package-lock.json';

/**
 * @param {Record<string, { optionalDependencies?: Record<string, string>, dev?: boolean }>} packages of a lock, by folder
 * @returns {{ name: string, range: string, parent: string }[]} optional packages that the lock should hold, and does not
 */
export function missingPackages(packages) {
  return Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !foldersAbove(parent).some((folder) => `${folder}node_modules/${name}` in packages))
      .map(([name, range]) => ({ name, range, parent })),
  );
}

/** The folders whose node_modules a package of `folder` is looked up in, nearest first, each with its closing slash. */
function foldersAbove(folder) {
  if (folder === '') return [''];
  const above = folder.lastIndexOf('/node_modules/');
  return [`${folder}/`, ...foldersAbove(above < 0 ? '' : folder.slice(0, above))];
}

/**
 * @param {string} name of a package of binaries, such as `@biomejs/cli-linux-x64-musl`
 * @returns {{ os: string[], cpu: string[], libc?: string[] }}
 * @throws {Error} where the name says no platform
 */
export function platformOf(name) {
  const found = /-(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|ia32|x64)(?:-(gnu|musl|msvc))?$/.exec(
    name,
  );
  if (!found) throw new Error(`${name}: its name says no platform; write its entry into package-lock.json by hand`);
  const [, os, cpu, abi] = found;
  return { cpu: [cpu], os: [os], ...(os === 'linux' && { libc: [abi === 'musl' ? 'musl' : 'glibc'] }) };
}

/** Writes the missing packages into a lock. A range is refused: only its registry knows which version it would mean. */
export function completeLock(lock) {
  for (const { name, range, parent } of missingPackages(lock.packages)) {
    if (!/^\d+\.\d+\.\d+$/.test(range))
      throw new Error(`${parent}: ${name}@${range} is missing, and is no exact version`);
    const { dev } = lock.packages[parent];
    const rest = { ...(dev && { dev }), optional: true, ...platformOf(name) };
    // npm's own order: an install would otherwise write the lock again.
    const inOrder = Object.fromEntries(Object.entries(rest).sort(([a], [b]) => a.localeCompare(b, 'en')));
    lock.packages[`node_modules/${name}`] = { version: range, ...inOrder };
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return { ...lock, packages: Object.fromEntries(sorted) };
}

/** In a folder of its own: beside an installed node_modules npm writes what is installed, which is one platform's. */
function renew() {
  const folder = mkdtempSync(join(tmpdir(), 'lock-'));
  try {
    for (const name of ['package.json', LOCK]) {
      if (existsSync(join(ROOT, name))) copyFileSync(join(ROOT, name), join(folder, name));
    }
    const flags = ['--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved', '--no-audit'];
    execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
    const lock = JSON.parse(readFileSync(join(folder, LOCK), 'utf8'));
    writeFileSync(join(ROOT, LOCK), `${JSON.stringify(completeLock(lock), null, 2)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) renew();
