/** Groups whose verdicts, rewards and totals are chosen freely, and what the methods of a stage make of them. */
import { addTerms, beginStep } from '../../../../src/grpo/update/objective.ts';
import { rngFor } from '../../../../src/kernels/philox.ts';
import type { GroupRequest, LossSequence } from '../../../../src/methods/points.ts';
import type { CreditedGroup, Rollout, RolloutGroup } from '../../../../src/methods/records.ts';
import type { GrpoStageConfig } from '../../../../src/methods/stage.ts';
import { hasEqualRewards } from '../../../../src/methods/support/credit/baseline.ts';
import { carriesLoss } from '../../../../src/methods/tokens.ts';
import { logSoftmaxRows } from '../../../../src/model/distributions.ts';
import { emptyGradients, episodeOf, groupOf, VOCABULARY } from '../../../../test/support/rollouts.ts';
import { rolloutTools, stepOf } from '../../../../test/support/steps.ts';

/** [groups][completions] what the verifier said, what the functions of three rewards gave, and what is paid. */
export interface Paid {
  readonly right: readonly (readonly boolean[])[];
  readonly parts: readonly (readonly number[])[];
  readonly totals: readonly (readonly number[])[];
}

/** How many groups there are, and completions in each. */
const [GROUPS, MEMBERS] = [2, 8];

/** Paid at random, a quarter of it in full. */
export function drawnPaid(seed: string): Paid {
  const rng = rngFor(`paid|${seed}`);
  const each = <T>(of: () => T): T[][] => Array.from({ length: GROUPS }, () => Array.from({ length: MEMBERS }, of));
  const numbers = () => each(() => rng.int(0, 4) / 4);
  return { right: each(() => rng.float() < 0.4), parts: numbers(), totals: numbers() };
}

/** A completion of two turns, which may be read in every way, and is the same whatever it is paid. */
function paidRollout(group: number, place: number): Rollout {
  const rng = rngFor(`completion|${group}|${place}`);
  const whole = episodeOf([3 + (place % 3), 1 + (place % 2)], 1, 0);
  whole.tokens.forEach((_, t, tokens) => {
    tokens[t] = rng.int(1, VOCABULARY - 1);
  });
  const reals = (low: number, high: number) => whole.logprobs.map(() => low + (high - low) * rng.float());
  const known = (k: number) => ({ key: `${place}|${k}`, calls: { made: k * (place % 2), open: 3 - k } });
  const turns = whole.turns?.map((turn, k) => ({
    ...turn,
    text: k === 0 ? '<plan>a' : 'b',
    ...(turn.label === 'policy' && { reward: 0.25 * k + 0.1 * place, before: known(k), after: known(k + 1) }),
  }));
  return {
    ...whole,
    logprobs: reals(-2, -0.1),
    entropies: reals(0.1, 2),
    text: 'abc'[place % 3],
    turns,
    figures: figuresOf(whole.tokens.length, place),
  };
}

/** Any figure that is asked for: of each token, or of the whole. */
function figuresOf(tokens: number, place: number): NonNullable<Rollout['figures']> {
  const ofTokens = Float32Array.from({ length: tokens }, (_, t) => -0.2 * (1 + ((t + place) % 3)));
  return new Proxy({}, { get: (_, id) => (String(id).startsWith('selfLogprob') ? -1 - place / 8 : ofTokens) });
}

function judged(rollout: Rollout, right: boolean, part: number, total: number): Rollout {
  return {
    ...rollout,
    steps: [
      { from: 0, to: 1, score: right ? 1 : 0 },
      { from: 1, to: rollout.tokens.length, score: 1 },
    ],
    verdict: {
      score: right ? 1 : 0,
      status: right ? 'correct' : 'incorrect',
      ...(!right && { failure: 'wrong_value' }),
      reason: '',
      canonical: rollout.text,
    },
    rewardParts: [part, part / 2, 1 - part],
    reward: total,
  };
}

