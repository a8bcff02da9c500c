import { z } from 'zod';
import { RlvrError } from '../../errors.ts';
import { choice, integer, key, number, text } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { Controller, Levers } from '../points.ts';
import type { Evaluation } from '../records.ts';

const CONDITION = /^([^\s<>=]+) *(>=|<=) *(-?[0-9.]+(?:e-?[0-9]+)?)$/;
const SIDES = { least: '>=', most: '<=' } as const;

/** Ends the stage once it has reached a goal: `until: eval_accuracy >= 0.8`. */
export const until = method({
  id: 'until',
  about: {
    does: 'Ends the stage where a metric of its steps or of its evaluations has come so far.',
    names: ['stages', 'accuracy gate'],
    formula: 'end where until_metric ≥ until_value (≤ for until_side: most), until_times in a row',
    source: '2511.06307',
    certainty: 'after the paper',
    when: 'To go to the next stage when this one has done its part, at a reward or an accuracy; a noisy metric wants until_times.',
  },
  options: {
    untilMetric: key(
      'until_metric',
      text('eval_mean@8').describe('As metrics.jsonl calls it: reward, eval_accuracy or eval_mean@8, say.'),
    ),
    untilValue: key('until_value', number({ example: 0.8 }).describe('What it must reach.')),
    untilSide: key(
      'until_side',
      choice(['least', 'most']).default('least').describe('Whether it must be at least so much, or at most.'),
    ),
    untilTimes: key(
      'until_times',
      integer({ min: 1, example: 3 }).default(1).describe('Steps or evaluations in a row that must have come so far.'),
    ),
  },
  switchedOnBy: {
    key: key(
      'until',
      z
        .string()
        .regex(CONDITION, { error: 'must be a metric, >= or <=, and a number; for example eval_accuracy >= 0.8' })
        .optional()
        .describe('Ends the stage where a metric has come so far: eval_accuracy >= 0.8. Default: after max_steps.'),
    ),
    on(value) {
      const [, metric, side, figure] = CONDITION.exec(String(value)) ?? [];
      if (metric === undefined) return undefined;
      return { until_metric: metric, until_value: Number(figure), until_side: side === '>=' ? 'least' : 'most' };
    },
    written: ({ until_metric: metric, until_value: value, until_side: side, until_times: times = 1 }) =>
      times === 1 && typeof value === 'number'
        ? `${metric} ${SIDES[side === 'most' ? 'most' : 'least']} ${value}`
        : undefined,
  },
  create: ({ untilMetric, untilValue, untilSide, untilTimes }): Controller => {
    let times = 0;
    const check = (value: number | undefined, levers: Levers): void => {
      if (value === undefined) return;
      const isThere = untilSide === 'least' ? value >= untilValue : value <= untilValue;
      times = isThere ? times + 1 : 0;
      if (times < untilTimes) return;
      levers.endStage(`${untilMetric} is ${Number(value.toPrecision(4))}, ${SIDES[untilSide]} ${untilValue}`);
    };
    return {
      async afterStep(metrics, levers) {
        const value = metrics[untilMetric];
        if (value === undefined && 'reward' in metrics && !/^eval_|\//.test(untilMetric)) {
          throw noSuchMetric(untilMetric, Object.keys(metrics));
        }
        check(typeof value === 'number' ? value : undefined, levers);
      },
      async afterEvaluation(evaluation, levers) {
        check(evaluationFigure(evaluation, untilMetric), levers);
      },
      state: () => times,
      restore: (state) => {
        times = Number(state);
      },
    };
  },
});

/** A figure of an evaluation by its name in metrics.jsonl. */
function evaluationFigure(evaluation: Evaluation, name: string): number | undefined {
  const { accuracy, byTask = {}, meanAtK, samples, passAtK, figures = {} } = evaluation;
  const byName: Record<string, number> = { eval_accuracy: accuracy.mean, [`eval_mean@${samples}`]: meanAtK.mean };
  for (const [task, own] of Object.entries(byTask)) {
    byName[`eval_accuracy/${task}`] = own.accuracy.mean;
    byName[`eval_mean@${samples}/${task}`] = own.meanAtK.mean;
  }
  for (const [k, { mean }] of Object.entries(passAtK)) byName[`eval_pass@${k}`] = mean;
  for (const [figure, { mean }] of Object.entries(figures)) byName[`eval_${figure}`] = mean;
  return Object.hasOwn(byName, name) ? byName[name] : undefined;
}

function noSuchMetric(name: string, known: readonly string[]): RlvrError {
  const message = `until: ${name} — no metric of this stage; it logs ${known.join(', ')}, and those of evaluations begin with eval_.`;
  return new RlvrError('unknown-metric', message, { name });
}
