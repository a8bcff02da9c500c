/** Credit by token from a teacher that sees more. */
import { describe, expect, it } from 'vitest';
import { stageOf as stageOfRun, type TrainingRun } from '../../../../../src/grpo/run.ts';
import { withSampledFigures } from '../../../../../src/grpo/score/sampled_figures.ts';
import { openStep } from '../../../../../src/grpo/step.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { collect, scoresOf } from '../../../../../test/grpo/step_parts.ts';
import { creditedGroup, creditStep, tokenAdvantagesOf } from '../../../../../test/support/credit.ts';
import { goOn, tossed, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import type { SmallRun } from '../../../../../test/support/small_runs.ts';
import { teacherLogprobs } from '../../../methods/uses/teacher_logprobs.ts';

const taughtBy = teacherLogprobs(() => undefined).of;

const line = (options = ''): string => `credit_steps: [{name: teacher-credit${options}}]`;

const logprobs = Float32Array.of(-2, -1, -3);

describe('teacher-credit', () => {
  it('adds how much likelier the teacher finds a token, up to the cap, and nothing to what was put in', () => {
    const { apply, logged } = creditStep('teacher-credit', { teacher_weight: 0.5, teacher_cap: 2 });
    const taught = { length: 3, logprobs, labels: Uint8Array.of(0, TOKEN.given, 0) };
    const [group] = apply([
      creditedGroup([
        { ...taught, advantage: 1, figures: { teacherLogprobs: Float32Array.of(-1, -9, -8) } },
        { length: 3, logprobs, advantage: -1 },
      ]),
    ]);
    expect(tokenAdvantagesOf(group)).toEqual([
      [1.5, 1, 0],
      [-1, -1, -1],
    ]);
    expect(logged).toEqual({ taught: 0.5, difference: (1 - 5) / 2 });
  });

  it('gives a group of equal rewards something to learn, and is the identity at a weight of 0', () => {
    const dead = creditedGroup(
      [{ length: 3, logprobs, figures: { teacherLogprobs: Float32Array.of(-1, -1, -1) } }, { length: 3 }],
      { dead: true },
    );
    expect(creditStep('teacher-credit').apply([dead])[0].dead).toBe(false);
    expect(creditStep('teacher-credit', { teacher_weight: 0 }).apply([dead])).toEqual([dead]);
  });

  /** Everything is wrong, and this is said of it. */
  const saying = (feedback: string): Partial<SmallRun> => ({
    verify: () => ({ score: 0, status: 'incorrect', reason: 'no', feedback, parts: { lcs: 0.5 } }),
    rewards: {},
  });

  const taught = async (run: TrainingRun) => {
    const stage = stageOfRun(run) as Extract<ReturnType<typeof stageOfRun>, { stage: 'grpo' }>;
    const { groups } = await collect(run);
    await run.engine.policy.copySet('reference', 'policy');
    return withSampledFigures(run.engine, openStep(run, stage), run.journal, groups);
  };

  it('is 0 to the bit where the teacher is told nothing and is the policy itself', async () => {
    await withTossedRun(
      line(),
      async (run) => {
        for (const { rollouts } of await taught(run)) {
          for (const rollout of rollouts) expect(taughtBy(rollout) ?? rollout.logprobs).toEqual(rollout.logprobs);
        }
      },
      saying(''),
    );
  });

  it("is told a right completion of the group that is not the own one, or what was wrong, in the reference's words", async () => {
    await withTossedRun(line(', teacher_shows: sibling'), async (run) => {
      let shown = 0;
      for (const { item, rollouts } of await taught(run)) {
        for (const rollout of rollouts) {
          const { tokens } = rollout;
          const logprobsOfTeacher = taughtBy(rollout);
          const sibling = rollouts.find(
            ({ verdict, tokens: own }) => verdict.score === 1 && own.join() !== tokens.join(),
          );
          expect(logprobsOfTeacher === undefined).toBe(sibling === undefined);
          if (sibling === undefined || logprobsOfTeacher === undefined) continue;
          shown++;
          const ended = sibling.finishReason === 'eos' ? sibling.tokens.subarray(0, -1) : sibling.tokens;
          const prompt = run.engine.tasks.shownTokens(item, ended);
          const [scores] = await scoresOf(run, { prompt, completions: [tokens] }, { which: 'reference' });
          expect([...logprobsOfTeacher]).toEqual([...scores.logprobs]);
        }
      }
      expect(shown).toBeGreaterThan(2);
    });
  });

  it('is plain to the bit at a weight of 0, and refused where only feedback may be shown and the task gives none', async () => {
    const { whole: plain } = await wholeAndKilled('');
    const { whole: off } = await wholeAndKilled(line(', teacher_weight: 0'));
    expect(off).toEqual(plain);
    await expect(withTossedRun(line(', teacher_shows: feedback'), goOn)).rejects.toThrow(
      /^teacher-credit: shows what was wrong, and reverse_text does not say it; /,
    );
  });

  it.each(['', '\nper_device_train_batch_size: 2\nnum_iterations: 2'])(
    'gives the same weights and metrics after a kill%s',
    async (more) => {
      const { whole, killed } = await wholeAndKilled(line() + more, { verify: tossed(3) });
      expect(whole.metrics.some((step) => Number((step as Record<string, unknown>)['teacher-credit/taught']) > 0)).toBe(
        true,
      );
      expect(killed).toEqual(whole);
    },
  );
});
