/**
 * Ctrl-C at random moments of a run of a real model: within two seconds, or a step, and after the resume the bits of a run that
 * was not stopped. CI stops it at two moments of a small run, `RLVR_STOPS=30` at 30 with half the completions a step of
 * configs/smollm2.yaml, and prints each; that takes half an hour on two cores.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rngFor } from '../../../../src/kernels/philox.ts';
import {
  commandLine,
  readMetrics,
  readSummary,
  temporaryFolder,
  writeConfig,
} from '../../../commands/test/e2e/command_line.ts';
import { SMOLLM2, SMOLLM2_IS_MISSING } from '../support/smollm2.ts';

const STOPS = Number(process.env.RLVR_STOPS ?? 2);
const IS_SMALL = STOPS <= 2;
/** Runs that are stopped until they end, one after the other: each ends sooner or later however often it is stopped. */
const ROUNDS = IS_SMALL ? 1 : STOPS;

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** The shipped config, with fewer steps, and smaller ones for CI. */
const SETTINGS = {
  model_name_or_path: SMOLLM2,
  max_steps: IS_SMALL ? 1 : 6,
  eval_steps: IS_SMALL ? 1 : 3,
  eval_samples: IS_SMALL ? 4 : 16,
  generation_batch_size: IS_SMALL ? 10 : 40,
  per_device_train_batch_size: IS_SMALL ? 10 : 20,
  warmup_steps: 1,
  threads: 2,
};

interface Stop {
  /** What the session said last: how far it was, and what it will do again. */
  readonly said: string;
  readonly ms: number;
}

const completionsOf = (directory: string): string => readFileSync(join(directory, 'completions.jsonl'), 'utf8');

/** What `--json` says of a session: that a stage begins or continues, and what was done. */
const EVENTS = /"event":"(stage|step|evaluation)"/g;

describe.skipIf(SMOLLM2_IS_MISSING)('SmolLM2-135M-Instruct', () => {
  it(`stopped at ${STOPS} random moments and resumed has the weights and logs of a run that was not`, async () => {
    const text = readFileSync(new URL('../../../../configs/smollm2.yaml', import.meta.url), 'utf8');
    const config = writeConfig(folder.path, text);
    const flags = Object.entries(SETTINGS).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
    const command = (output: string): string[] => ['--config', config, ...flags, '--output', output, '--json'];
    const whole = join(folder.path, 'whole');
    const ended = await commandLine(command(whole));
    expect(ended.stderr).toBe('');
    const stepMs = 1000 * Math.max(...stepTimes(whole));
    if (!IS_SMALL) console.info(`a step takes ${Math.round(stepMs)} ms at most`);

    const rng = rngFor(`stops|${STOPS}`);
    const stops: Stop[] = [];
    for (let round = 0; round < ROUNDS && stops.length < STOPS; round++) {
      const stopped = join(folder.path, `stopped-${round}`);
      for (let isOver = false; !isOver; ) {
        const resume = existsSync(join(stopped, 'fingerprint.json')) ? ['--resume'] : [];
        const isStopped = stops.length < STOPS;
        // After the next event in half of the cases, so that the run gets on; then anywhere in a step or an evaluation.
        let left = rng.float() < 0.5 ? 1 : 2;
        const afterMs = rng.float() * 1.5 * stepMs;
        let at = 0;
        const { code, stdout, stderr } = await commandLine([...command(stopped), ...resume], undefined, {
          heard: (output, child) => {
            if (!isStopped || left <= 0) return;
            left -= output.match(EVENTS)?.length ?? 0;
            if (left > 0) return;
            setTimeout(() => {
              at = performance.now();
              child.kill('SIGINT');
            }, afterMs);
          },
        });
        const ms = performance.now() - at;
        expect(stderr).toBe('');
        isOver = code === 0;
        if (isOver) continue;
        expect(code).toBe(130);
        const {
          step,
          is_saved: isSaved,
          done_again: again,
        } = JSON.parse(stdout.trimEnd().split('\n').at(-1) as string);
        const said = `${isSaved ? `saved at step ${step}` : 'nothing to save yet'}, ${again ?? 'nothing'} again`;
        stops.push({ said, ms });
        // At once: a busy machine may take longer than the test has, and what was measured is then known.
        if (!IS_SMALL)
          console.info(`${String(stops.length).padStart(2)}  ${String(Math.round(ms)).padStart(5)} ms  ${said}`);
      }
      expect(readSummary(stopped).weightsSha256).toBe(readSummary(whole).weightsSha256);
      expect(readMetrics(stopped)).toEqual(readMetrics(whole));
      expect(completionsOf(stopped)).toBe(completionsOf(whole));
    }
    if (IS_SMALL) expect(stops.length).toBeGreaterThan(0);
    else expect(stops.length).toBe(STOPS);
    // A machine that is busy stops later: the promise is measured where nothing else runs.
    if (!IS_SMALL) for (const { ms, said } of stops) expect(ms, said).toBeLessThan(Math.max(2000, stepMs));
  }, 3_600_000);
});

function stepTimes(directory: string): number[] {
  const lines = readFileSync(join(directory, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) => JSON.parse(line).step_time ?? []);
}
