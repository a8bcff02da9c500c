/** How objectives relate to each other: where they are the same, and what one is without its bound. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import type { LossSequence, SurrogatePoint } from '../../../../../src/methods/points.ts';
import { randomSequences } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { gradientsOf, groupBy, lossOf, slopesOf, surrogateOf } from '../../support/losses.ts';

/** One advantage and one coefficient per completion, as credit and aggregation give them. */
const evened = (seed: number): LossSequence[] =>
  randomSequences(seed, 12).map((sequence) => ({
    ...sequence,
    advantages: sequence.advantages.fill(sequence.advantages[0]),
    coefficients: sequence.coefficients.map((c) => (c === 0 ? 0 : sequence.coefficients[0])),
    weights: new Float64Array(sequence.weights.length).fill(1),
  }));
const onPolicy = (sequences: readonly LossSequence[]): LossSequence[] =>
  sequences.map((sequence) => ({ ...sequence, oldLogprobs: sequence.logprobs }));

function expectClose(actual: readonly number[], expected: readonly number[], digits = 12): void {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, i) => expect(value).toBeCloseTo(expected[i], digits));
}

const points = Array.from({ length: 300 }, (_, i): SurrogatePoint => {
  const rng = rngFor(`relations|${i}`);
  const [logRatio, oldLogprob] = [4 * rng.float() - 2, -3 * rng.float() - 0.01];
  return { logRatio, oldLogprob, logprob: oldLogprob + logRatio, advantage: 4 * rng.float() - 2 };
});

describe('on-policy, the gradient is that of the plain policy gradient', () => {
  const given = onPolicy(evened(21));
  const plain = given.flatMap(({ coefficients, advantages }) => [...coefficients].map((c, t) => -c * advantages[t]));
  const objectives = ['ppo-clip', 'cispo', 'sapo', 'vespo', 'reinforce', 'topr', 'dual-clip', 'gmpo', 'dcpo-clip'];

  it.each([...objectives, 'dppo-tv', 'sq-log-ratio', 'gppo', 'aspo', 'nft', 'bapo'])('of %s', (objective) => {
    expectClose(slopesOf(gradientsOf(given, `objective: ${objective}`)), plain);
  });

  it.each(['token', 'sequence', 'sequence_token', 'none'])('by the ratio %s', (ratio) => {
    expectClose(slopesOf(gradientsOf(given, `importance_sampling_level: ${ratio}`)), plain);
  });
});

it('of completions of one token, the ratio of the sequence is that of the token', () => {
  const given = evened(22).filter(({ coefficients }) => coefficients.length === 1);
  expect(given.length).toBeGreaterThan(1);
  for (const objective of ['ppo-clip', 'cispo', 'sapo', 'dual-clip', 'sq-log-ratio']) {
    const line = `objective: ${objective}`;
    const byToken = gradientsOf(given, line);
    expect(gradientsOf(given, line, 'importance_sampling_level: sequence')).toEqual(byToken);
  }
});

it('PPO without a clip has the gradient of CISPO without a bound: r·A', () => {
  const ppo = surrogateOf('ppo-clip', { epsilon: 0.999999, epsilon_high: 1e6 });
  const cispo = surrogateOf('cispo', { epsilon_high: 1e6 });
  for (const point of points) {
    expect(ppo(point).slope).toBeCloseTo(cispo(point).logprobSlope, 12);
    expect(ppo(point).slope).toBeCloseTo(-Math.exp(point.logRatio) * point.advantage, 12);
  }
});

it('CISPO with both bounds keeps the gradient of a token at either', () => {
  const at = surrogateOf('cispo', { epsilon_high: 1.2, cispo_min: 0.8 });
  const slopes = [0.1, 0.9, 1.1, 7].map((ratio) => {
    const [logRatio, logprob] = [Math.log(ratio), -1];
    return at({ logRatio, logprob, oldLogprob: logprob - logRatio, advantage: -2 }).logprobSlope;
  });
  expectClose(slopes, [1.6, 1.8, 2.2, 2.4]);
});

describe('dual-clip', () => {
  it('is PPO where its second bound is out of reach, and where the advantage is not negative', () => {
    const ppo = surrogateOf('ppo-clip', { epsilon: 0.2, epsilon_high: 0.28 });
    const wide = surrogateOf('dual-clip', { epsilon: 0.2, epsilon_high: 0.28, dual_clip: 1e9 });
    const narrow = surrogateOf('dual-clip', { epsilon: 0.2, epsilon_high: 0.28, dual_clip: 3 });
    for (const point of points) {
      expect(wide(point)).toEqual(ppo(point));
      if (point.advantage >= 0) expect(narrow(point)).toEqual(ppo(point));
    }
  });

  it('is flat beyond it', () => {
    const at = surrogateOf('dual-clip', { dual_clip: 3 });
    const point = { logRatio: Math.log(4), logprob: -1, oldLogprob: -1 - Math.log(4), advantage: -2 };
    expect(at(point)).toEqual({ loss: 6, slope: 0, logprobSlope: 0 });
    expect(at({ ...point, logRatio: Math.log(2.5) }).loss).toBeCloseTo(5, 12);
    expect(at({ ...point, logRatio: Math.log(2.5) }).slope).toBeCloseTo(5, 12);
  });

  it('refuses a bound within the clip', () => {
    expect(() => stageOf('objective: {name: dual-clip, epsilon_high: 4, dual_clip: 3}')).toThrow(
      /must exceed 1 \+ epsilon_high \(5\)/,
    );
  });
});

