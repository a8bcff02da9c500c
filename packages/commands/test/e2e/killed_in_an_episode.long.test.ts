/** A run whose problems are played in turns, killed by SIGKILL while episodes are under way. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { budget } from '../../../../test/support/budget.ts';
import { commandLine, readMetrics, readSummary, temporaryFolder, writeConfig } from './command_line.ts';

/** The release check uses 20. */
const KILLS = Number(process.env.RLVR_KILLS ?? budget({ quick: 1, all: 1, release: 3 }));

/**
 * Say the digit that was shown, four times; the next one is drawn. Of the steps that follow an observation, the one that
 * `HALT` counts off makes that file and waits for the end: the process is killed between two turns of an episode.
 */
const ECHO = `
import { writeFileSync } from 'node:fs';
import { type Knobs, environmentTask, judgeNumber, options } from 'rlvr-train/tasks';

type State = { readonly shown: number; readonly said: number; readonly right: number };

let stepsToLive = Number(process.env.HALT_AT ?? 'Infinity');

function halt(): void {
  writeFileSync(process.env.HALT ?? '', '');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000);
}

const card = { name: 'echo', version: 1, category: 'own', tier: 1, knobs: options({}), levels: [] } as const;

export default environmentTask<number, State, Knobs>(card, {
  family: 'echo',
  characters: '012>',
  generate: (rng) => rng.int(0, 99),
  key: (first) => \`echo|\${first}\`,
  prompt: (first) => \`\${first % 3}>\`,
  start: (first) => ({ shown: first % 3, said: 0, right: 0 }),
  step({ shown, said, right }, action, _, rng) {
    if (said > 0 && --stepsToLive === 0) halt();
    const isRight = action === String(shown);
    const state = { shown: rng.int(0, 2), said: said + 1, right: right + (isRight ? 1 : 0) };
    const reward = isRight ? 0.25 : 0;
    if (said === 3) return { state, reward, verdict: judgeNumber(String(state.right), 4) };
    return { state, reward, observation: \`\${state.shown}>\` };
  },
  expert: ({ shown }) => String(shown),
  random: (_, __, rng) => String(rng.int(0, 2)),
  chance: () => 0.1,
  longest: () => ({ turns: 4, prompt: 2, action: 6, observation: 2 }),
});
`;

const CONFIG = `
task: {name: ./tasks/echo.ts}
model: {hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 48, initializer_range: 0.05}
seed: 3
save_seconds: 0.05
max_steps: 40
num_generations: 8
generation_batch_size: 64
learning_rate: 3.0e-3
num_iterations: 2
beta: 0.01
advantage_estimator: turn-return
dynamic_sampling: {name: refill, max_rounds: 1}
eval_steps: 20
num_generations_eval: 2
`;

/** What is played of a user's task before its run begins, and what its run plays at least. */
const [TRIAL_STEPS, RUN_STEPS] = [450, 4000];

const folder = temporaryFolder();
afterAll(() => folder.remove());

it(`killed in ${KILLS} episodes and resumed, a run has the weights, metrics and completions of one that was not`, async () => {
  mkdirSync(join(folder.path, 'tasks'));
  writeFileSync(join(folder.path, 'tasks/echo.ts'), ECHO);
  const config = writeConfig(folder.path, CONFIG);
  const flags = (output: string, isResumed = false): string[] => [
    ...['--config', config, '--output', join(folder.path, output), '--threads', '1'],
    ...(isResumed ? ['--resume'] : []),
  ];
  const whole = await commandLine(flags('whole'));
  expect(whole.stderr).toMatch(/^runs code from .*echo.ts, with your rights\n$/);
  expect(whole.code).toBe(0);

  const rng = rngFor(`kills|${KILLS}`);
  const directory = join(folder.path, 'killed');
  let inTheRun = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const halt = join(folder.path, `halt-${kill}`);
    const env = { HALT: halt, HALT_AT: String(TRIAL_STEPS + rng.int(1, Math.floor(RUN_STEPS / KILLS))) };
    const isResumed = existsSync(join(directory, 'fingerprint.json'));
    const killed = await commandLine(flags('killed', isResumed), { signal: 'SIGKILL', whenThere: halt }, { env });
    expect(killed).toMatchObject({ signal: 'SIGKILL' });
    if (existsSync(join(directory, 'fingerprint.json'))) inTheRun++;
  }
  expect(inTheRun).toBeGreaterThan(0);
  expect(await commandLine(flags('killed', true))).toMatchObject({ code: 0 });
  expect(readSummary(directory).weightsSha256).toBe(readSummary(join(folder.path, 'whole')).weightsSha256);
  expect(readMetrics(directory)).toEqual(readMetrics(join(folder.path, 'whole')));
  const completions = (place: string): string => readFileSync(join(folder.path, place, 'completions.jsonl'), 'utf8');
  expect(completions('killed')).toBe(completions('whole'));
  expect(completions('whole')).toContain('"label":"environment"');
}, 600_000);
