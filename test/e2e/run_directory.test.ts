/** A run directory under attack from outside: a second process, a directory that is removed. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rngFor } from '../../src/kernels/philox.ts';
import { commandLine, readMetrics, readSummary, SMALL_CONFIG, temporaryFolder, writeConfig } from './command_line.ts';

/** Trials with two processes; the release check sets 20 kills, and so many trials. */
const TRIALS = Number(process.env.RLVR_KILLS ?? 3);

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
      const at = Math.floor(rng.float() * 40);
      let second: ReturnType<typeof commandLine> | undefined;
      let steps = 0;
      const first = commandLine([...flags.filter((flag) => flag !== '--quiet'), '--json'], undefined, {
        heard: (text) => {
          steps += text.split('"event":"step"').length - 1;
          const resume = trial % 2 === 0 ? ['--resume'] : [];
          if (steps >= at) second ??= commandLine([...flags, ...resume]);
        },
      });
      expect(await first).toMatchObject({ code: 0, stderr: '' });
      const refused = await second;
      expect(refused?.stderr).toMatch(/ {2}a run with pid \d+ is under way here, since /);
      expect(refused?.code).toBe(1);
      expect(readSummary(directory).weightsSha256).toBe(readSummary(whole).weightsSha256);
      expect(readMetrics(directory)).toEqual(readMetrics(whole));
      expect(completions(directory)).toBe(completions(whole));
    }
  }, 600_000);

  it('says that its directory was removed, and fails', async () => {
    const directory = join(folder.path, 'removed');
    const { code, stderr } = await commandLine(['--config', config, '--output', directory], undefined, {
      heard: (text) => {
        if (text.includes('grpo')) rmSync(directory, { recursive: true, force: true });
      },
    });
    expect(stderr).toContain(`${directory}  was removed while this run was under way`);
    expect(code).toBe(1);
  }, 60_000);
});
