/** Rollouts that are trained under another prompt than that of their group, or than they were sampled under. */
import { describe, expect, it } from 'vitest';
import type { RolloutStrategy } from '../../../../src/methods/points.ts';
import { completionRecords } from '../../../../src/run/logs/completions.ts';
import {
  answered,
  collect,
  credit,
  gradientOf,
  reinforced,
  scoresOf,
  slopes,
  update,
} from '../../../../test/grpo/step_parts.ts';
import { goOn, withTossedRun } from '../../../../test/support/killed_runs.ts';
import { withoutHint } from '../../methods/support/rollouts/hints.ts';
import { furtherPrompts, shownTexts } from '../../methods/uses/room.ts';

/** Strategies of the test's own, in the place of a file of the user's. */
const FILE = './mine.ts';
const LINE = `rollout_strategies: [${FILE}]`;
const own = (rollOut: RolloutStrategy['rollOut'], prompts = 0) => ({
  methods: {
    [FILE]: {
      id: 'mine',
      about: { does: 'A.', formula: 'a', source: 'own', certainty: 'own' },
      options: {},
      uses: () => [shownTexts(1), furtherPrompts(prompts)],
      create: (): RolloutStrategy => ({ rollOut }),
    } as const,
  },
});

/** Every problem, showing its answer. */
const shown: RolloutStrategy['rollOut'] = (requests, next, tools) =>
  next(requests.map((request) => ({ ...request, prompt: tools.shown(request.item, tools.solution(request.item)) })));

/** The same, and every second completion as if it had not been shown. */
const halfUnhinted: RolloutStrategy['rollOut'] = async (requests, next, tools) =>
  (await shown(requests, next, tools)).map((group) =>
    tools.regroup(
      group,
      group.rollouts.map((rollout, i) => (i % 2 === 1 ? withoutHint(rollout) : rollout)),
    ),
  );

describe('a prompt of its own', () => {
  it('shows the answer and an end before the problem, and is what a completion is sampled under', async () => {
    await withTossedRun(
      LINE,
      async (run) => {
        const { groups } = await collect(run);
        const { codec } = run.engine.tasks;
        let tokens = 0;
        for (const { item, prompt, rollouts } of groups) {
          const expected = [...codec.encode(item.answer), codec.eosTokenId, ...codec.encode(item.prompt)];
          for (const rollout of rollouts) {
            expect([...(rollout.prompt ?? [])]).toEqual(expected);
            tokens += rollout.tokens.length;
          }
          expect(prompt).toEqual(codec.encode(item.prompt));
        }
        expect(tokens).toBeGreaterThan(10_000);
        const { totals } = await update(run, await credit(run, groups), { onPolicy: true });
        expect(totals.logprobDifferenceMax).toBe(0);
      },
      { ...own(shown), overrides: ['num_generations=8', 'generation_batch_size=2048'] },
    );
  });

  it('may differ within a group: what is trained as it was sampled is on-policy, the rest is left to its ratio', async () => {
    await withTossedRun(
      LINE,
      async (run) => {
        const { metrics, batches } = await goOn(run);
        for (const step of metrics) {
          expect(step['sampling/sampling_logp_difference/max']).toBe(0);
          expect(Number(step['clip_ratio/region_mean'])).toBeGreaterThan(0);
        }
        const [{ rollouts }] = batches[0].groups;
        expect(rollouts.map(({ isOffPolicy }) => isOffPolicy)).toEqual([undefined, true, undefined, true]);
      },
      own(halfUnhinted, 3),
    );
  });

  it('stops the run in words where no room was asked for', async () => {
    await expect(
      withTossedRun(`${LINE}\nper_device_train_batch_size: 4`, (run) => goOn(run, 1), own(halfUnhinted)),
    ).rejects.toThrow(
      /rollout strategies mine gave completions under 4 prompts, of \d+ tokens in all, where 1 and \d+ have room/,
    );
  });
});

describe('the loss of a group under several prompts', () => {
  it('is that of each completion under its own, and so is its gradient, by finite differences', async () => {
    const run = await reinforced({ rollout_strategies: [FILE] }, own(shown, 3));
    try {
      const [first] = await answered(run, [
        [
          { text: 'ab', reward: 1 },
          { text: 'ba', reward: 0 },
          { text: 'b', reward: 0 },
          { text: 'aab', reward: 1 },
        ],
      ]);
      const view = run.engine.tasks.shownTokens(first.item, run.engine.tasks.codec.encode('ba'));
      const rollouts = first.rollouts.map((rollout, i) =>
        i === 1 || i === 2 ? { ...rollout, prompt: view } : rollout,
      );
      const group = { ...first, rollouts: rollouts.map((one, i) => (i === 2 ? withoutHint(one) : one)) };
      expect(group.rollouts[2].prompt).toBeUndefined();
      expect(group.rollouts[2].sampledUnder).toBe(view);
      const groups = await credit(run, [group]);
      const loss = async (): Promise<number> => {
        const tokens = group.rollouts.reduce((sum, one) => sum + one.tokens.length, 0);
        let sum = 0;
        for (const [i, { tokens: own, prompt = group.prompt, logprobs }] of group.rollouts.entries()) {
          const [scores] = await scoresOf(run, { prompt, completions: [own] });
          const advantage = groups[0].advantages[i];
          for (let t = 0; t < own.length; t++) {
            const ratio = Math.exp(scores.logprobs[t] - logprobs[t]);
            const clipped = Math.min(Math.max(ratio, 0.8), 1.2);
            sum -= Math.min(ratio * advantage, clipped * advantage) / tokens;
          }
        }
        return sum;
      };
      const expected = await loss();
      const before = Float64Array.from(await run.engine.policy.engine.read(run.engine.policy.slots.weights.trainable));
      const { totals } = await update(run, groups, { onPolicy: false });
      expect(Math.abs(totals.loss - expected)).toBeLessThan(1e-6); // advantages and log-probs are float32
      run.engine.policy.writeVector('weights', before);
      expect((await gradientOf(run)).some((value) => value !== 0)).toBe(true);
      const { gradient, differences, norm } = await slopes(run, loss);
      expect(Math.abs(gradient - differences)).toBeLessThan(1e-5 * norm);
    } finally {
      await run.engine.policy.close();
    }
  });
});

describe('completions.jsonl', () => {
  it('has both prompts of a rollout, and what it did not sample', async () => {
    await withTossedRun(
      LINE,
      async (run) => {
        const groups = await credit(run, (await collect(run)).groups);
        const [hinted, bare] = completionRecords(1, groups, ['lcs'], (tokens) => run.engine.tasks.codec.decode(tokens));
        expect(hinted).toMatchObject({ prompt: groups[0].item.prompt });
        expect(hinted.sampled_under).toBe(hinted.trained_under);
        expect(String(hinted.trained_under)).toContain(groups[0].item.prompt);
        expect(bare.sampled_under).toBe(hinted.sampled_under);
        expect(bare).not.toHaveProperty('trained_under');
        expect(bare).not.toHaveProperty('given');
      },
      own(halfUnhinted, 3),
    );
  });
});
