/** Groups without a right completion that are given one: an answer of the task, or one that the policy wrote with it in sight. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest, RolloutTools } from '../../../../../src/methods/points.ts';
import type { Rollout, RolloutGroup } from '../../../../../src/methods/records.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { collect, credit, scoresOf, update } from '../../../../../test/grpo/step_parts.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, tossed, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

/** What a strategy makes of one group of these rewards, where completions with the answer in sight get these. */
async function made(
  line: string,
  rewards: readonly number[],
  known: Partial<RolloutTools> = {},
  seeing: readonly number[] = [],
) {
  const stage = stageOf(`rollout_strategies: [${line}]`);
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const logged: Record<string, number> = {};
  const asked: GroupRequest[] = [];
  const next = async (requests: readonly GroupRequest[]): Promise<readonly RolloutGroup[]> => {
    asked.push(...requests);
    return requests.map(({ prompt, origin }) =>
      groupOf(
        (prompt ? seeing : rewards).map((reward, i) => ({
          ...rolloutOf(2, reward),
          text: `${prompt ? 's' : 'p'}${i}`,
          ...(prompt && { prompt }),
          ...(origin && { origin }),
        })),
      ),
    );
  };
  const tools = rolloutTools(stage, {
    metric: metricsInto(logged),
    solution: () => Int32Array.of(7),
    solutions: () => [Int32Array.of(7), Int32Array.of(8), Int32Array.of(9)],
    logprobs: async (_, completions) => completions.map(([token]) => Float32Array.of(token === 8 ? -0.5 : -2)),
    references: async (_, answers) =>
      answers.map(
        ([token]): Rollout => ({ ...rolloutOf(1, 1), text: `r${token}`, isOffPolicy: true, origin: 'reference' }),
      ),
    ...known,
  });
  const [group] = await part.rollOut([{ item: groupOf([]).item, samples: rewards.length }], next, tools);
  return { asked, logged, group, texts: group.rollouts.map(({ text }) => text).join(' ') };
}

describe('inject-reference', () => {
  it('puts the likeliest answer in the place of the last wrong one, where nothing is right', async () => {
    expect((await made('inject-reference', [0, 0, 0])).texts).toBe('p0 p1 r8');
    expect((await made('{name: inject-reference, injected: 2}', [0, 0, 0])).texts).toMatch(/^p0 r. r.$/);
    expect((await made('{name: inject-reference, injected: 9}', [0, 0, 0])).texts).toMatch(/^p0 r. r.$/); // one is left
    const { texts, logged, group } = await made('inject-reference', [0, 1, 0]);
    expect(texts).toBe('p0 p1 p2');
    expect(group.rollouts).toHaveLength(3);
    expect(logged).toEqual({ rate: 0 });
  });

  it('chooses by the result alone, behind the mark, where it is asked to', async () => {
    const answers = { 7: [-1, 0, -3], 8: [-9, 0, -2] } as const; // reasoning, mark, result
    const known: Partial<RolloutTools> = {
      solutions: () => [Int32Array.of(7, 5, 1), Int32Array.of(8, 5, 2)],
      logprobs: async (_, completions) => completions.map(([token]) => Float32Array.from(answers[token as 7 | 8])),
    };
    expect((await made('inject-reference', [0, 0], known)).texts).toBe('p0 r7');
    expect((await made('{name: inject-reference, chosen_by: result, mark: "5"}', [0, 0], known)).texts).toBe('p0 r8');
  });

  it('may act where some are right, and then asks for no more than the mean', async () => {
    const line = '{name: inject-reference, solved_at_most: 1, injected_reward: mean}';
    const { group, texts } = await made(line, [1, 0, 0, 1]);
    expect(texts).toBe('p0 p1 r8 p3');
    expect(group.rollouts[2].reward).toBe(0.5);
    expect((await made(line, [0, 0, 0])).group.rollouts[2].reward).toBe(1);
  });

  const LINE = 'rollout_strategies: [inject-reference]\nobjective: p-div';

  it('trains on the whole answer with its end, off-policy of log-prob 0, and rewards it as any other', async () => {
    await withTossedRun(
      LINE,
      async (run) => {
        const { metrics, batches } = await goOn(run);
        const references = batches.flatMap(({ groups }) =>
          groups.flatMap(({ item, rollouts }) =>
            rollouts.flatMap((rollout) => (rollout.origin === 'reference' ? [{ item, rollout }] : [])),
          ),
        );
        expect(references.length).toBeGreaterThan(0);
        for (const { item, rollout } of references) {
          expect([...rollout.tokens]).toEqual([
            ...run.engine.tasks.codec.encode(item.answer),
            run.engine.tasks.codec.eosTokenId,
          ]);
          expect([...(rollout.labels ?? [])]).toEqual(Array.from(rollout.tokens, () => TOKEN.reference));
          expect(rollout.logprobs.every((value) => value === 0)).toBe(true);
          expect(rollout.reward).toBe(1); // lcs of the answer with itself
        }
        for (const step of metrics) {
          expect(step['sampling/sampling_logp_difference/max']).toBe(0);
          expect(Number(step['p-div/probability'])).toBeGreaterThan(0);
        }
      },
      { verify: tossed(1_000_003) },
    );
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(`${LINE}\nnum_iterations: 2`, { verify: tossed(11) });
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });
});

