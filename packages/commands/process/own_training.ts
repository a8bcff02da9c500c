/** A run that a worker trains for the learner of a series: a process of its own, in a folder that goes away with the run. */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { temporaryFolder } from '../../fleet/nats/temporary_folder.node.ts';
import type { OwnRunFolder, OwnTraining } from '../../fleet/series/series_worker.ts';
import { whyNotTaken } from '../training/given_config.ts';

/** What a message of a failure keeps. */
const REASON_LENGTH = 2000;

/** @param threads  of each training; undefined: one for each core */
export function makeRunFolder(threads: number | undefined): OwnRunFolder {
  const folder = temporaryFolder('run');
  const directory = join(folder, 'run');
  return {
    store: fileStore(directory),
    refuses: whyNotTaken,
    train({ config, resume, backend }) {
      const file = join(folder, 'config.yaml');
      writeFileSync(file, config);
      const own = ['--config', file, '--output', directory, '--backend', backend, '--json'];
      const cores = threads === undefined ? [] : ['--threads', String(threads)];
      return startTraining([...own, ...cores, ...(resume ? ['--resume'] : [])]);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A process that ends with this one: its output has no reader then, and the next thing that it prints ends it. */
function startTraining(words: readonly string[]): OwnTraining {
  const [program] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, program, 'train', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: ownEnvironment(),
    detached: true, // Ctrl-C is the worker's alone, which passes it on
  });
  const seen = { step: 0, saved: 0, isFinished: false, isStopped: false };
  let isKilled = false;
  let said = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { event, step } = readEvent(line);
    if (event === 'step') seen.step = step ?? seen.step;
    if (event === 'finished') seen.isFinished = true;
    if (event === 'stopped') seen.isStopped = true;
    if (event === 'checkpoint') seen.saved++;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-REASON_LENGTH);
  });
  const ended = new Promise<Awaited<OwnTraining['ended']>>((resolve) => {
    child.once('error', ({ message }) => resolve({ outcome: 'failed', reason: message }));
    child.once('close', (code, signal) => {
      if (seen.isFinished) resolve({ outcome: 'finished' });
      else if (seen.isStopped || isKilled) resolve({ outcome: 'stopped' });
      else resolve({ outcome: 'failed', reason: said.trim() || `it ended by ${signal ?? `code ${code}`}` });
    });
  });
  return {
    ended,
    get step() {
      return seen.step;
    },
    get saved() {
      return seen.saved;
    },
    stop: () => void child.kill('SIGTERM'),
    kill() {
      isKilled = true;
      child.kill('SIGKILL');
    },
  };
}

/** What a run of another's has of this machine: programs, a home, and where the models of the hub are; no secret. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME } = process.env;
  const named = Object.entries({ PATH, HOME, HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}

function readEvent(line: string): { readonly event: string; readonly step?: number } {
  try {
    return JSON.parse(line) as { event: string; step?: number }; // as `--json` prints it
  } catch {
    return { event: '' };
  }
}
