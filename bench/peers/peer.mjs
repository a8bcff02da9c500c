/**
 * A peer of the race: a Python process that waits, takes a turn when asked, and waits again.
 *
 * Requests and answers are lines of JSON over its standard input and output; the first request sets it up, and
 * its answer names the versions. What its libraries print goes to standard error, shown only when it dies.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ERROR_LINES = 15;

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The interpreter of the environment that setup.mjs makes. */
export function environmentPython() {
  return here(process.platform === 'win32' ? '.venv/Scripts/python.exe' : '.venv/bin/python');
}

/** The interpreter to use, or undefined where there is no environment. RLVR_PEER_PYTHON names another one. */
export function findPython() {
  const python = process.env.RLVR_PEER_PYTHON ?? environmentPython();
  return existsSync(python) ? python : undefined;
}

export const HOW_TO_MAKE =
  'no peer environment, so ours runs alone; make one with: node bench/peers/setup.mjs (Python 3.11, 1.5 GB)';

/** The other side is not what it should be, or is gone. */
export class PeerError extends Error {
  name = 'PeerError';
}

/**
 * Starts a script of this folder and sets it up.
 *
 * @param options `python`, an interpreter; `env`, beside this process's: by default without GPUs; `isPinned`, whether
 *   other versions than the pinned ones are refused, which is the default; `answerSeconds`, no answer takes longer
 * @returns `hello`, its first answer; `ask(request)`; `close()`
 * @throws PeerError with its last lines when it dies, when it takes too long, and when its versions are refused
 */
export async function startPeer(script, setup, options = {}) {
  const { python = findPython(), env = { CUDA_VISIBLE_DEVICES: '' }, isPinned = true, answerSeconds } = options;
  const threads = String(setup.threads);
  const child = spawn(python, ['-B', here(script)], {
    // Nothing is looked up on a network, and tokenizers start no threads beside the counted ones.
    env: {
      ...process.env,
      OMP_NUM_THREADS: threads,
      MKL_NUM_THREADS: threads,
      TOKENIZERS_PARALLELISM: 'false',
      HF_HUB_OFFLINE: '1',
      ...env,
    },
  });
  const errors = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    errors.push(line);
    if (errors.length > ERROR_LINES) errors.shift();
  });
  let waiting;
  let failure;
  const fail = (message) => {
    failure ??= new PeerError(message);
    waiting?.reject(failure);
  };
  createInterface({ input: child.stdout }).on('line', (line) => waiting?.resolve(JSON.parse(line)));
  child.on('error', ({ message }) => fail(`${script} does not start: ${message}`));
  child.on('close', (code) => fail(`${script} ended with ${code}:\n${errors.join('\n')}`));
  child.stdin.on('error', () => {}); // a peer that is gone has closed it, and `close` says why
  const ask = (request) => {
    const giveUp = () => {
      fail(`${script} gave no answer in ${answerSeconds} s.`);
      child.kill();
    };
    const timer = answerSeconds === undefined ? undefined : setTimeout(giveUp, 1000 * answerSeconds);
    const answer = new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      if (failure === undefined) child.stdin.write(`${JSON.stringify(request)}\n`);
      else reject(failure);
    });
    return answer.finally(() => clearTimeout(timer));
  };
  const close = () => {
    waiting = undefined;
    child.kill();
  };
  const hello = await ask(setup);
  try {
    if (isPinned) checkVersions(hello.versions);
  } catch (error) {
    close();
    throw error;
  }
  return { hello, ask, close };
}

/** The version that the golden files and the race have of a package; undefined where any will do. */
export function pinnedVersion(name) {
  const text = readFileSync(here('../../test/golden/requirements.txt'), 'utf8');
  return text.match(new RegExp(`^${name}==(\\S+)$`, 'm'))?.[1];
}

function checkVersions(versions) {
  for (const [name, version] of Object.entries(versions)) {
    const pinned = pinnedVersion(name);
    if (pinned !== undefined && version.split('+')[0] !== pinned)
      throw new PeerError(
        `the peer has ${name} ${version}, the race is pinned to ${pinned}; run node bench/peers/setup.mjs.`,
      );
  }
}
