/** What reward functions log beside their values: columns of completions, and metrics of a step. */
import { describe, expect, it } from 'vitest';
import { METRIC_FACTS } from '../../../zoo/catalogue/metric_facts.ts';
import { type RewardBatch, type RewardFunction, scoreRewards } from '../../rewards.ts';
import { batchOf } from './reward_batch.ts';

const batch = batchOf([{ text: 'a' }, { text: 'bb' }]);

const logging = (log: (given: Required<RewardBatch>) => unknown, name = 'mine'): RewardFunction => ({
  name,
  score: (given) => {
    log(given as Required<RewardBatch>);
    return given.completions.map(() => 1);
  },
});

it('columns have a value for each completion; a metric has every number that was logged, of all functions', async () => {
  const { logs, failures } = await scoreRewards(
    [
      logging(({ logExtra, logMetric }) => {
        logExtra('tone', ['polite', null]);
        logMetric('words', 1);
        logMetric('words', 2);
      }),
      logging(({ logExtra, logMetric }) => {
        logExtra('constructor', [true, 0.5]);
        logMetric('words', 6);
      }, 'other'),
    ],
    batch,
  );
  expect(failures).toEqual([]);
  expect(logs).toEqual({
    columns: [
      ['tone', ['polite', null]],
      ['constructor', [true, 0.5]],
    ],
    metrics: [['words', [1, 2, 6]]],
  });
});

describe('a call fails, and nothing that its function has logged counts', () => {
  const both = ['ok', 'ok'];
  it.each<[string, (given: Required<RewardBatch>) => unknown, string]>([
    [
      'with too few values',
      ({ logExtra }) => logExtra('b', ['x']),
      'logExtra("b") is given 1 values for 2 completions',
    ],
    ['with no list', ({ logExtra }) => logExtra('b', 'xy' as never), 'logExtra("b") is given "xy"; give a list'],
    [
      'with NaN',
      ({ logExtra }) => logExtra('b', [1, Number.NaN]),
      'logExtra("b") is given NaN for completion 2; give a',
    ],
    [
      'with a list',
      ({ logExtra }) => logExtra('b', [[], 1] as never),
      'is given an object for completion 1; give a text',
    ],
    ['with a hole', ({ logExtra }) => logExtra('b', new Array(2)), 'is given undefined for completion 1'],
    ['twice', ({ logExtra }) => logExtra('a', both), 'logExtra("a") was called before for this batch; call it once'],
    ['without a name', ({ logExtra }) => logExtra(' ', both), 'logExtra is given " " as a name; a name has 1 to 64'],
    ['with a line as a name', ({ logMetric }) => logMetric('a\nb', 1), 'logMetric is given "a\\nb" as a name'],
    ['with __proto__', ({ logExtra }) => logExtra('__proto__', both), 'logExtra is given "__proto__" as a name'],
    ['with no number', ({ logMetric }) => logMetric('m', Infinity), 'logMetric("m") is given Infinity; give a finite'],
  ])('%s', async (_, log, says) => {
    const reward = logging((given) => {
      given.logExtra('a', both);
      log(given);
    });
    const { failures, logs } = await scoreRewards([reward], batch);
    expect(failures.map(({ message }) => message).join('\n')).toContain(says);
    expect(logs).toEqual({ columns: [], metrics: [] });
  });

  it('with the name of any metric that a run has itself', async () => {
    for (const { name } of METRIC_FACTS) {
      const own = name.replaceAll('<', '').replaceAll('>', '');
      const { failures } = await scoreRewards([logging(({ logMetric }) => logMetric(own, 1))], batch);
      expect(failures[0]?.message, own).toContain(`logMetric("${own}") would hide a metric of the run's own`);
    }
  });

  it('with a column of another function', async () => {
    const log = ({ logExtra }: Required<RewardBatch>): unknown => logExtra('a', both);
    const { failures, logs } = await scoreRewards([logging(log), logging(log, 'other')], batch);
    expect(failures).toEqual([
      {
        name: 'other',
        message: 'reward "other" logs the column "a" in step 1, as reward "mine" does — give it another name.',
        rows: [0, 1],
      },
    ]);
    expect(logs.columns).toEqual([['a', both]]);
  });
});