export function paidGroups({ right, parts, totals }: Paid): RolloutGroup[] {
  return totals.map((own, g) => {
    const { item, prompt } = groupOf([]);
    const rollouts = own.map((total, i) => judged(paidRollout(g, i), right[g][i], parts[g][i], total));
    return { item: { ...item, key: `p${g}` }, prompt, rollouts, dead: false, greedyReward: 0.5 };
  });
}

/** What decides what is trained of a completion, as text: equal texts train the same. */
export function trainedOf(groups: readonly RolloutGroup[]): string {
  return JSON.stringify(
    groups.map(({ dead, kind, rollouts }) => [
      [dead, kind],
      rollouts.map(
        ({ tokens, labels = [], rewardParts, reward, turns = [], inLoss, inBaseline, tokenRewards = [] }) => [
          [[...tokens], [...labels], rewardParts, reward, inLoss, inBaseline, [...tokenRewards]],
          turns.map((turn) => turn.reward),
        ],
      ),
    ]),
  );
}

export const rewardsOf = (groups: readonly RolloutGroup[]): string =>
  JSON.stringify(groups.map(({ rollouts }) => rollouts.map(({ reward, rewardParts }) => [reward, rewardParts])));

/** What estimator and credit steps of a stage make of groups. */
function credited(stage: GrpoStageConfig, given: readonly RolloutGroup[]): readonly CreditedGroup[] {
  const { methods, context } = stepOf(stage);
  const { id: estimator, part } = methods.advantageEstimator;
  const isDead = part.isDead ?? hasEqualRewards;
  const groups = given.map((group) => ({ ...group, dead: isDead(group) }));
  const estimated = part.estimate(groups, context(estimator));
  return methods.creditSteps.reduce<readonly CreditedGroup[]>(
    (all, { id, part }) => part.apply(all, context(id)),
    groups.map((group, g) => {
      const none = { advantages: new Float32Array(group.rollouts.length) };
      return { ...group, ...(group.dead ? none : estimated[g]) };
    }),
  );
}

/** All that an update gets of groups by a stage, as text: which are dead, and the slopes of each term of the loss. */
export function slopesOfUpdate(stage: GrpoStageConfig, given: readonly RolloutGroup[]): string {
  const step = stepOf(stage);
  const { ratio, objective, tokenWeights, lossTerms } = step.methods;
  const groups = credited(stage, given);
  const acts = lossTerms.some(({ part }) => part.actsWithoutAdvantage);
  const acting = groups.filter(({ dead }) => acts || !dead);
  const sequences = acting.flatMap((group, g) => group.rollouts.map((rollout, i) => sequenceOf(group, rollout, g, i)));
  beginStep(step, acting);
  const sizes = { completions: 16, lossTokens: 64, maxCompletionTokens: 16, microBatches: 1, microLossTokens: 64 };
  for (const { id, part } of [...tokenWeights, ...lossTerms]) {
    part.observe?.(sequences, { ...step.context(id), sizes, ratio: ratio.part, objective: objective.part });
  }
  const gradients = emptyGradients(sequences);
  addTerms(step, { sizes, onPolicy: false }, sequences, gradients);
  const lists = gradients.flatMap(({ dLogprobs, dEntropies, dLogits = [] }) => [dLogprobs, dEntropies, dLogits]);
  return JSON.stringify([groups.map(({ dead }) => dead), lists.map((list) => [...list])]);
}

function sequenceOf(group: CreditedGroup, rollout: Rollout, g: number, i: number): LossSequence {
  const { length } = rollout.tokens;
  const rng = rngFor(`sequence|${g}|${i}`);
  const near = (values: Float32Array): Float32Array => values.map((value) => value + 0.4 * rng.float() - 0.2);
  const rows = () =>
    logSoftmaxRows(
      Float32Array.from({ length: length * VOCABULARY }, () => 4 * rng.float()),
      VOCABULARY,
      1,
    );
  const filled = (value: number): Float32Array => new Float32Array(length).fill(value);
  return {
    group,
    rollout,
    logprobs: near(rollout.logprobs),
    oldLogprobs: rollout.logprobs,
    refLogprobs: near(rollout.logprobs),
    entropies: rollout.entropies,
    advantages: group.tokenAdvantages?.[i] ?? filled(group.advantages[i]),
    weights: group.tokenWeights?.[i] ?? filled(1),
    coefficients: Float64Array.from({ length }, (_, t) => (carriesLoss(rollout, t) ? 1 / 64 : 0)),
    distributions: rows(),
    refDistributions: rows(),
    teacher: { logprobs: near(rollout.logprobs), distributions: rows() },
  };
}

