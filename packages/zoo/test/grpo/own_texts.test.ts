/** Texts that a term of the loss trains on beside the rollouts: which they are, what they weigh, and that nothing else changes. */
import { describe, expect, it } from 'vitest';
import type { TrainEvent } from '../../../../src/grpo/events.ts';
import { stageOf } from '../../../../src/grpo/run.ts';
import { type Method, method } from '../../../../src/methods/method.ts';
import type { LossTerm, ScoredText } from '../../../../src/methods/points.ts';
import type { StepMetrics } from '../../../../src/methods/records.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import type { RewardBatch } from '../../../../src/rewards/reward_function.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import {
  type Answer,
  answered,
  collect,
  credit,
  gradientOf,
  reinforced,
  update,
} from '../../../../test/grpo/step_parts.ts';
import { killedAndResumed } from '../../../../test/support/killed_runs.ts';
import { finishRun, finishSmallRun, plainWasm, type SmallRun } from '../../../../test/support/small_runs.ts';
import { demonstrations } from '../../methods/uses/room.ts';

const ANSWERS: readonly Answer[] = [
  { text: 'ab', reward: 1 },
  { text: 'abcde', reward: 0 },
  { text: '', reward: 0.5 },
  { text: 'zyx', reward: 0.25 },
];

describe('the gradient of demonstrations', () => {
  const DRAWN = 7;
  const seen: ScoredText[] = [];
  const shows: Method<unknown> = method({
    id: 'shows',
    about: { does: 'Shows.', formula: 'x', source: 'own', certainty: 'own' },
    options: {},
    uses: () => [demonstrations],
    create: (): LossTerm => ({
      coupling: 'token',
      device: {},
      add() {},
      texts: ({ demonstrations }) => demonstrations(5),
      addTexts(texts, gradients) {
        seen.push(...texts);
        texts.forEach(({ logprobs }, i) => {
          logprobs.forEach((logprob, t) => {
            gradients[i].losses[t] -= 0.25 * logprob;
            gradients[i].dLogprobs[t] -= 0.25;
          });
        });
      },
    }),
  });

  it('joins that of the rollouts, whole micro-batches apart', async () => {
    for (const completions of [12, 4]) {
      seen.length = 0;
      const keys = { learning_rate: 1e-30, temperature: 0.8, per_device_train_batch_size: completions };
      const gradientWith = async (terms: readonly string[]) => {
        const run = await reinforced({ ...keys, loss_terms: terms }, { methods: { './shows.ts': shows } });
        const groups = await credit(run, await answered(run, [ANSWERS, ANSWERS, ANSWERS]));
        run.journal.state.itemsDrawn = DRAWN;
        const { totals } = await update(run, groups, { onPolicy: true });
        return { run, totals, gradient: await gradientOf(run) };
      };
      const [plain, both] = [await gradientWith([]), await gradientWith(['./shows.ts'])];
      const { run } = both;
      const known = Array.from({ length: DRAWN }, (_, index) => {
        const item = run.engine.tasks.trainItem(run.config.seed, index);
        return String(run.engine.tasks.demonstrationTokens(item, run.config.seed, index));
      });
      expect(seen).toHaveLength(5);
      for (const { tokens } of seen) expect(known).toContain(String(tokens));

      let loss = 0;
      for (const text of seen) {
        const batch = packBatch([{ prompt: text.prompt, completions: [text.tokens] }]);
        const { logprobs } = await run.engine.policy.forward(batch, 0.8);
        for (const logprob of logprobs) loss -= 0.25 * logprob;
        const dLogprobs = new Float32Array(batch.lossRowCount).fill(-0.25);
        await run.engine.policy.backward({ logprobs: dLogprobs });
      }
      await run.engine.policy.optimize({ ...stageOf(run).optimizer, learningRate: 1e-30, adamStep: 2 });
      const alone = await gradientOf(run);
      const norm = Math.hypot(...alone);
      const apart = both.gradient.map((value, i) => value - plain.gradient[i] - alone[i]);
      expect(norm).toBeGreaterThan(0.1);
      expect(Math.hypot(...apart)).toBeLessThanOrEqual(1e-6 * norm);
      expect(both.totals.loss - plain.totals.loss).toBeCloseTo(loss, 5);
      expect(both.totals.rows).toBe(plain.totals.rows);
    }
  });

  it('is that of episodes without what their teacher reads, where the task is played', async () => {
    const task = { name: 'guess_number', max: 9, numbers: 5, turns: 3 };
    const run = await reinforced({ task, loss_terms: ['./shows.ts'] }, { methods: { './shows.ts': shows } });
    const groups = await credit(run, (await collect(run)).groups);
    run.journal.state.itemsDrawn = DRAWN;
    seen.length = 0;
    await update(run, groups, { onPolicy: true });
    const { tasks } = run.engine;
    const known = Array.from({ length: DRAWN }, (_, index) =>
      tasks.demonstration(tasks.trainItem(run.config.seed, index), run.config.seed, index),
    );
    expect(seen).toHaveLength(5);
    for (const { prompt, tokens, labels, logprobs } of seen) {
      expect(known).toContainEqual({ prompt, tokens, labels });
      // What was given was not scored.
      expect([...logprobs].map((value) => value === 0)).toEqual(
        [...(labels ?? [])].map((kind) => kind === TOKEN.given),
      );
    }
    expect(seen.some(({ labels }) => labels?.includes(TOKEN.given))).toBe(true);
  });

  it.each([
    [0, 3],
    [400, 3],
    [3, 400],
  ])('is refused for texts that do not fit: %s prompt tokens, and %s', async (prompt, tokens) => {
    const long: Method<unknown> = {
      ...shows,
      create: (): LossTerm => ({
        coupling: 'token',
        add() {},
        texts: () => [{ prompt: new Int32Array(prompt), tokens: new Int32Array(tokens) }],
      }),
    };
    const run = await reinforced({ loss_terms: ['./long.ts'] }, { methods: { './long.ts': long } });
    const groups = await credit(run, await answered(run, [ANSWERS]));
    await expect(update(run, groups, { onPolicy: true })).rejects.toThrow(
      new RegExp(`shows trains on a text of ${prompt} prompt tokens and ${tokens} further ones — this run has room`),
    );
  });

  it('stops the run where it is not finite', async () => {
    const breaks: Method<unknown> = {
      ...shows,
      create: (): LossTerm => ({
        coupling: 'token',
        add() {},
        texts: ({ demonstrations }) => demonstrations(1),
        addTexts(_, [{ losses }]) {
          losses[0] = Number.NaN;
        },
      }),
    };
    const run = await reinforced({ loss_terms: ['./breaks.ts'] }, { methods: { './breaks.ts': breaks } });
    const groups = await credit(run, await answered(run, [ANSWERS]));
    await expect(update(run, groups, { onPolicy: true })).rejects.toThrow(
      /step 1: the loss of shows on texts of its own is NaN/,
    );
  });
});

