/**
 * Makes the virtual environment that the peers of the race run in: bench/peers/.venv, versions of requirements.txt.
 *
 *   node bench/peers/setup.mjs [PYTHON]      PYTHON: a Python 3.11; default python3.11
 *
 * PyTorch comes first and by itself: on Linux a plain install brings gigabytes of CUDA, so the build for the CPU is
 * asked for by name, from pip's own sources or else from PyTorch's index.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environmentPython, pinnedVersion } from './peer.mjs';

const TORCH_CPU_INDEX = 'https://download.pytorch.org/whl/cpu';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const [base = 'python3.11'] = process.argv.slice(2);
const python = environmentPython();

run(base, ['-m', 'venv', here('.venv')]);
const pinned = `torch==${pinnedVersion('torch')}`;
if (process.platform !== 'linux') install([pinned]);
else if (!install([`${pinned}+cpu`], { optional: true })) install([`${pinned}+cpu`, '--index-url', TORCH_CPU_INDEX]);
install(['-r', here('requirements.txt')]);
process.stdout.write(`ready: ${python}\n`);

function install(packages, { optional = false } = {}) {
  return run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages], optional);
}

function run(command, flags, optional = false) {
  process.stdout.write(`${[command, ...flags].join(' ')}\n`);
  const { status, error } = spawnSync(command, flags, { stdio: 'inherit' });
  if (status !== 0 && !optional) {
    process.stderr.write(`${error?.message ?? `${command} ended with ${status}`}; nothing to race against yet.\n`);
    process.exit(1);
  }
  return status === 0;
}
