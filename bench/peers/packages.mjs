/**
 * The Python packages that TRL needs and a machine with PyTorch and transformers may lack, unpacked where protocol.py
 * looks for them: packages/any, and packages/3.12 and the like for what is made for one version of Python.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPython, PeerError, pinnedVersion } from './peer.mjs';

const NAMES = ['trl', 'datasets', 'dill', 'multiprocess', 'xxhash'];
/** TRL asks for 3.11 or later. */
const PYTHONS = ['3.11', '3.12', '3.13', '3.14'];
const PROCESSOR = { x64: 'x86_64', arm64: 'aarch64' }[arch()];
const PLATFORMS = ['manylinux2014', 'manylinux_2_17', 'manylinux_2_28'].flatMap((system) => [
  '--platform',
  `${system}_${PROCESSOR}`,
]);

/**
 * Downloads the pinned versions, for Linux on this kind of processor, through pip's own sources.
 *
 * @param folder where they are unpacked
 * @throws PeerError where there is no Python with pip, or a package cannot be had
 */
export function unpackPackages(folder) {
  const python = findPython() ?? 'python3';
  const wheels = mkdtempSync(join(tmpdir(), 'rlvr-train-wheels-'));
  try {
    for (const version of PYTHONS) {
      const download = ['download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', join(wheels, version)];
      const target = ['--implementation', 'cp', '--python-version', version, ...PLATFORMS];
      run(python, [
        '-m',
        'pip',
        '--disable-pip-version-check',
        ...download,
        ...target,
        ...NAMES.map((name) => `${name}==${pinnedVersion(name)}`),
      ]);
      for (const wheel of readdirSync(join(wheels, version))) {
        const isForAny = /-py3-none-any\.whl$|\.py3-none-any\.whl$/.test(wheel);
        if (isForAny && version !== PYTHONS[0]) continue;
        const place = join(folder, isForAny ? 'any' : version);
        mkdirSync(place, { recursive: true });
        run(python, ['-m', 'zipfile', '-e', join(wheels, version, wheel), place]);
      }
    }
  } finally {
    rmSync(wheels, { recursive: true });
  }
}

function run(python, flags) {
  try {
    execFileSync(python, flags, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  } catch ({ message, stderr }) {
    const reason = stderr?.trim().split('\n').at(-1) || message;
    throw new PeerError(
      `TRL's packages: ${reason}. Packing needs pip and its registry; RLVR_PEER_PYTHON names a Python.`,
    );
  }
}
