/** Mistakes around strategies and levels, in the words that a user reads: before step 1, or with the run as it was before the batch. */
import { describe, expect, it } from 'vitest';
import { referenceBackend } from '../../../../../src/kernels/reference/engine.ts';
import type { RolloutStrategy } from '../../../../../src/methods/points.ts';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { weightsSha256 } from '../../../../../src/run/model/model_files.ts';
import { openRun, parseConfig } from '../../../../../test/support/everything.ts';
import { goOn, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { createTasks } from '../../../../../test/support/tasks.ts';

const FILE = './mine.ts';
const withStrategy = (rollOut: RolloutStrategy['rollOut']) => ({
  methods: {
    [FILE]: {
      id: 'mine',
      about: { does: 'A.', formula: 'a', source: 'own', certainty: 'own' },
      options: {},
      create: (): RolloutStrategy => ({ rollOut }),
    } as const,
  },
});

/** Plain sampling with something done to each completion. */
const changing =
  (change: (rollout: Rollout) => unknown): RolloutStrategy['rollOut'] =>
  async (requests, next) =>
    (await next(requests)).map((group) => ({ ...group, rollouts: group.rollouts.map(change) as Rollout[] }));

const NO_GROUPS = 'something else than groups — give a list of them, as they came';
const AS_THEY_CAME = 'for problem reverse_text-v1/train/3/0 — give groups as they came, with as many completions';

// biome-ignore format: a table
const MISTAKES: readonly (readonly [what: string, rollOut: RolloutStrategy['rollOut'], gave: string])[] = [
  ['nothing', async () => undefined as never, NO_GROUPS],
  ['no groups', async () => [], 'no groups — give those that were sampled'],
  ['something else', async () => ['a group'] as never, NO_GROUPS],
  ['too many groups', async (requests, next) => [...(await next(requests)), ...(await next(requests))],
    '32 completions in 8 groups, where 16 have room — give as many groups as were asked for, or leave some out in `select`'],
  ['too many completions', async (requests, next) => next(requests.map((request) => ({ ...request, samples: 8 }))),
    `8 completions where num_generations is 4 ${AS_THEY_CAME}`],
  ['turns of another text',
    changing((one) => ({ ...one, turns: [{ tokens: one.tokens, label: 'policy', text: 'another' }] })),
    `turns of another text than that of their completion ${AS_THEY_CAME}`],
  ['groups of no completions',
    async (requests, next) => (await next(requests)).map((group) => ({ ...group, rollouts: [] })),
    `no completions ${AS_THEY_CAME}`],
  ['groups of another problem',
    async (requests, next) => {
      const [first, ...others] = await next(requests);
      return [
        { ...first, prompt: others[0].prompt, item: { ...others[0].item, id: 'x' } },
        first,
        ...others.slice(1),
      ].map((group, i) => (i === 0 ? { ...group, item: first.item } : group));
    },
    `a prompt that is not that of its problem ${AS_THEY_CAME}`],
  ['foreign tokens', changing((one) => ({ ...one, tokens: one.tokens.map(() => 99) })),
    `token 99 of a vocabulary of 29 ${AS_THEY_CAME}`],
  ['rewards that are no numbers', changing((one) => ({ ...one, reward: Number.NaN })),
    `a completion without a verdict, or with the reward NaN ${AS_THEY_CAME}`],
  ['no verdicts', changing(({ verdict: _, ...one }) => ({ ...one, reward: 1 })),
    `a completion without a verdict, or with the reward 1 ${AS_THEY_CAME}`],
];

describe('a strategy of the user that gives', () => {
  it.each(MISTAKES)('%s stops the run in words, as it was before the batch', async (_, rollOut, gave) => {
    await withTossedRun(
      `rollout_strategies: [${FILE}]`,
      async (run) => {
        const before = await weightsSha256(run.engine.policy);
        const error = await goOn(run).catch((cause: unknown) => cause);
        expect(error).toMatchObject({ code: 'method-failed', message: `rollout strategies mine gave ${gave}.` });
        expect(run.journal.state).toMatchObject({ step: 0, itemsDrawn: 0, rolloutsDrawn: 0 });
        expect(await weightsSha256(run.engine.policy)).toBe(before);
      },
      withStrategy(rollOut),
    );
  });
});

describe('before step 1 is refused', () => {
  it('a task that has no hints, under a strategy that gives some', async () => {
    const yaml = `task: {name: verify_tasks, of: countdown}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1}
max_steps: 2
rollout_strategies: [hint-resample]`;
    const { config } = parseConfig(yaml, { file: 'a.yaml' });
    const opened = openRun(config, createTasks(config, { heldOutSample: 4 }), referenceBackend);
    await expect(opened).rejects.toThrow(
      /^hint-resample: shows a part of a solution, and answers of verify_tasks are a single token, or unknown; use a task of longer answers, such as countdown, or another method\.$/,
    );
  });

  it.each([
    [
      'rollout_strategies: [{name: prefix-branch, branches: 2}]',
      'prefix-branch — makes groups of trunks with 2 branches each, and they are of 8; use a num_generations that 3 divides',
    ],
    [
      'advantage_estimator: {name: canon}\nnum_generations: 3\ngeneration_batch_size: 12',
      'canon — splits groups in halves',
    ],
  ])('a group size that a method cannot have: %s', (lines, message) => {
    const text = `task: sort_digits\nmax_steps: 2\n${lines}`;
    expect(() => parseConfig(text, { file: 'a.yaml' })).toThrow(message);
  });

  it('a run whose levels speak different vocabularies', () => {
    const yaml = 'tasks: [{name: countdown, level: 0}, {name: countdown, level: 1, style: plain}]\nmax_steps: 2';
    const { config } = parseConfig(yaml, { file: 'a.yaml' });
    expect(() => createTasks(config)).toThrow(
      'tasks: countdown#1, countdown#2 — their vocabularies cannot be one, as some are made of words and some of characters, or of their own kind; train them apart.',
    );
  });
});
