/**
 * Learns from a reference answer without a verifier: the answer of a completion is taken away, the reference takes its
 * place, and the reward is the probability that the policy gives it after the reasoning.
 *
 *   p_i = π(y* | q, c_i) = exp Σ_t log π(y*_t | q, c_i, y*_<t)       L = −A_i Σ_c log π(c_i) − p_i Σ_t log π(y*_t)
 *
 * That is the gradient of E_c[p], and what a verifier of one right answer would pay on average over the answers that
 * the policy could give after c_i, without the noise of drawing one. Where that answer is certain, p is the reward of
 * an exact match. The first half is a policy gradient with A against the p of the others (`rloo`), the second the
 * likelihood of the reference; `verifree-loss` is both, with sums over tokens (`seq-sum`) and no ratio.
 *
 * The reference is the task's right answer after the mark, with its end, and its log-probs are those of the policy as
 * it is: the completion stays on-policy. One without the mark, or without room for the reference, stays as it was
 * sampled, with p = 0. Verdicts stay those of what was sampled, and nothing is learned from them.
 */

import { TOKEN } from '../../../../src/token_kinds.ts';
import type { Rollout, RolloutGroup, RolloutStrategy, RolloutTools } from '../kit.ts';
import { groupRows, isRight, keys, meanOf, method } from '../kit.ts';
import { changeConflict, changedReward, paysReward, targetOf } from '../support/rewards/reward_parts.ts';
import { endOfMark, MARK, referenceOf } from '../support/rollouts/marked.ts';
import { rightAnswers } from '../uses/answers.ts';

export const verifree = method({
  id: 'verifree',
  about: {
    does: 'Puts the reference answer in the place of the own one, and rewards its probability after the reasoning.',
    names: ['VeriFree', 'reinforcement without verifiers'],
    formula: 'R = p = exp Σ_t log π(y*_t | q, c, y*_<t); y* is trained on by verifree-loss',
    source: '2505.21493',
    certainty: 'paper',
  },
  options: keys({
    verifreeReward: changedReward,
    mark: MARK,
  }),
  uses: () => [rightAnswers],
  conflict: changeConflict,
  pays: paysReward('replaces'),
  relabels: true,
  warn: (_, { objective: [{ name }] }) =>
    name === 'verifree-loss'
      ? undefined
      : `${name} trains the reference answer by the advantage of its completion, and lowers it below the baseline; set ` +
        'objective: verifree-loss',
  note: (_, { advantageEstimator: [estimator], aggregation: [aggregation] }) =>
    [
      estimator.name === 'rloo'
        ? undefined
        : 'the paper compares with the others of a group; set advantage_estimator: rloo',
      aggregation.name === 'seq-sum' ? undefined : 'the paper adds up tokens; set aggregation: seq-sum',
    ].filter((said) => said !== undefined),
  work: (_, { batch: { numGenerations } }, lengths) => ({ rows: groupRows(numGenerations, lengths), scores: true }),
  create: ({ verifreeReward, mark }, stage): RolloutStrategy => {
    const target = targetOf(stage, verifreeReward);
    return {
      async rollOut(requests, next, tools) {
        const seen = { p: [] as number[], tokens: [] as number[], right: [] as number[] };
        const groups: RolloutGroup[] = [];
        for (const group of await next(requests)) {
          const reference = endedReference(group, mark, tools);
          if (reference === undefined) {
            groups.push(
              tools.regroup(
                group,
                group.rollouts.map((rollout) => target.write(rollout, null)),
              ),
            );
            continue;
          }
          const chains = group.rollouts.map(({ tokens }) => {
            const end = endOfMark(tokens, mark, tools.tokenText);
            return end === undefined || end + reference.length > tools.mostTokens ? undefined : end;
          });
          const scored = await scoredBehind(group, chains, reference, tools);
          const rollouts = group.rollouts.map((rollout, i) => {
            const logprobs = scored[i];
            const p = logprobs === undefined ? 0 : Math.exp(logprobs.reduce((sum, value) => sum + value, 0));
            seen.p.push(p);
            seen.right.push(Number(isRight(rollout)));
            const end = chains[i];
            if (logprobs === undefined || end === undefined) return target.write(rollout, p);
            seen.tokens.push(end);
            return target.write(withReference(rollout, end, reference, logprobs), p);
          });
          groups.push(tools.regroup(group, rollouts));
        }
        tools.metric('probability', meanOf(seen.p));
        tools.metric('answered', seen.tokens.length / Math.max(1, seen.p.length));
        tools.metric('reasoning_tokens', meanOf(seen.tokens));
        tools.metric('accuracy', meanOf(seen.right));
        return groups;
      },
    };
  },
});

/** The right answer after the mark, or all of it, with its end; undefined where the task knows none. */
function endedReference({ item }: RolloutGroup, mark: string, tools: RolloutTools): Int32Array | undefined {
  const { reference } = referenceOf(tools.solution(item), mark, tools.tokenText);
  return reference.length === 0 ? undefined : tools.ended(reference);
}

/** [rollouts][reference] log-probs after their reasoning, each under the prompt that it is trained under; undefined without one. */
async function scoredBehind(
  { prompt, rollouts }: RolloutGroup,
  chains: readonly (number | undefined)[],
  reference: Int32Array,
  { logprobs }: RolloutTools,
): Promise<readonly (Float32Array | undefined)[]> {
  const found = rollouts.map((): Float32Array | undefined => undefined);
  const prompts = new Map<Int32Array, number[]>();
  rollouts.forEach(({ prompt: own = prompt }, i) => {
    if (chains[i] !== undefined) prompts.set(own, [...(prompts.get(own) ?? []), i]);
  });
  for (const [own, places] of prompts) {
    const asked = places.map((i) => Int32Array.from([...rollouts[i].tokens.subarray(0, chains[i]), ...reference]));
    (await logprobs(own, asked)).forEach((scored, k) => {
      found[places[k]] = scored.slice(scored.length - reference.length);
    });
  }
  return found;
}

/** The rollout up to the end of its reasoning, and the reference after it. */
function withReference(
  { steps: _, turns: __, support, ...rollout }: Rollout,
  end: number,
  reference: Int32Array,
  scored: Float32Array,
): Rollout {
  const { tokens, labels, logprobs, entropies, keptLogMass } = rollout;
  const all = new Uint8Array(end + reference.length).fill(TOKEN.reference);
  all.set(labels?.subarray(0, end) ?? new Uint8Array(end));
  const behind = (values: Float32Array, own: Float32Array): Float32Array =>
    Float32Array.from([...values.subarray(0, end), ...own]);
  const none = new Float32Array(reference.length);
  const width = (support?.length ?? 0) / tokens.length;
  const free = new Uint8Array(reference.length * width).fill(255); // it was not sampled
  return {
    ...rollout,
    tokens: Int32Array.from([...tokens.subarray(0, end), ...reference]),
    labels: all,
    logprobs: behind(logprobs, scored),
    entropies: behind(entropies, none),
    keptLogMass: behind(keptLogMass, none),
    ...(support && { support: Uint8Array.from([...support.subarray(0, end * width), ...free]) }),
  };
}