const STAGES = `
task: {name: reverse_text, min_length: 2, max_length: 4}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
eval_strategy: "no"
reward_funcs: [lcs]
stages:
  - {stage: sft, max_steps: 4, per_device_train_batch_size: 8, learning_rate: 1.0e-2}
  - {stage: grpo, max_steps: 6, learning_rate: 1.0e-2, num_generations: 4, generation_batch_size: 16`;
const small = (more: string): SmallRun => ({ yaml: `${STAGES}${more}}\n` });
const REPLAY = ', loss_terms: [{name: sft-replay, replay_coef: 1, replay_count: 8}]';

describe('sft-replay', () => {
  it('keeps demonstrations likely', async () => {
    const nll = (metrics: readonly StepMetrics[]): number[] =>
      metrics.slice(-6).map((m) => Number(m['sft-replay/nll']));
    const [with1, with0] = [
      await finishSmallRun(await plainWasm(), small(REPLAY)),
      await finishSmallRun(await plainWasm(), small(REPLAY.replace('replay_coef: 1', 'replay_coef: 0'))),
    ];
    expect(nll(with1.metrics)[0]).toBe(nll(with0.metrics)[0]);
    expect(nll(with1.metrics)[5]).toBeLessThan(nll(with0.metrics)[5]);
    // It draws no problem, and weighs nothing at 0.
    expect(with0.sha256).toBe((await finishSmallRun(await plainWasm(), small(''))).sha256);
  });

  it('goes on from a checkpoint to the same bits', async () => {
    const whole = await finishSmallRun(await plainWasm(), small(REPLAY));
    const isThere = (event: TrainEvent) => event.type === 'step' && event.stage === 'grpo' && event.step === 3;
    const { resumed } = await killedAndResumed(small(REPLAY), isThere);
    expect((await finishRun(resumed)).sha256).toBe(whole.sha256);
  });

  it('has room for demonstrations that are longer than what the stage may sample', async () => {
    const short = 'max_completion_length: 1, num_generations: 2, generation_batch_size: 2';
    const yaml = STAGES.replace(/\n {2}- \{stage: sft.*/, '').replace(/num_generations: 4.*$/, `${short}${REPLAY}}\n`);
    const coin = { name: 'coin', score: ({ completions }: RewardBatch) => completions.map((_, i) => i % 2) };
    const { metrics } = await finishSmallRun(await plainWasm(), {
      yaml: yaml
        .replace('[lcs]', '[./coin.ts]')
        .replace(/min_length: 2, max_length: 4/, 'min_length: 20, max_length: 20'),
      rewards: { './coin.ts': coin },
    });
    expect(metrics).toHaveLength(6);
  });
});