/**
 * What the strategies of a stage give where plain sampling is paid so, and all that they have asked, as text; and what is paid,
 * by the tokens of each completion.
 */
export async function sampledBy(stage: GrpoStageConfig, paid: Paid, steps = 2) {
  const { methods } = stepOf(stage);
  const asked: unknown[] = [];
  const given: RolloutGroup[] = [];
  const made: RolloutGroup[] = [];
  const next = async (requests: readonly GroupRequest[]) =>
    requests.map((request): RolloutGroup => {
      const number = given.length;
      const { item, samples, prompt, prefixes = [], temperatures, kind, judge } = request;
      asked.push([item.key, samples, prompt && [...prompt], prefixes.map((one) => [...one]), temperatures, kind]);
      const rollouts = Array.from({ length: samples }, (_, i): Rollout => {
        const [g, place] = [number % GROUPS, i % MEMBERS];
        const tokens = Int32Array.of(1, 2, 3 + (i % 2), number, i, 4);
        const plain = paidRollout(g, place);
        const own = {
          ...plain,
          tokens,
          turns: undefined,
          labels: undefined,
          text: judge === undefined ? plain.text : 'yes',
        };
        const shape = {
          logprobs: new Float32Array(6).fill(-0.5 - i / 8),
          entropies: new Float32Array(6).fill(0.5 + i / 8),
          keptLogMass: new Float32Array(6),
        };
        const rollout = judged({ ...own, ...shape }, paid.right[g][place], paid.parts[g][place], paid.totals[g][place]);
        if (judge === undefined) return rollout;
        const verdict = judge(rollout.text);
        return { ...rollout, verdict, rewardParts: [null, null, null], reward: verdict.score };
      });
      const { prompt: own } = groupOf([]);
      const group = { item, prompt: own, rollouts, dead: false, greedyReward: 0.5, ...(kind && { kind }) };
      given.push(group);
      return group;
    });
  const item = (key: string) => ({ ...groupOf([]).item, key, prompt: '12', level: 0 });
  for (let step = 0; step < steps; step++) {
    const requests = ['a', 'b'].map((key) => ({ item: item(key), samples: MEMBERS }));
    const tools = rolloutTools(stage, {
      step,
      draw: async (count) => Array.from({ length: count }, (_, i) => ({ item: item(`drawn ${i}`), samples: MEMBERS })),
      solution: () => Int32Array.of(7, 3, 8),
      solutions: () => [Int32Array.of(7, 3, 8), Int32Array.of(7, 3, 9)],
      said: () => 'yes',
      hints: () => [Int32Array.of(7), Int32Array.of(7, 3)],
      twin: (one) => ({ ...one, key: `${one.key}'` }),
      references: async (_, answers) =>
        answers.map((tokens, k) => ({ ...judged(paidRollout(0, k), true, 1, 1), tokens, origin: 'reference' })),
      likeliest: async (_, completions, count) =>
        completions.map((tokens) =>
          Array.from(tokens, () => Array.from({ length: count }, (_, k) => ({ token: k, probability: 0.5 / (k + 1) }))),
        ),
      logprobs: async (_, completions) =>
        completions.map((tokens) => Float32Array.from(tokens, (token, t) => -0.1 - ((token + t) % 5) / 10)),
    });
    for (const { part } of methods.rolloutStrategies) {
      const groups = await part.rollOut(requests, next, tools);
      made.push(...(part.select?.(groups) ?? groups));
    }
  }
  return { asked: JSON.stringify(asked), given, made };
}
