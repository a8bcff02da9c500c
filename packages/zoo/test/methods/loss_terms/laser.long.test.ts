/** The score of a completion by itself: its term of the loss, its place in the batch, and what is learned from it besides. */
import { describe, expect, it } from 'vitest';
import { stageOf as stageOfRun } from '../../../../../src/grpo/run.ts';
import type { LossTerm, ScoredText, TextSources } from '../../../../../src/methods/points.ts';
import type { CreditedGroup } from '../../../../../src/methods/records.ts';
import { packBatch } from '../../../../../src/model/batch.ts';
import { wordTokens } from '../../../../../src/text/control_words.ts';
import {
  type Answer,
  answered,
  collect,
  credit,
  gradientOf,
  reinforced,
  scoresOf,
  update,
} from '../../../../../test/grpo/step_parts.ts';
import { creditedGroup, creditStep } from '../../../../../test/support/credit.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, tossed, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';
import { SELF_SCORE, selfScore } from '../../../methods/support/rollouts/self_score.ts';

const line = (options = ''): string => `loss_terms: [{name: laser${options}}]`;
const WORD = Int32Array.of(7);

function termOf(options = ''): LossTerm {
  const { lossTerms } = createMethods(stageOf(line(options)));
  return lossTerms.find(({ id }) => id === 'laser')?.part as LossTerm;
}

const context = stepContext(stageOf(line()));
const sources: TextSources = { ...context, demonstrations: () => [], wordTokens: () => WORD };

/** Of these verdicts, the last completion cut off. */
const groupOfVerdicts = (scores: readonly number[]): CreditedGroup =>
  creditedGroup([
    ...scores.map((score, i) => ({ length: i + 1, verdict: { score, status: 'correct', reason: '' } as const })),
    { length: 2, finishReason: 'length' as const },
  ]);

/** Its loss and slopes where the word has these log-probs behind the completions. */
function scored(term: LossTerm, groups: readonly CreditedGroup[], logprobs: readonly number[]) {
  term.begin?.(groups, context);
  const texts = (term.texts?.(sources) ?? []).map(
    (text, i): ScoredText => ({ ...text, logprobs: Float32Array.of(logprobs[i]), entropies: new Float32Array(1) }),
  );
  const gradients = texts.map(() => ({
    losses: new Float64Array(1),
    dLogprobs: new Float64Array(1),
    dEntropies: new Float64Array(1),
  }));
  term.addTexts?.(texts, gradients, context);
  return {
    texts,
    loss: gradients.reduce((sum, { losses }) => sum + losses[0], 0),
    slopes: gradients.map(({ dLogprobs }) => dLogprobs[0]),
    measured: term.afterUpdate?.({ entropy: 0 }),
  };
}

describe('the score of a completion by itself', () => {
  it('is 0 for a policy that knows nothing, and 1 for one that is certain; or as the options say', () => {
    const own = selfScore({}, 50);
    expect(own.at(-Math.log(50))).toBeCloseTo(0, 12);
    expect(own.at(0)).toBeCloseTo(1, 12);
    const paper = selfScore({ scoreConstant: -23, scoreScale: 0.1 }, 50);
    expect([paper.at(-23), paper.at(-13)]).toEqual([0, 1]);
  });
});

