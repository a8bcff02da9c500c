import { counted } from '../../../../src/format.ts';
import { type Controller, choice, type Evaluation, integer, keys, method, number } from '../kit.ts';

const FIGURES: Readonly<Record<'accuracy' | 'mean_at_k', (evaluation: Evaluation) => number>> = {
  accuracy: ({ accuracy }) => accuracy.mean,
  mean_at_k: ({ meanAtK }) => meanAtK.mean,
};

export const earlyStopMetric = method({
  id: 'early-stop-metric',
  about: {
    does: 'Ends the stage where evaluations have stopped improving.',
    formula: 'end where the best of stop_metric is stop_patience evaluations old',
    source: 'own',
    certainty: 'own',
    when: 'Where training past the best evaluation costs time or accuracy; evaluations must be frequent and large enough.',
  },
  options: keys({
    stopMetric: choice(['accuracy', 'mean_at_k'])
      .default('accuracy')
      .describe('What must improve: greedy accuracy, or that of the samples.'),
    stopPatience: integer({ min: 1, example: 3 }).default(3).describe('Evaluations without a new best before the end.'),
    leastGain: number({ min: 0, below: 1, example: 0.005 })
      .default(0)
      .describe('How far above the best a new best must be.'),
  }),
  create: ({ stopMetric, stopPatience, leastGain }): Controller => {
    let [best, since] = [Number.NEGATIVE_INFINITY, 0];
    return {
      async afterEvaluation(evaluation, levers) {
        const value = FIGURES[stopMetric](evaluation);
        since = value > best + leastGain ? 0 : since + 1;
        best = Math.max(best, value);
        if (since >= stopPatience) {
          levers.endStage(
            `${stopMetric} has not risen above ${best.toPrecision(3)} in ${counted(since, 'evaluation')}`,
          );
        }
      },
      state: () => ({ best: Number.isFinite(best) ? best : null, since }),
      restore(state) {
        const kept = state as { readonly best: number | null; readonly since: number }; // written by `state`
        [best, since] = [kept.best ?? Number.NEGATIVE_INFINITY, kept.since];
      },
    };
  },
});
