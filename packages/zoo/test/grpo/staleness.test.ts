/** Batches that wait: which weights sample each, what is learned from it and when, and that no kill is seen in any bit. */
import { describe, expect, it } from 'vitest';
import type { TrainEvent } from '../../../../src/grpo/events.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { method } from '../../../../src/methods/method.ts';
import type { OwnMethods } from '../../../../src/methods/method_list.ts';
import type { PromptSource } from '../../../../src/methods/points.ts';
import { ledger } from '../../../../src/methods/uses/ledger.ts';
import { scoresOf } from '../../../../test/grpo/step_parts.ts';
import { budget } from '../../../../test/support/budget.ts';
import { createMethods, parseConfig, remarksOn } from '../../../../test/support/everything.ts';
import { goOn, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../test/support/killed_runs.ts';
import { randomSequences } from '../../../../test/support/rollouts.ts';
import { smallConfig } from '../../../../test/support/small_runs.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { gradientsOf } from '../support/losses.ts';

const small = (lines: string, steps = 7) => ({ yaml: smallConfig(lines, steps) });
const TIS = 'vllm_importance_sampling_correction: true\nvllm_importance_sampling_mode: token_truncate';

type Rollouts = Extract<TrainEvent, { type: 'rollouts' }>;

/** Runs to the end, and looks at each batch while the weights are those that sampled it. */
async function eachBatch(run: TrainingRun, look: (event: Rollouts) => Promise<void> | void): Promise<void> {
  for await (const event of train(run)) if (event.type === 'rollouts') await look(event);
}

const versionsOf = ({ groups }: Rollouts) => [
  ...new Set(groups.flatMap(({ rollouts }) => rollouts.map(({ weightsVersion }) => weightsVersion))),
];

describe('staleness: k', () => {
  it.each([
    [1, 1, [0, 0, 1, 2, 3, 4, 5]],
    [3, 1, [0, 0, 0, 0, 1, 2, 3]],
    [2, 2, [0, 0, 0, 2]],
  ])(
    '%i samples batch b by the weights that batch b − k − 1 left, and none without a step',
    async (k, passes, versions) => {
      await withTossedRun(
        '',
        async (run) => {
          const seen: unknown[] = [];
          await eachBatch(run, async (event) => {
            seen.push(...versionsOf(event));
            const [{ prompt, rollouts }] = event.groups;
            const scores = await scoresOf(run, { prompt, completions: rollouts.map(({ tokens }) => tokens) });
            // Sampler and scorer agree on these very weights: what a batch is credited by is its own policy.
            expect(rollouts.map(({ logprobs }) => [...logprobs])).toEqual(scores.map(({ logprobs }) => [...logprobs]));
          });
          expect(seen).toEqual(versions);
          expect(run.journal.state.queue).toEqual([]);
        },
        small(`staleness: ${k}\nnum_iterations: ${passes}`),
      );
    },
  );

  it('says how old the completions of a step are, and their ratio; a step on fresh ones is checked as ever', async () => {
    await withTossedRun(
      '',
      async (run) => {
        const { metrics } = await goOn(run);
        expect(metrics.map(({ staleness }) => staleness)).toEqual([0, 1, 2, 2, 2, 2, 2]);
        expect(metrics[0]).toMatchObject({ 'importance_ratio/mean': 1, 'sampling/sampling_logp_difference/max': 0 });
        for (const later of metrics.slice(1)) {
          expect(later['sampling/sampling_logp_difference/mean']).toBeGreaterThan(0);
          expect(later['importance_ratio/mean']).not.toBe(1);
        }
      },
      small('staleness: 2'),
    );
  });

  it('samples what lag 0 samples, as long as no update moves a weight', async () => {
    const texts = (lines: string) =>
      withTossedRun(
        '',
        async (run) => {
          const all: string[] = [];
          await eachBatch(run, ({ groups }) => {
            all.push(...groups.flatMap(({ rollouts }) => rollouts.map(({ text }) => text)));
          });
          return all;
        },
        { ...small(lines, 5), overrides: ['learning_rate=1e-30'] },
      );
    const ahead = await texts('staleness: 3');
    expect(ahead).toHaveLength(5 * 16);
    expect(ahead).toEqual(await texts(''));
  });

  it('0 is the default: the same hash of the config, and the same weights', async () => {
    const configOf = (lines: string) => parseConfig(smallConfig(lines), { file: 'a.yaml' }).config;
    expect(configOf('staleness: 0')).toEqual(configOf(''));
    expect(configOf('staleness: 1')).not.toEqual(configOf(''));
    expect(await weightsAfter('staleness: 0')).toBe(await weightsAfter(''));
  });

  it.each([1, 4])('%i gives the same weights with any number of threads', async (k) => {
    const hashes = new Set<string>();
    for (const threads of [1, 2, 3]) {
      const backend = await wasmBackend({ threads, fma: false });
      hashes.add(await weightsAfter('', { ...small(`staleness: ${k}`), backend }));
    }
    expect(hashes.size).toBe(1);
  });

  const CHAINS = [
    'staleness: 4',
    `staleness: 1\nnum_iterations: 2\n${TIS}`,
    'staleness: 2\ndynamic_sampling: refill\nprompt_source: [{name: prioritized}]',
    'staleness: 1\nper_device_train_batch_size: 8\ngradient_accumulation_steps: 1\nrollout_strategies: [{name: replay-buffer}]\ntoken_weights: [{name: decoupled}, {name: icepop}]',
    'staleness: 2\nbeta: 0.1\nsync_ref_model: true\nref_model_sync_steps: 2\ncontrollers: [{name: temperature-schedule, sampling_temperature: {from: 1.4, to: 0.7}}]',
    'staleness: 1\nadvantage_estimator: sas\ncredit_steps: [self-certainty]',
  ];
  it.each(CHAINS.slice(0, budget({ quick: 3, all: 4, release: CHAINS.length })))(
    'is one run with what waits in its checkpoint: %s',
    async (lines) => {
      const { whole, killed } = await wholeAndKilled('', small(lines));
      expect(killed).toEqual(whole);
    },
  );

  it('shows a source the verdicts of a batch once that is trained on: k batches late', async () => {
    const known: number[] = [];
    const counting = method({
      id: 'counting',
      about: { does: 'Counts the problems of the ledger.', formula: 'n', source: 'own', certainty: 'own' },
      uses: () => [ledger()],
      create: (): PromptSource => ({
        next(count, draw, context) {
          known.push([...context.ledger.entries()].length);
          return draw(count);
        },
      }),
    });
    const methods: OwnMethods = { './counting.ts': counting };
    await withTossedRun('', async (run) => void (await goOn(run)), {
      ...small('staleness: 2\nprompt_source: ./counting.ts'),
      methods,
    });
    const [first, second, third, fourth, fifth] = known;
    expect([first, second, third]).toEqual([0, 0, 0]);
    expect(fourth).toBeGreaterThan(0);
    expect(fifth).toBeGreaterThan(fourth);
  });

  it('leaves a queue of one stage to no other', async () => {
    const stages =
      'stages:\n  - {stage: grpo, max_steps: 3, staleness: 2, learning_rate: 0.01}\n  - {stage: grpo, max_steps: 3, staleness: 1, learning_rate: 0.01}\n';
    const yaml =
      `${smallConfig('').replace(/(max_steps|learning_rate|num_gen|generation_batch|reward_f|eval_st).*\n/g, '')}${stages}`.replaceAll(
        'learning_rate: 0.01',
        'learning_rate: 0.01, num_generations: 4, generation_batch_size: 16, eval_strategy: "no", reward_funcs: [lcs]',
      );
    const { whole, killed } = await wholeAndKilled('', { yaml });
    expect(killed).toEqual(whole);
    expect(whole.metrics.map((step) => (step as { staleness?: number }).staleness)).toEqual([0, 1, 2, 0, 1, 1]);
  });
});

/** Random sequences that were sampled by a policy to which each token was so much less probable, in nats. */
const moved = (by: (t: number) => number) =>
  randomSequences(51, 6).map((sequence) => {
    const { oldLogprobs, rollout } = sequence;
    const logprobs = oldLogprobs.map((value, t) => value - by(t));
    const keptLogMass = new Float32Array(oldLogprobs.length);
    return { ...sequence, rollout: { ...rollout, logprobs, keptLogMass, proximalLogprobs: oldLogprobs } };
  });

describe('what corrects for it', () => {
  const STALE = 'staleness: 1';
  const WEIGHT = 1.5;
  const all = moved(() => Math.log(WEIGHT));
  const fresh = moved(() => 0);
  const expectFactors = (found: ReturnType<typeof gradientsOf>, factor: (t: number) => number): void => {
    const plain = gradientsOf(fresh, STALE);
    found.forEach(({ losses }, i) => {
      losses.forEach((loss, t) => expect(loss).toBeCloseTo(factor(t) * plain[i].losses[t], 5));
    });
  };

  it('tis weighs by the policy over what sampled, up to its bound, and not at lag 0', () => {
    expectFactors(gradientsOf(all, `${STALE}\n${TIS}`), () => WEIGHT);
    const sequence = TIS.replace('token', 'sequence');
    for (const mode of [TIS, sequence]) {
      expectFactors(gradientsOf(all, `${STALE}\n${mode}\nvllm_importance_sampling_clip_max: 1.2`), () => 1.2);
    }
    expectFactors(gradientsOf(all, TIS), () => 1);
  });

  it('icepop leaves tokens out on which the policy has moved out of its band', () => {
    const odd = moved((t) => (t % 2) * Math.log(WEIGHT));
    const icepop = 'token_weights: [{name: icepop, band_high: 1.4}]';
    expectFactors(gradientsOf(odd, `${STALE}\n${icepop}`), (t) => (t % 2 === 1 ? 0 : 1));
    expectFactors(gradientsOf(odd, icepop), () => 1);
  });

  const saidOf = (lines: string): string[] => remarksOn(stageOf(lines)).map(({ text }) => text);

  it('is what a stage is told to use whose objective does not; two that do the same are refused', () => {
    expect(saidOf(STALE)).toEqual([]);
    expect(saidOf(`${STALE}\nobjective: reinforce`)).toEqual([expect.stringContaining('1 batches after')]);
    expect(saidOf(`${STALE}\nobjective: reinforce\n${TIS}`)).toEqual([]);
    expect(saidOf(`${STALE}\ntoken_weights: [decoupled]`)).toEqual([]);
    expect(saidOf(`${STALE}\ntoken_weights: [icepop]`)).toEqual([
      expect.stringContaining('is meant to have tis beside'),
    ]);
    const twice = () => createMethods(stageOf(`${STALE}\n${TIS}\ntoken_weights: [decoupled]`));
    expect(twice).toThrow('would count twice');
  });

  it('is of no use where every batch would be sampled before the first update', () => {
    expect(() => stageOf('staleness: 10')).toThrow('max_steps 10 is 10 batches, so that all would be sampled');
    expect(() => stageOf('num_iterations: 5\nstaleness: 2')).toThrow('use at most 1');
    expect(() => stageOf('staleness: -1')).toThrow('staleness');
    expect(stageOf('staleness: 9').staleness).toBe(9);
  });
});
