/** A loss on what the environment says: which tokens have it, what it weighs, and that the policy's own have none of it. */
import { describe, expect, it } from 'vitest';
import type { CreditedGroup } from '../../../../../src/methods/records.ts';
import { packBatch } from '../../../../../src/model/batch.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { collect, credit, gradientOf, reinforced, update } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { finishSmallRun, plainWasm } from '../../../../../test/support/small_runs.ts';
import { stageOf } from '../../../../../test/support/stages.ts';

/** So many episodes that an untrained policy ends some of its turns. */
const PLAYED = {
  task: { name: 'guess_number', max: 9, numbers: 5, turns: 3 },
  num_generations: 16,
  generation_batch_size: 96,
};

/** Every token that another than the policy wrote, by completion. */
function observed(groups: readonly CreditedGroup[]) {
  return groups.flatMap(({ prompt, rollouts }) =>
    rollouts.flatMap(({ tokens, turns = [] }) => {
      let begin = 0;
      const places: number[] = [];
      for (const turn of turns) {
        if (turn.label !== 'policy') for (let t = 0; t < turn.tokens.length; t++) places.push(begin + t);
        begin += turn.tokens.length;
      }
      return places.length === 0 ? [] : [{ prompt, tokens, places }];
    }),
  );
}

describe('observation-nll', () => {
  it('adds −coef·mean log π over the tokens of observations, and the gradient of that, whatever the micro-batches', async () => {
    for (const completions of [96, 16]) {
      const keys = { ...PLAYED, learning_rate: 1e-30, per_device_train_batch_size: completions };
      const stepWith = async (terms: readonly unknown[]) => {
        const run = await reinforced({ ...keys, loss_terms: terms });
        const groups = await credit(run, (await collect(run)).groups);
        const { totals } = await update(run, groups, { onPolicy: true });
        return { run, groups, totals, gradient: await gradientOf(run) };
      };
      const plain = await stepWith([]);
      const { run, groups, totals, gradient } = await stepWith([{ name: 'observation-nll', observation_coef: 0.5 }]);
      const said = observed(groups);
      const count = said.reduce((sum, { places }) => sum + places.length, 0);
      expect(count).toBeGreaterThan(4);

      const { policy } = run.engine;
      let nll = 0;
      for (const { prompt, tokens, places } of said) {
        const batch = packBatch([{ prompt, completions: [tokens] }]);
        const { logprobs } = await policy.forward(batch, 1);
        const slopes = new Float32Array(batch.lossRowCount);
        for (let row = 0; row < slopes.length; row++) {
          if (!places.includes(batch.tokenOf[row])) continue;
          nll -= logprobs[row] / count;
          slopes[row] = -0.5 / count;
        }
        await policy.backward({ logprobs: slopes });
      }
      await policy.optimize({ ...stageOf().optimizer, learningRate: 1e-30, maxGradNorm: 0, adamStep: 2 });
      const alone = await gradientOf(run);
      const apart = gradient.map((value, i) => value - plain.gradient[i] - alone[i]);
      expect(Math.hypot(...alone)).toBeGreaterThan(0.01);
      expect(Math.hypot(...apart)).toBeLessThanOrEqual(1e-6 * Math.hypot(...alone));
      expect(totals.measured['observation-nll/nll']).toBeCloseTo(nll, 5);
      expect(totals.loss - plain.totals.loss).toBeCloseTo(0.5 * nll, 5);
      expect(totals.rows).toBe(plain.totals.rows);
    }
  });

  it('gives the policy own tokens, and episodes without an answer, none of it', async () => {
    const run = await reinforced({ ...PLAYED, loss_terms: ['observation-nll'] });
    const groups = await credit(run, (await collect(run)).groups);
    const term = createMethods(stageOf('loss_terms: [observation-nll]')).lossTerms[1].part;
    term.begin?.(groups, {} as never);
    const texts = term.texts?.({} as never) ?? [];
    expect(texts.length).toBe(observed(groups).length);
    for (const [i, { tokens, labels = new Uint8Array() }] of texts.entries()) {
      const { places } = observed(groups)[i];
      expect([...labels].flatMap((kind, t) => (kind === TOKEN.given ? [] : [t]))).toEqual(places);
      const scored = { ...texts[i], logprobs: new Float32Array(tokens.length).fill(-1), entropies: new Float32Array() };
      const zeros = () => new Float64Array(tokens.length);
      const gradient = { losses: zeros(), dLogprobs: zeros(), dEntropies: zeros() };
      term.addTexts?.([scored], [gradient], {} as never);
      const moved = [...gradient.dLogprobs].flatMap((slope, t) => (slope === 0 ? [] : [t]));
      expect(moved).toEqual(places);
    }
    term.begin?.(
      [{ ...groups[0], rollouts: groups[0].rollouts.map((one) => ({ ...one, inLoss: false })) }],
      {} as never,
    );
    expect(term.texts?.({} as never)).toEqual([]);
    expect(term.afterUpdate?.({ entropy: 1 })).toBeUndefined();
  });

  it('makes observations likelier, follows its schedule, and at 0 changes no bit', async () => {
    const lines = (term: string) => `
task: {name: guess_number, max: 9, numbers: 5, turns: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
max_steps: 8
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 16
eval_strategy: "no"
reward_funcs: [{name: accuracy, weight: 1}, {name: ./any.ts, weight: 1}]
${term}`;
    const rewards = {
      './any.ts': {
        name: 'any',
        score: ({ completions }: { completions: readonly string[] }) => completions.map((_, i) => i % 3),
      },
    };
    const run = async (term: string) => finishSmallRun(await plainWasm(), { yaml: lines(term), rewards });
    const nllOf = ({ metrics }: Awaited<ReturnType<typeof run>>): number =>
      metrics
        .flatMap((step) => step['observation-nll/nll'] ?? [])
        .map(Number)
        .at(-1) ?? Number.NaN;
    const [none, off, on, moving] = [
      await run(''),
      await run('loss_terms: [{name: observation-nll, observation_coef: 0}]'),
      await run('loss_terms: [{name: observation-nll, observation_coef: 1}]'),
      await run('loss_terms: [{name: observation-nll, observation_coef: {from: 1, to: 0, over: 1}}]'),
    ];
    expect(off.sha256).toBe(none.sha256);
    expect(nllOf(on)).toBeLessThan(nllOf(off));
    expect(new Set([off.sha256, on.sha256, moving.sha256]).size).toBe(3);
  });

  it('is refused to a task of one turn, before step 1', async () => {
    await expect(reinforced({ loss_terms: ['observation-nll'] })).rejects.toThrow(
      'observation-nll: tells the turns of an episode apart, and reverse_text is answered in one',
    );
  });
});