describe('laser', () => {
  const groups = [groupOfVerdicts([1, 0]), groupOfVerdicts([0, 0])];
  const options = ', laser_coef: 0.5, score_constant: -20, score_scale: 0.1';
  const logprobs = [-8, -19, -25, -12];

  it('is the squared error of the scores, right and wrong ones alike; what was cut off is left out', () => {
    const { loss, texts, measured } = scored(termOf(options), groups, logprobs);
    expect(texts).toHaveLength(4);
    const errors = logprobs.map((logprob, i) => (0.1 * (logprob + 20) - (i === 0 ? 1 : 0)) ** 2);
    const mean = (errors[0] * (4 / 2) + (errors[1] + errors[2] + errors[3]) * (4 / 6)) / 4;
    expect(loss).toBeCloseTo(0.5 * mean, 6);
    expect(measured?.['laser/score_right']).toBeCloseTo(1.2, 6);
    expect(measured?.['laser/score_wrong']).toBeCloseTo((0.1 - 0.5 + 0.8) / 3, 6);
    expect(measured?.['laser/told']).toBeCloseTo(3 / 4, 12);
  });

  it('has the derivatives that it gives, by finite differences', () => {
    const { slopes } = scored(termOf(options), groups, logprobs);
    const step = 2 ** -8;
    slopes.forEach((slope, i) => {
      const at = (by: number): number =>
        scored(
          termOf(options),
          groups,
          logprobs.map((value, j) => (j === i ? value + by : value)),
        ).loss;
      expect((at(step) - at(-step)) / (2 * step)).toBeCloseTo(slope, 5);
    });
  });

  it('moves nothing where every score is right', () => {
    const { loss, slopes } = scored(termOf(options), groups, [-10, -20, -20, -20]);
    expect(loss).toBeCloseTo(0, 12);
    for (const slope of slopes) expect(slope).toBeCloseTo(0, 7);
  });

  it('is absent to the bit at a weight of 0: no token is added, and none is scored', async () => {
    const { whole: plain } = await wholeAndKilled('');
    const { whole: off } = await wholeAndKilled(line(', laser_coef: 0'));
    expect(off).toEqual(plain);
  });

  it('adds the gradient of the word behind each completion, by itself', async () => {
    const answers: readonly Answer[] = [
      { text: 'ab', reward: 1 },
      { text: 'zyx', reward: 0 },
      { text: 'abcde', reward: 0, cut: true },
      { text: '', reward: 0 },
    ];
    for (const completions of [12, 4]) {
      const keys = { learning_rate: 1e-30, temperature: 0.8, per_device_train_batch_size: completions };
      const run = await reinforced({ ...keys, loss_terms: [{ name: 'laser', laser_coef: 3 }] });
      const groups = (await credit(run, await answered(run, [answers, answers, answers]))).map((group) => ({
        ...group,
        advantages: new Float32Array(group.rollouts.length),
      }));
      const { totals } = await update(run, groups, { onPolicy: true });
      const together = await gradientOf(run);
      const word = wordTokens(run.engine.tasks.codec, SELF_SCORE);
      const score = selfScore({}, run.engine.tasks.codec.vocabSize);
      let loss = 0;
      for (const { prompt, rollouts } of groups) {
        for (const { tokens, finishReason } of rollouts) {
          if (finishReason === 'length') continue;
          const behind = Int32Array.from([...prompt, ...tokens]);
          const batch = packBatch([{ prompt: behind, completions: [word] }]);
          const { logprobs } = await run.engine.policy.forward(batch, 0.8);
          const v = score.at(logprobs[0]); // none of them is right: w/n is 1/(2·9)
          loss += (3 * v ** 2) / 18;
          await run.engine.policy.backward({
            logprobs: Float32Array.of((6 * v * score.slope) / 18),
            entropies: new Float32Array(1),
          });
        }
      }
      await run.engine.policy.optimize({ ...stageOfRun(run).optimizer, learningRate: 1e-30, adamStep: 2 });
      const alone = await gradientOf(run);
      const apart = together.map((value, i) => value - alone[i]);
      expect(Math.hypot(...alone)).toBeGreaterThan(1e-3);
      expect(Math.hypot(...apart)).toBeLessThanOrEqual(1e-6 * Math.hypot(...alone));
      expect(totals.loss).toBeCloseTo(loss, 6);
    }
  });

  it("scores the word behind a completion to the same bits whether the prompt's rows are shared or not", async () => {
    await withTossedRun(line(), async (run) => {
      const word = wordTokens(run.engine.tasks.codec, SELF_SCORE);
      const [{ prompt, rollouts }] = (await collect(run)).groups;
      const [{ tokens }] = rollouts;
      const { logprobs } = await run.engine.policy.forward(
        packBatch([
          {
            prompt,
            completions: [Int32Array.from([...tokens, ...word])],
            labels: [new Uint8Array(tokens.length + 1).fill(1, 0, tokens.length)],
          },
        ]),
        1,
      );
      const behind = Int32Array.from([...prompt, ...tokens]);
      const [alone] = await scoresOf(run, { prompt: behind, completions: [word] });
      expect([...logprobs]).toEqual([...alone.logprobs]);
    });
  });

  it('learns to tell right completions from wrong ones', async () => {
    const lines = `${line(', laser_coef: 2')}\nlr_scheduler_type: constant`;
    const told = await withTossedRun(
      lines,
      async (run) => {
        const { metrics } = await goOn(run);
        return metrics.map((step) => Number(step['laser/score_right']) - Number(step['laser/score_wrong']));
      },
      { verify: tossed(2), overrides: ['max_steps=40', 'learning_rate=0.02'] },
    );
    const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
    expect(mean(told.slice(-10).filter(Number.isFinite))).toBeGreaterThan(
      mean(told.slice(0, 10).filter(Number.isFinite)),
    );
  });

  it.each([
    ['a pass', ''],
    ['several steps', '\nnum_iterations: 2'],
    ['micro-batches', '\nper_device_train_batch_size: 4'],
    [
      'several steps beside verdicts',
      '\nnum_iterations: 2\nrollout_strategies: [{name: self-verify, verify_share: 1}]',
    ],
    ['several steps beside comparisons', '\nnum_iterations: 2\nrollout_strategies: [recycle-judge]'],
  ])('gives the same weights and metrics after a kill, in %s', async (_, more) => {
    const { whole, killed } = await wholeAndKilled(line() + more);
    expect(killed).toEqual(whole);
  });
});

