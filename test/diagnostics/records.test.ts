import { describe, expect, it } from 'vitest';
import { countProblems, differentProblems, startCount } from '../../src/diagnostics/problems.ts';
import { batchRecord } from '../../src/diagnostics/records.ts';
import type { Rollout, RolloutGroup } from '../../src/methods/records.ts';
import { hasEqualRewards } from '../../src/methods/support/credit/baseline.ts';

const NO_TIME = { sft: 0, rollout: 0, verify: 0, update: 0, eval: 0 };

function rollout(tokens: readonly number[], reward: number | null, verdict: 'right' | 'wrong' | 'cut'): Rollout {
  return {
    tokens: Int32Array.from(tokens),
    logprobs: new Float32Array(tokens.length),
    entropies: new Float32Array(tokens.length).fill(0.5),
    keptLogMass: new Float32Array(tokens.length),
    finishReason: verdict === 'cut' ? 'length' : 'eos',
    text: '',
    verdict: { score: verdict === 'right' ? 1 : 0, status: verdict === 'right' ? 'correct' : 'invalid', reason: '' },
    rewardParts: [reward],
    reward,
  };
}

function group(key: string, ...rollouts: readonly Rollout[]): RolloutGroup {
  const item = { id: key, key, split: 'train', prompt: '', answer: '', identity: key, weight: 1 } as const;
  return { item, prompt: new Int32Array(), rollouts, dead: hasEqualRewards({ rollouts }) };
}

describe('batchRecord', () => {
  const groups = [
    group('a', rollout([1, 2], 1, 'right'), rollout([1, 2], 1, 'right')),
    group('b', rollout([3], -1, 'wrong'), rollout([3, 4, 5, 6], -1, 'cut')),
    group('c', rollout([1], 1, 'right'), rollout([2], 0, 'wrong')),
    group('d', rollout([1], null, 'wrong'), rollout([1], null, 'right')),
  ];
  const before = { ...NO_TIME, rollout: 1, eval: 7 };
  const now = { sft: 0, rollout: 3, verify: 1, update: 1.5, eval: 9 };
  const record = batchRecord(3, { groups, rounds: 2 }, { before, now });

  it('counts groups by what they are worth', () => {
    // d is dead as nothing in it has a reward; its verdicts differ, so it is neither right nor wrong.
    expect(record).toMatchObject({ step: 3, groups: 4, live: 1, allRight: 1, allWrong: 1, rounds: 2, completions: 8 });
  });

  it('counts completions by verdict, ending and pay', () => {
    expect(record).toMatchObject({ correct: 4 / 8, invalid: 4 / 8, truncated: 1 / 8, eos: 7 });
    expect(record).toMatchObject({ rewarded: 6, lowest: -1, highest: 1, paid: 4 / 8, spread: 0.5 });
    expect(record.reward).toBeCloseTo(1 / 6, 12);
  });

  it('measures length, entropy and variety', () => {
    expect(record).toMatchObject({ meanLength: 13 / 8, longest: 4, entropy: 0.5, variety: (0 + 1 + 1 + 0) / 4 });
  });

  it('knows the verdict that judges say most, and how often it is right', () => {
    expect(record.judge).toBeUndefined();
    const said = (word: string, score: number): Rollout => {
      const one = rollout([1], score, 'right');
      return { ...one, verdict: { ...one.verdict, score, canonical: word } };
    };
    const judging = [group('a', said('yes', 1), said('yes', 1)), group('b', said('yes', 0), said('no', 1))];
    const { judge } = batchRecord(3, { groups, rounds: 1 }, { before, now, judging });
    expect(judge).toEqual({ said: 'yes', often: 0.75, right: 2 / 3 });
  });

  it('knows how old replays are, and the source that lacked most', () => {
    expect(record).not.toHaveProperty('replayAge');
    expect(record).not.toHaveProperty('starved');
    const [first, second] = [3, 9].map((age) => ({ ...rollout([1], 1, 'right'), origin: 'replay', age }));
    const replays = [group('a', first, rollout([1], 0, 'wrong'), second)];
    const logged = { 'keep-range/starved': 0.25, './mine.ts/starved': 0.5, 'weakness/starved': 0, 'x/left_out': 1 };
    const found = batchRecord(3, { groups: replays, rounds: 1 }, { before, now, logged });
    expect(found).toMatchObject({ replayAge: 6, starved: { source: './mine.ts', share: 0.5 } });
  });

  it('knows what right and wrong completions earned', () => {
    const paid = [group('a', rollout([1], 0.25, 'right'), rollout([1], 0.75, 'wrong'), rollout([1], null, 'wrong'))];
    const { pay } = batchRecord(3, { groups: paid, rounds: 1 }, { before, now });
    expect(pay).toEqual({ right: { count: 1, mean: 0.25 }, wrong: { count: 1, mean: 0.75 } });
  });

  it('knows how many hold the right answer where none is right, beyond what chance puts there', () => {
    const asked = (answer: string, ...texts: readonly string[]) => {
      const rollouts = texts.map((text) => ({ ...rollout([1], 0, 'wrong'), text }));
      const one = group(answer, ...rollouts);
      return { ...one, item: { ...one.item, answer } };
    };
    const of = (...groups: readonly ReturnType<typeof asked>[]) =>
      batchRecord(3, { groups, rounds: 1 }, { before, now }).refused;
    expect(of(asked('Lima', 'lima', 'it is Lima'), asked('Rome', 'Paris', 'Oslo'))).toMatchObject({
      inside: 0.5,
      exact: 0.25,
    });
    expect(of(asked('1', '12345', '321'), asked('2', '12345', '321'))).toMatchObject({ inside: 0, exact: 0 });
    expect(of(asked('Lima', 'x'), asked('Rome', 'y'))).toBeUndefined();
    expect(record.refused).toBeUndefined(); // some are right
  });

  it('knows the share of groups with help, by the origins that methods declare', () => {
    const hinted = { ...rollout([1], 1, 'right'), origin: 'nudged' };
    const of = (...helps: string[]) =>
      batchRecord(
        3,
        { groups: [group('a', hinted), group('b', rollout([1], 1, 'right'))], rounds: 1 },
        { before, now, helps: new Set(helps) },
      );
    expect(of('nudged').helped).toBe(0.5);
    expect(of('hinted')).not.toHaveProperty('helped');
  });

  it('takes the time since the batch before, without evaluations', () => {
    expect(record.seconds).toEqual({ verify: 1, all: 4.5 });
  });
});

describe('the count of problems', () => {
  /** Draws problem 0, 7, 14, … modulo `problems`. */
  function estimate(problems: number, draws: number): number {
    const count = startCount();
    for (let drawn = 0; drawn < draws; drawn += 32) {
      countProblems(
        count,
        Array.from({ length: 32 }, (_, i) => String(((drawn + i) * 7) % problems)),
      );
    }
    return differentProblems(count);
  }

  it('is exact for as many as it remembers', () => {
    expect(estimate(100, 3200)).toBe(100);
    expect(estimate(509, 32_000)).toBe(509);
  });

  it('is close beyond that, once problems come again', () => {
    expect(Math.abs(estimate(5000, 50_000) / 5000 - 1)).toBeLessThan(0.15);
    expect(estimate(1_000_003, 20_000)).toBe(Number.POSITIVE_INFINITY);
  });
});
