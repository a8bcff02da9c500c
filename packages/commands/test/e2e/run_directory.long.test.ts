/** A run directory under attack from outside: a second process, a directory that is removed, damage. */
import { spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { budget, fewOf } from '../../../../test/support/budget.ts';
import {
  commandLine,
  type Outcome,
  PROGRAM,
  readMetrics,
  readSummary,
  SMALL_CONFIG,
  temporaryFolder,
  writeConfig,
} from './command_line.ts';

/** Trials with two processes; the release check sets 20 kills, and so many trials. */
const TRIALS = Number(process.env.RLVR_KILLS ?? budget({ quick: 1, all: 1, release: 3 }));

const completions = (directory: string): string => readFileSync(join(directory, 'completions.jsonl'), 'utf8');

const folder = temporaryFolder();
let config: string;
let whole: string;

beforeAll(async () => {
  config = writeConfig(folder.path, SMALL_CONFIG);
  whole = join(folder.path, 'whole');
  expect(await commandLine(['--config', config, '--output', whole])).toMatchObject({ code: 0, stderr: '' });
}, 120_000);
afterAll(() => folder.remove());

describe('a run under way', () => {
  it(`has its directory for itself: in ${TRIALS} trials a second process is refused by name`, async () => {
    const rng = rngFor('two processes');
    for (let trial = 0; trial < TRIALS; trial++) {
      const directory = join(folder.path, `shared-${trial}`);
      const flags = ['--config', config, '--output', directory, ...(trial % 3 === 2 ? ['--quiet'] : [])];
      const at = 1 + Math.floor(rng.float() * 9);
      const resume = trial % 2 === 0 ? ['--resume'] : [];
      let refused: Outcome | undefined;
      const first = await commandLine([...flags.filter((flag) => flag !== '--quiet'), '--json'], {
        when: new RegExp(`("event":"step"[^]*){${at}}`),
        act: async () => {
          refused = await commandLine([...flags, ...resume]);
        },
      });
      expect(first).toMatchObject({ code: 0, stderr: '' });
      expect(refused?.stderr).toMatch(/ {2}a run with pid \d+ is under way here, since /);
      expect(refused?.code).toBe(1);
      expect(readSummary(directory).weightsSha256).toBe(readSummary(whole).weightsSha256);
      expect(readMetrics(directory)).toEqual(readMetrics(whole));
      expect(completions(directory)).toBe(completions(whole));
    }
  }, 600_000);

  it('says that its directory was removed, and fails', async () => {
    const directory = join(folder.path, 'removed');
    const { code, stderr } = await commandLine(['--config', config, '--output', directory], {
      when: /grpo/,
      act: () => rmSync(directory, { recursive: true, force: true }),
    });
    expect(stderr).toContain(`${directory}  was removed while this run was under way`);
    expect(code).toBe(1);
  }, 60_000);
});

describe('a model that is not the one that the run ended with', () => {
  let copy: string;
  let model: string;
  beforeAll(() => {
    copy = join(folder.path, 'changed');
    model = join(copy, 'model/model.safetensors');
    cpSync(whole, copy, { recursive: true });
    const bytes = readFileSync(model);
    bytes[bytes.length - 400] ^= 8;
    writeFileSync(model, bytes);
  });

  it.each(['sample', 'eval'])(
    'is refused by %s, unless it is told to',
    async (command) => {
      const refused = await commandLine([command, '--run', copy]);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toMatch(
        /model\.safetensors {2}is not the model that this run ended with: .* --force uses it/,
      );
      expect(await commandLine([command, '--run', copy, '--force'])).toMatchObject({ code: 0, stderr: '' });
    },
    60_000,
  );

  it('is not asked for when it is removed: the newest checkpoint is used', async () => {
    const { path, remove } = temporaryFolder();
    cpSync(whole, path, { recursive: true });
    rmSync(join(path, 'model'), { recursive: true });
    const sampled = await commandLine(['sample', '--run', path]);
    expect(sampled).toMatchObject({ code: 0, stderr: '' });
    expect(sampled.stdout).toContain('checkpoints/grpo-30');
    remove();
  }, 60_000);

  const damages: readonly [string, (directory: string) => void, RegExp][] = [
    ['a model cut short', (at) => truncateSync(join(at, 'model/model.safetensors'), 1000), /model\.safetensors: /],
    ['an empty model', (at) => truncateSync(join(at, 'model/model.safetensors'), 0), /model\.safetensors: /],
    ['no model and no checkpoint', (at) => removeBoth(at), /has neither a model nor a checkpoint yet/],
    ['damaged checkpoints alone', (at) => damageCheckpoints(at), /every checkpoint of this run is damaged/],
    [
      'a fingerprint that is none',
      (at) => writeFileSync(join(at, 'fingerprint.json'), '{'),
      /fingerprint\.json cannot be used/,
    ],
  ];
  it.each(fewOf(damages, { quick: 1, all: 3 }))(
    '%s ends sample and eval with a message',
    async (_, damage, message) => {
      const { path, remove } = temporaryFolder();
      cpSync(whole, path, { recursive: true });
      damage(path);
      for (const command of ['sample', 'eval']) {
        const outcome = await commandLine([command, '--run', path], { signal: 'SIGKILL', afterMs: 30_000 });
        expect(outcome).toMatchObject({ code: 1, signal: null });
        expect(outcome.stderr).toMatch(message);
      }
      remove();
    },
    120_000,
  );
});

function removeBoth(directory: string): void {
  for (const name of ['model', 'checkpoints']) rmSync(join(directory, name), { recursive: true });
}

function damageCheckpoints(directory: string): void {
  rmSync(join(directory, 'model'), { recursive: true });
  for (const name of readdirSync(join(directory, 'checkpoints'))) {
    truncateSync(join(directory, 'checkpoints', name, 'weights.safetensors'), 100);
  }
}

describe('a run whose terminal or log goes away', () => {
  /** Starts a run with these streams, and a signal as soon as a checkpoint is there. */
  const started = (
    directory: string,
    stdio: [number | 'ignore' | 'pipe', number | 'pipe', 'pipe'],
    signal?: NodeJS.Signals,
  ): Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [PROGRAM, '--config', config, '--output', directory], { stdio });
      let stderr = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      child.stdout?.resume();
      const timer = setInterval(() => {
        if (signal === undefined || !existsSync(join(directory, 'checkpoints'))) return;
        child.kill(signal);
        child.kill(signal); // the shell says it, and so does the system
        clearInterval(timer);
      }, 20);
      child.on('close', (code, ended) => {
        clearInterval(timer);
        resolve({ code, signal: ended, stderr });
      });
    });

  async function goesOn(directory: string): Promise<void> {
    const resumed = await commandLine(['--resume', '--output', directory, '--quiet']);
    expect(resumed.stderr).toMatch(/^resumed from checkpoint /);
    expect(resumed.code).toBe(0);
    expect(readSummary(directory).weightsSha256).toBe(readSummary(whole).weightsSha256);
    expect(readMetrics(directory)).toEqual(readMetrics(whole));
  }

  it('ends with the step saved when its terminal is closed', async () => {
    const directory = join(folder.path, 'closed');
    const outcome = await started(directory, ['ignore', 'pipe', 'pipe'], 'SIGHUP');
    expect(outcome).toEqual({ code: 130, signal: null, stderr: '' });
    await goesOn(directory);
  }, 60_000);

  it('goes on under nohup, whose standard input cannot be read', async () => {
    const directory = join(folder.path, 'nohup');
    const unreadable = openSync('/dev/null', 'w');
    const outcome = await started(directory, [unreadable, 'pipe', 'pipe'], 'SIGHUP');
    closeSync(unreadable);
    expect(outcome).toEqual({ code: 0, signal: null, stderr: '' });
    expect(readSummary(directory).weightsSha256).toBe(readSummary(whole).weightsSha256);
  }, 60_000);

  it('ends with the step saved when the disk of its standard output is full', async () => {
    const directory = join(folder.path, 'full');
    const full = openSync('/dev/full', 'w');
    const outcome = await started(directory, ['ignore', full, 'pipe']);
    closeSync(full);
    expect(outcome).toEqual({
      code: 141,
      signal: null,
      stderr: 'standard output cannot be written: no space is left on its disk (ENOSPC)\n',
    });
    await goesOn(directory);
  }, 60_000);
});