describe("dcpo-clip's bounds", () => {
  /** Where the gradient of a positive (negative) advantage ends. */
  const bound = (q: number, advantage: number): number => {
    const at = surrogateOf('dcpo-clip');
    const oldLogprob = Math.log(q);
    let [inside, outside] = advantage > 0 ? [1, 20] : [1, 1e-9];
    for (let i = 0; i < 100; i++) {
      const ratio = (inside + outside) / 2;
      const logRatio = Math.log(ratio);
      if (at({ logRatio, oldLogprob, logprob: oldLogprob + logRatio, advantage }).slope === 0) outside = ratio;
      else inside = ratio;
    }
    return (inside + outside) / 2;
  };

  it('are those of the paper', () => {
    expect(bound(0.01, 1)).toBeCloseTo(5, 6);
    expect(bound(0.9, -1)).toBeCloseTo(0.768742, 6);
    expect(bound(1e-6, 1)).toBeCloseTo(10, 6);
    expect(bound(0.01, -1)).toBeCloseTo(0.5, 6);
  });

  it.each([0.7, 0.8, 0.95])('solve |(r − 1)·r·q| = ε at q = %s', (q) => {
    const [low, high] = [bound(q, -1), bound(q, 1)];
    expect((1 - low) * low * q).toBeCloseTo(0.16, 6);
    expect((high - 1) * high * q).toBeCloseTo(0.2, 6);
  });

  it('are those of PPO where they are the same for all tokens', () => {
    const [q, low, high] = [0.9, bound(0.9, -1), bound(0.9, 1)];
    const [dcpo, ppo] = [
      surrogateOf('dcpo-clip'),
      surrogateOf('ppo-clip', { epsilon: 1 - low, epsilon_high: high - 1 }),
    ];
    for (const point of points) {
      const same = { ...point, oldLogprob: Math.log(q) };
      for (const of of ['loss', 'slope'] as const) expect(dcpo(same)[of]).toBeCloseTo(ppo(same)[of], 9);
    }
  });
});

describe('dppo-tv', () => {
  const at = surrogateOf('dppo-tv');
  const point = (q: number, p: number, advantage: number): SurrogatePoint => ({
    logRatio: Math.log(p / q),
    logprob: Math.log(p),
    oldLogprob: Math.log(q),
    advantage,
  });

  it('lets a rare token grow many times, and stops a likely one by its probability', () => {
    expect(at(point(0.01, 0.1, 1)).logprobSlope).toBeCloseTo(-10, 9);
    expect(at(point(0.5, 0.71, 1)).logprobSlope).toBe(0);
    expect(at(point(0.5, 0.69, 1)).logprobSlope).toBeCloseTo(-1.38, 9);
    expect(at(point(0.9, 0.69, -1)).logprobSlope).toBe(0);
    expect(at(point(0.9, 0.71, -1)).logprobSlope).toBeCloseTo(0.71 / 0.9, 9);
  });

  it('stops no token that moves against its advantage, and bounds the ratio by 20', () => {
    expect(at(point(0.9, 0.1, 1)).logprobSlope).toBeCloseTo(-1 / 9, 9);
    expect(at(point(0.001, 0.1, 2)).logprobSlope).toBeCloseTo(-40, 9);
  });
});

describe('gmpo', () => {
  it('is the geometric mean of the ratios while none is clipped: the sequence ratio without a clip', () => {
    const given = evened(23);
    const wide = 'objective: {name: gmpo, log_epsilon: 9, log_epsilon_high: 9}';
    const plain = [
      'objective: {name: ppo-clip, epsilon: 0.999999, epsilon_high: 1000000}',
      'importance_sampling_level: sequence',
    ];
    expectClose(slopesOf(gradientsOf(given, wide)), slopesOf(gradientsOf(given, ...plain)));
  });

  it('clips each token by itself, against its advantage alone', () => {
    const moves = [1, -1, 0.2];
    const logprobs = [-1, -2, -3];
    const sequence = (advantage: number): LossSequence[] =>
      groupBy([{ logprobs, oldLogprobs: logprobs.map((x, t) => x - moves[t]), advantage, coefficient: 1 / 3 }]);
    const line = 'objective: {name: gmpo, log_epsilon: 0.3, log_epsilon_high: 0.4}';
    const up = gradientsOf(sequence(2), line);
    const [risen, fallen] = [Math.exp((0.4 - 1 + 0.2) / 3), Math.exp((1 - 0.3 + 0.2) / 3)];
    expect(lossOf(up)).toBeCloseTo(-2 * risen, 6);
    expectClose(slopesOf(up), [0, (-2 * risen) / 3, (-2 * risen) / 3], 6);
    const down = gradientsOf(sequence(-2), line);
    expect(lossOf(down)).toBeCloseTo(2 * fallen, 6);
    expectClose(slopesOf(down), [(2 * fallen) / 3, 0, (2 * fallen) / 3], 6);
  });
});

