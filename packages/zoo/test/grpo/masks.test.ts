/** What an environment says in an episode is read and never learned: figures over tens of thousands of tokens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchRecord } from '../../../../src/diagnostics/records.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { scoreSequences } from '../../../../src/grpo/score/score_sequences.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { tokenGroups } from '../../../../src/grpo/update/credit.ts';
import type { CreditedGroup, Rollout, RolloutGroup } from '../../../../src/methods/records.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import type { RewardBatch, RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import {
  collect,
  credit,
  metricsOf,
  reinforced,
  scoresOf,
  slopes,
  tokensOf,
  update,
} from '../../../../test/grpo/step_parts.ts';
import { openSmallRun, plainWasm } from '../../../../test/support/small_runs.ts';

const isGiven = ({ labels }: Rollout, t: number): boolean => labels?.[t] === TOKEN.given;
const sampledPlaces = (rollout: Rollout): number[] => [...rollout.tokens.keys()].filter((t) => !isGiven(rollout, t));

/** Episodes of a policy that has learned to end its turns, so that most of them have several. */
const WARM = `
task: {name: guess_number, max: 99, numbers: 31, turns: 6}
model: {hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 4, num_key_value_heads: 2, intermediate_size: 48}
seed: 2
eval_strategy: "no"
stages:
  - {stage: sft, max_steps: 60, per_device_train_batch_size: 32, learning_rate: 1.0e-2}
  - {stage: grpo, max_steps: 1, num_generations: 16, generation_batch_size: 2048, per_device_train_batch_size: 256}
`;

/** A run at its first update, whose weights are those that have sampled the episodes. */
async function playWarm(): Promise<{ readonly run: TrainingRun; readonly groups: readonly RolloutGroup[] }> {
  const run = await openSmallRun(await plainWasm(), { yaml: WARM });
  for await (const event of train(run)) if (event.type === 'rollouts') return { run, groups: event.collected.groups };
  throw new Error('no episode was played');
}

let warm: Awaited<ReturnType<typeof playWarm>>;

beforeAll(async () => {
  warm = await playWarm();
});

afterAll(() => warm.run.engine.policy.close());

const LOSS_TYPES = ['grpo', 'bnpo', 'dr_grpo', 'dapo'] as const;
/** Tokens of three actions and the two observations between them. */
const LONGEST = 3 * 2 + 2;
const GUESS = { task: { name: 'guess_number', max: 9, numbers: 5, turns: 3 } };
const SECONDS = { sft: 0, rollout: 0, verify: 0, update: 0, eval: 0 };
const LARGER = { num_generations: 12, generation_batch_size: 96 };

/** −Σ c·A·ratio over the tokens that count, one micro-batch; only what counts is in a normaliser. */
async function lossOver(
  run: TrainingRun,
  groups: readonly CreditedGroup[],
  type: (typeof LOSS_TYPES)[number],
  countsAt: (rollout: Rollout, t: number) => boolean,
): Promise<number> {
  const countOf = (rollout: Rollout): number => [...rollout.tokens.keys()].filter((t) => countsAt(rollout, t)).length;
  const all = groups.flatMap(({ rollouts }) => rollouts);
  const tokens = all.reduce((sum, rollout) => sum + countOf(rollout), 0);
  let loss = 0;
  for (const group of groups) {
    const scores = await scoresOf(run, tokensOf(group));
    group.rollouts.forEach((rollout, i) => {
      const c = {
        grpo: 1 / (all.length * countOf(rollout)),
        bnpo: 1 / tokens,
        dr_grpo: 1 / (all.length * LONGEST),
        dapo: 1 / tokens,
      }[type];
      scores[i].logprobs.forEach((logprob, t) => {
        if (countsAt(rollout, t)) loss -= c * group.advantages[i] * Math.exp(logprob - rollout.logprobs[t]);
      });
    });
  }
  return loss;
}

describe('tokens after an observation', () => {
  it('have the log-probs of the scorer, max |Δ| = 0 over more than 10,000 of them', async () => {
    const { run, groups } = warm;
    const episodes = groups.flatMap(({ prompt, rollouts }) => rollouts.map((rollout) => ({ prompt, rollout })));
    const scores = await scoreSequences(
      run.engine.policy,
      episodes.map(({ prompt, rollout: { tokens, labels } }) => ({ prefix: prompt, tokens, labels })),
      { temperature: 1 },
    );
    let [after, worst] = [0, 0];
    episodes.forEach(({ rollout }, i) => {
      const first = rollout.labels?.indexOf(TOKEN.given) ?? -1;
      for (const t of sampledPlaces(rollout)) {
        worst = Math.max(worst, Math.abs(rollout.logprobs[t] - scores[i].logprobs[t]));
        if (first >= 0 && t > first) after++;
      }
    });
    expect(worst).toBe(0);
    expect(after).toBeGreaterThan(10_000);
  });
});