describe('answer-conditioned', () => {
  it('shows the answer where nothing is right, and trains what is then right as if it had not', async () => {
    const { asked, logged, group, texts } = await made('answer-conditioned', [0, 0, 0], {}, [0, 1, 1]);
    expect(asked.map(({ samples, prompt }) => [samples, prompt && [...prompt]])).toEqual([
      [3, undefined],
      [4, [7, 0]],
    ]);
    expect(texts).toBe('p0 p1 s1');
    expect(group.rollouts[2]).toMatchObject({
      origin: 'answered',
      isOffPolicy: true,
      sampledUnder: Int32Array.of(7, 0),
    });
    expect(group.rollouts[2].prompt).toBeUndefined();
    expect(logged).toEqual({ rate: 1, rescued_groups: 1 });
    expect((await made('answer-conditioned', [0, 1], {}, [1])).asked).toHaveLength(1);
    expect((await made('answer-conditioned', [0, 0], {}, [0])).texts).toBe('p0 p1');
  });

  it('keeps explanations that make the answer likelier than the failures do on average', async () => {
    const line = '{name: answer-conditioned, answer_samples: 2, rescued: 2, raises_answer: true, mark: "0"}';
    const chains: (readonly number[])[] = [];
    // Completions are two tokens 0, of which the first is the mark; explanations come first, then the failures.
    const answered = (explained: readonly number[], failed: readonly number[]) =>
      made(line, [0, 0, 0], {
        solution: () => Int32Array.of(0, 7),
        logprobs: async (_, all) => {
          chains.push(...all.map((tokens) => [...tokens]));
          return all.map((_own, i) => Float32Array.of(-9, [...explained, ...failed][i]));
        },
      }, [1, 1]); // biome-ignore format: short
    expect((await answered([-2, -1], [-1, -3, -2])).texts).toBe('p0 p1 s1'); // mean −2: −2 does not raise it
    expect(chains.every((tokens) => tokens.join() === '0,7')).toBe(true);
    expect((await answered([-5, -5], [-1, -3, -2])).texts).toBe('p0 p1 p2');
  });

  it('leaves out what the policy would not write without the answer', async () => {
    const likelihoods = async (_: unknown, completions: readonly Int32Array[]) =>
      completions.map((__, i) => Float32Array.of(i === 1 ? Math.log(0.5) : Math.log(0.01)));
    const line = '{name: answer-conditioned, rescued: 2, least_likelihood: 0.2}';
    expect((await made(line, [0, 0, 0], { logprobs: likelihoods }, [1, 1])).texts).toBe('p0 p1 s1');
  });

  const LINE = [
    'rollout_strategies: [{name: answer-conditioned, answer_samples: 3, least_likelihood: 1.0e-6}]',
    'loss_terms: [{name: sft-nll, nll_on: off-policy, nll_coef: {from: 0.2, to: 0}}]',
  ].join('\n');

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled(LINE, { verify: tossed(11) });
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });

  it('has the log-probs of what was sampled, answer in sight, as the scorer has them to the bit', async () => {
    await withTossedRun(
      LINE,
      async (run) => {
        const { groups } = await collect(run);
        const rescued = groups.flatMap(({ rollouts }) => rollouts.filter(({ origin }) => origin === 'answered'));
        expect(rescued.length).toBeGreaterThan(0);
        for (const { tokens, logprobs, sampledUnder = new Int32Array() } of rescued) {
          const [scores] = await scoresOf(run, { prompt: sampledUnder, completions: [tokens] });
          expect([...logprobs]).toEqual([...scores.logprobs]);
        }
        expect((await update(run, await credit(run, groups), { onPolicy: true })).totals.logprobDifferenceMax).toBe(0);
      },
      { verify: tossed(11) },
    );
  });
});