describe('topr', () => {
  it('is REINFORCE with a constant as baseline where no token has moved', () => {
    const rewards = [1, 0, 0.75, 0.25];
    const given = groupBy(rewards.map((reward) => ({ logprobs: [-1, -2], advantage: reward - 0.5, reward })));
    const plain = given.flatMap(({ rollout }) => [0, 0].map(() => -((rollout.reward ?? 0) - 0.5)));
    expectClose(slopesOf(gradientsOf(given, 'objective: topr')), plain);
    expectClose(slopesOf(gradientsOf(given, 'objective: reinforce')), plain);
  });

  it('leaves what is wrong alone once the policy has left it, and keeps what is right at weight 1', () => {
    const far = { logprobs: [-9, -9], oldLogprobs: [-1, -1] };
    const [right, wrong] = gradientsOf(
      groupBy([
        { ...far, advantage: 0.5 },
        { ...far, advantage: -0.5 },
      ]),
      'objective: topr',
    );
    expect([...right.dLogprobs]).toEqual([-0.5, -0.5]);
    expectClose([...wrong.dLogprobs], [0.5 * Math.exp(-16), 0.5 * Math.exp(-16)]);
  });

  it('never weighs what is wrong above 1', () => {
    const given = groupBy([{ logprobs: [-1], oldLogprobs: [-5], advantage: -0.5 }]);
    expect(slopesOf(gradientsOf(given, 'objective: topr'))).toEqual([0.5]);
    const line = 'objective: {name: topr, topr_negative_max: 2}';
    expect(slopesOf(gradientsOf(given, line))).toEqual([1]);
  });

  it('refuses bounds in the wrong order', () => {
    expect(() => stageOf('objective: {name: topr, topr_negative_min: 2}')).toThrow(/is below its lower bound/);
  });
});

it('luspo is PPO by the ratio of the sequence, times its length: seq-sum', () => {
  const { methods } = stageOf('loss_type: luspo', 'importance_sampling_level: sequence');
  expect(methods.aggregation.map(({ name }) => name)).toEqual(['seq-sum']);
  const given = evened(24).map((sequence) => ({
    ...sequence,
    coefficients: sequence.coefficients.map((c) => (c === 0 ? 0 : 1 / 8)),
  }));
  const expected = given.map(({ logprobs, oldLogprobs, coefficients, advantages }) => {
    const own = [...coefficients].flatMap((c, t) => (c === 0 ? [] : [logprobs[t] - oldLogprobs[t]]));
    const ratio = Math.exp(own.reduce((sum, x) => sum + x, 0) / own.length);
    const clipped = Math.min(Math.max(ratio, 0.8), 1.2);
    return (-Math.min(ratio * advantages[0], clipped * advantages[0]) * own.length) / 8;
  });
  const loss = lossOf(gradientsOf(given, 'loss_type: luspo', 'importance_sampling_level: sequence'));
  expect(loss).toBeCloseTo(
    expected.reduce((sum, x) => sum + x, 0),
    6,
  );
});

describe('a policy that is far from the one that sampled', () => {
  const far = groupBy([
    { logprobs: [-0.1, -0.2], oldLogprobs: [-500, -700], advantage: -1 },
    { logprobs: [-800, -900], oldLogprobs: [-0.1, -0.2], advantage: 1 },
    { logprobs: [-0.1, -0.2], oldLogprobs: [-500, -900], advantage: 0 },
  ]);
  // biome-ignore format: a list
  const every = [
    'ppo-clip', 'cispo', 'sapo', 'vespo', 'reinforce', 'topr', 'dual-clip', 'gmpo', 'dcpo-clip', 'dppo-tv',
    'gppo', 'aspo', 'nft', 'bapo', 'gvpo', 'tpo', 'gepo',
  ];

  it.each([...every, 'sq-log-ratio', 'pacs', 'drpo'])('has a finite loss and gradient by %s', (objective) => {
    for (const ratio of ['token', 'sequence', 'sequence_token', 'sequence_sum', 'none']) {
      const gradients = gradientsOf(far, `objective: ${objective}`, `importance_sampling_level: ${ratio}`);
      expect([lossOf(gradients), ...slopesOf(gradients)].every(Number.isFinite)).toBe(true);
    }
  });

  it.each(['beta: 0.1\nkl_clamp: 20', 'loss_terms: [kl-sampler]', 'loss_terms: [hinge-kl]', 'loss_terms: [kl-cov]'])(
    'has a finite loss with %s',
    (line) => {
      const gradients = gradientsOf(far, ...line.split('\n'));
      expect([lossOf(gradients), ...slopesOf(gradients)].every(Number.isFinite)).toBe(true);
    },
  );

  it('shows a log-prob that is no number', () => {
    const given = groupBy([{ logprobs: [Number.NaN], oldLogprobs: [-1], advantage: 1 }]);
    expect(lossOf(gradientsOf(given))).toBeNaN();
  });
});