describe('tokens of an observation', () => {
  it('have no loss row: a batch has one for each sampled token, and no other', async () => {
    const { groups } = warm;
    const { completionOf, tokenOf } = packBatch(groups.flatMap(tokenGroups));
    const rows = Array.from(completionOf, (completion, row) => `${completion}/${tokenOf[row]}`);
    const sampled = groups
      .flatMap(({ rollouts }) => rollouts)
      .flatMap((rollout, completion) => sampledPlaces(rollout).map((t) => `${completion}/${t}`));
    expect(new Set(rows)).toEqual(new Set(sampled));
    expect(rows).toHaveLength(sampled.length);
    expect(groups.flatMap(({ rollouts }) => rollouts).some(({ labels }) => labels?.includes(TOKEN.given))).toBe(true);
  });

  it.each(LOSS_TYPES)('move no weight: the gradient of %s is that of the sampled tokens', async (type) => {
    const run = await reinforced({ ...GUESS, ...LARGER, loss_type: type, learning_rate: 1e-30 });
    const played = (await collect(run)).groups.map((group) => ({
      ...group,
      dead: false,
      rollouts: group.rollouts.map((rollout, i) => ({ ...rollout, reward: i * i, rewardParts: [i * i] })),
    }));
    const groups = await credit(run, played);
    expect(groups.flatMap(({ rollouts }) => rollouts).filter(({ labels }) => labels).length).toBeGreaterThan(3);
    await update(run, groups, { onPolicy: true });
    const sampled = await slopes(run, () => lossOver(run, groups, type, (rollout, t) => !isGiven(rollout, t)));
    expect(Math.abs(sampled.gradient - sampled.differences)).toBeLessThan(1e-6 * sampled.norm);
    const all = await slopes(run, () => lossOver(run, groups, type, () => true));
    expect(Math.abs(all.gradient - all.differences)).toBeGreaterThan(1e-3 * all.norm);
    await run.engine.policy.close();
  });
});

describe('the length of an episode', () => {
  it('is that of what the policy wrote, in metrics, to rewards, and for diagnostics', async () => {
    const read: RewardBatch['completionTokens'][] = [];
    const lengths: RewardFunction = {
      name: 'lengths',
      score: ({ completionTokens }) => {
        read.push(completionTokens);
        return completionTokens.map(({ length }) => length);
      },
    };
    const reward_funcs = ['lengths', { name: 'soft_overlong', max_tokens: 4, cache: 2 }];
    const run = await reinforced({ ...GUESS, ...LARGER, reward_funcs }, { rewards: { lengths } });
    const collected = await collect(run);
    const rollouts = collected.groups.flatMap((group) => group.rollouts);
    const own = rollouts.map((rollout) => sampledPlaces(rollout).map((t) => rollout.tokens[t]));
    expect(rollouts.some(({ tokens }, i) => tokens.length > own[i].length)).toBe(true);
    expect(read.flat().map((tokens) => [...tokens])).toEqual(own);
    const pay = (length: number): number => (length <= 2 ? 0 : length > 4 ? -1 : (2 - length) / 2);
    expect(rollouts.map(({ rewardParts }) => rewardParts)).toEqual(own.map(({ length }) => [length, pay(length)]));
    const mean = own.reduce((sum, { length }) => sum + length, 0) / own.length;
    const longest = Math.max(...own.map(({ length }) => length));
    const result = await update(run, await credit(run, collected.groups), { onPolicy: true });
    const figures = metricsOf(run, result, collected);
    expect(figures['completions/mean_length']).toBeCloseTo(mean, 12);
    expect(figures['completions/max_length']).toBe(longest);
    const record = batchRecord(1, collected, { before: SECONDS, now: SECONDS });
    expect(record.meanLength).toBeCloseTo(mean, 12);
    expect(record.longest).toBe(2); // tokens of the longest turn, whose limit cuts
    expect(run.journal.state.tokens).toBe(own.flat().length);
    await run.engine.policy.close();
  });
});
