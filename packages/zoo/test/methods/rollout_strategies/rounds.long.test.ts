/** Strategies that ask again after what was answered: what they show, whom they pay, and that nothing else changes. */
import { describe, expect, it } from 'vitest';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { goOn, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { getTaskDefinition } from '../../../../../test/support/tasks.ts';
import { askedOf } from '../../support/asked_strategies.ts';

const strategy = (name: string, options = ''): string => `rollout_strategies: [{name: ${name}${options}}]`;

const COUNTDOWN = 'task: {name: countdown, numbers: 2}\nreward_funcs: [accuracy]';
const own = (lines: string): string => `
${COUNTDOWN}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
max_steps: 4
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 16
eval_strategy: "no"
${lines}
`;

/** A coin in the place of the verdict; its steps and what it says of an answer are the task's. */
const verify: NonNullable<Parameters<typeof withTossedRun>[2]>['verify'] = (item, answer, knobs, context) => {
  const verdict = getTaskDefinition('countdown').verify(item, answer, knobs, context);
  return answer.length % 3 === 0 ? { ...verdict, score: 1, status: 'correct' } : { ...verdict, score: 0 };
};

const answered = (tokens: readonly number[], reward: number, more: Partial<Rollout> = {}): Rollout => ({
  ...rolloutOf(tokens.length, reward),
  tokens: Int32Array.from(tokens),
  finishReason: 'length',
  ...more,
});
const prompts = (rounds: readonly (readonly { readonly prompt?: Int32Array }[])[]) =>
  rounds.map((requests) => requests.map(({ prompt }) => prompt && [...prompt]));

describe('multi-round-memory', () => {
  const steps = [
    { from: 0, to: 2, score: 1 },
    { from: 2, to: 3, score: 0 },
  ];

  it('shows a chain its own right steps, and pays all of it what its last answer earns', async () => {
    const { rounds, groups, logged } = await askedOf(strategy('multi-round-memory'), 4, ({ samples }, round, place) =>
      round === 0
        ? Array.from({ length: samples }, (_, i) => answered([5 + i, 6, 7], 0, i === 0 ? { steps } : {}))
        : [answered([9], place === 0 ? 1 : 0.25)],
    );
    expect(rounds.map((requests) => requests.map(({ samples }) => samples))).toEqual([[2], [1, 1]]);
    expect(prompts(rounds)[1]).toEqual([[5, 6, 0], undefined]);
    expect(groups[0].rollouts.map(({ reward }) => reward)).toEqual([1, 1, 0.25, 0.25]);
    expect(logged).toEqual({ lemmas: 0.5, gain: 0.5 });
  });

  it('remembers the newest different lemmas', async () => {
    const { rounds } = await askedOf(strategy('multi-round-memory', ', memory_rounds: 4, lemmas: 2'), 4, (_, round) => [
      answered([round === 2 ? 1 : round, 8, 9], 0, { steps }),
    ]);
    expect(prompts(rounds)).toEqual([[undefined], [[0, 8, 0]], [[0, 8, 1, 8, 0]], [[0, 8, 1, 8, 0]]]);
  });
});

describe('didactic-teacher', () => {
  const said = { verdict: { score: 0, status: 'incorrect', reason: '', feedback: '3' } } as const;

  it('says what is wrong where an attempt is, and pays a dialogue by how it ends and how long it was', async () => {
    const { rounds, groups, logged } = await askedOf(
      strategy('didactic-teacher', ', teacher_turns: 2'),
      6,
      (_, round, place) => {
        if (round === 0) return [answered([4], 0, said), answered([5], 1), answered([6], 0, said)];
        if (round === 1) return [answered([7 + place], place === 0 ? 1 : 0)];
        return [answered([9], 0)];
      },
    );
    expect(prompts(rounds)).toEqual([
      [undefined],
      [
        [4, 3, 0],
        [6, 3, 0],
      ],
      [undefined],
    ]);
    expect(groups[0].rollouts.map(({ tokens: [token], reward }) => [token, reward])).toEqual([
      [4, 0.5],
      [7, 0.5],
      [5, 1],
      [6, 0],
      [8, 0],
      [9, 0],
    ]);
    expect(logged).toEqual({ retries: 2 / 3, retry_solved: 0.5 });
  });

  it('gives the hints of the task where that says nothing', async () => {
    const { rounds } = await askedOf(strategy('didactic-teacher', ', teacher_turns: 3'), 3, () => [answered([4], 0)], {
      hints: () => [Int32Array.of(1), Int32Array.of(1, 2)],
    });
    expect(prompts(rounds)).toEqual([[undefined], [[4, 1, 0]], [[4, 1, 2, 0]]]);
  });
});

describe('consistency-check', () => {
  const twin = { ...groupOf([]).item, id: 'a/twin' };

  it('continues right answers from their reasoning under the twin, and pays less where they do not lead there', async () => {
    const { rounds, groups, logged } = await askedOf(
      strategy('consistency-check', ', mark: "7", trace_share: 0.5'),
      3,
      ({ samples }, round) =>
        round === 0
          ? [answered([1, 7, 2, 3], 1), answered([1, 2, 3, 4], 1), answered([5], 0)]
          : Array.from({ length: samples }, (_, i) => answered([1], i)),
      { twin: () => twin },
    );
    expect(rounds[1].map(({ item, prefixes }) => [item.id, prefixes?.map((prefix) => [...prefix])])).toEqual([
      [
        'a/twin',
        [
          [1, 7],
          [1, 2],
        ],
      ],
    ]);
    expect(groups[0].rollouts.map(({ reward }) => reward)).toEqual([0.5, 1, 0]);
    expect(logged).toEqual({ consistent: 0.5 });
  });
});

describe('prerequisite-gate', () => {
  it('trains on a group only where the operands of its prompt are copied', async () => {
    const ask = (text: string, threshold: number) =>
      askedOf(
        strategy('prerequisite-gate', `, read_samples: 2, gate_threshold: ${threshold}`),
        4,
        ({ judge, samples }) =>
          Array.from({ length: samples }, () => {
            const verdict = judge?.(text);
            return verdict ? { ...answered([1], verdict.score ?? 0), verdict } : answered([1], 1);
          }),
      );
    const item = { ...groupOf([]).item, prompt: '52 9>' };
    const isIn = ({ groups }: Awaited<ReturnType<typeof ask>>) =>
      groups[0].rollouts.every(({ inLoss = true }) => inLoss);
    expect(item.prompt).toContain('5');
    expect(isIn(await ask('', 0))).toBe(true);
    expect(isIn(await ask('1', 0.5))).toBe(false); // the prompt has no operand
    const { rounds, groups } = await ask('1', 0.5);
    expect(rounds[1][0]).toMatchObject({ samples: 2, kind: 'read' });
    expect(rounds[1][0].judge?.('x').score).toBe(0);
    expect(groups).toHaveLength(2);
  });
});

const LINES = {
  'multi-round-memory': ['', ', memory_rounds: 1', ', memory_rounds: 1, lemmas: 3'],
  'didactic-teacher': ['', ', teacher_turns: 1', ', teacher_turns: 1, turn_discount: 0.25'],
  'consistency-check': ['', ', first_alone: 1', ', first_alone: 1, trace_share: 0.25'],
  'prerequisite-gate': ['', ', read_samples: 0', ', read_samples: 0, gate_threshold: 1'],
} as const;

describe.each(Object.entries(LINES))('%s', (name, [on, off, otherOff]) => {
  it('switched off samples plainly to the bit, trains on-policy to the bit, and gives the same after a kill', async () => {
    const small = (options: string) => ({ yaml: own(strategy(name, options)), verify });
    expect(await weightsAfter('', small(off))).toBe(await weightsAfter('', small(otherOff)));
    const { whole, killed } = await wholeAndKilled('', small(on));
    expect(killed).toEqual(whole);
    await withTossedRun(
      '',
      async (run) => {
        for (const step of (await goOn(run)).metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
      },
      small(on),
    );
  });
});