describe('self-score-mix', () => {
  /** Log-probs whose scores are these, and one above what counts. */
  const scoring = { score_constant: -10, score_scale: 0.1 };
  const group = (selfLogprobs: readonly (number | undefined)[]): CreditedGroup =>
    creditedGroup(
      selfLogprobs.map((selfLogprob, i) => ({
        advantage: i - 1,
        ...(selfLogprob !== undefined && { figures: { selfLogprob } }),
      })),
    );

  it('mixes the normalised score of a completion into its advantage', () => {
    const { apply, logged } = creditStep('self-score-mix', { ...scoring, self_score_share: 0.25 });
    const [mixed] = apply([group([-10, -5, 30])]); // 0, 0.5 and 1 at most
    [-1, 0, 1].forEach((advantage, i) =>
      expect(mixed.advantages[i]).toBeCloseTo(0.75 * advantage + 0.25 * advantage, 3),
    );
    expect(logged).toEqual({ groups: 1 });
  });

  it('leaves a group as it is whose scores are too much alike, and completions without one', () => {
    const { apply } = creditStep('self-score-mix', scoring);
    const [alike] = apply([group([-5, -5.1, -5.2])]);
    expect([...alike.advantages]).toEqual([-1, 0, 1]);
    const [some] = apply([group([-10, 0, undefined])]);
    expect(some.advantages[2]).toBe(1);
  });

  it('reads the score that laser trains, and refuses another', () => {
    const both = (options: string) => `${line(', score_scale: 0.1')}\ncredit_steps: [{name: self-score-mix${options}}]`;
    expect(() => stageOf(...both(', score_scale: 0.1').split('\n'))).not.toThrow();
    expect(() => stageOf(...both('').split('\n'))).toThrow(
      /score_scale is .*, where both mean the same; give both the same score_scale/,
    );
  });

  it('scores completions as the policy that sampled them finds them', async () => {
    const lines = `${line()}\ncredit_steps: [self-score-mix]`;
    const { whole, killed } = await wholeAndKilled(lines);
    expect(killed).toEqual(whole);
    expect(Number((whole.metrics[0] as Record<string, unknown>)['self-score-mix/groups'])).toBeGreaterThanOrEqual(0);
  });
});
