/** A stage that begins with zero moments of Adam: its first step is no larger than the rate, and a kill is seen in no bit. */

import { expect, it } from 'vitest';
import { resolvedYaml } from '../../src/config/dump.ts';
import { train } from '../../src/grpo/trainer.ts';
import { parseConfig } from '../support/everything.ts';
import { wholeAndKilled, withTossedRun } from '../support/killed_runs.ts';
import { smallConfig } from '../support/small_runs.ts';

const RATE = 1e-3;

/** Two stages: three supervised steps at a rate of their own, then two steps of GRPO. */
const twoStages = (further: string): string => `
stages:
  - {stage: sft, max_steps: 3, learning_rate: 1.0e-2, per_device_train_batch_size: 8}
  - {stage: grpo, max_steps: 2, learning_rate: ${RATE}, lr_scheduler_type: constant, num_generations: 4, generation_batch_size: 16, reward_funcs: [lcs]${further}}
`;
const shared = smallConfig('')
  .split('\n')
  .filter((line) => /^(task|model|seed|eval_strategy)/.test(line))
  .join('\n');
const yamlOf = (further: string): string => `${shared}\n${twoStages(further)}`;

/** The largest change of a weight in the first step of the second stage, and the largest moments before it. */
function firstStep(further: string): Promise<{ readonly moved: number; readonly moments: readonly number[] }> {
  return withTossedRun(
    '',
    async (run) => {
      const { policy } = run.engine;
      const largest = (values: ArrayLike<number>): number =>
        Array.from(values).reduce((a, b) => Math.max(a, Math.abs(b)), 0);
      let before: Float32Array | undefined;
      let moments: number[] = [];
      for await (const event of train(run)) {
        if (event.type === 'evaluation' && event.moment === 'baseline') {
          before = (await policy.readVector('weights')).slice();
          const [first, second] = [await policy.readVector('firstMoment'), await policy.readVector('secondMoment')];
          moments = [largest(first), largest(second)];
        }
        if (event.type === 'step' && event.stage === 'grpo') break;
      }
      const start = before ?? new Float32Array();
      const after = await policy.readVector('weights');
      return { moved: largest(after.map((weight, i) => weight - start[i])), moments };
    },
    { yaml: yamlOf(further) },
  );
}

it('with reset_optimizer Adam moves no weight by more than the rate in its first step; without it the stage before does', async () => {
  const reset = await firstStep(', reset_optimizer: true');
  expect(reset.moments).toEqual([0, 0]);
  expect(reset.moved).toBeGreaterThan(RATE / 2);
  expect(reset.moved).toBeLessThan(RATE * (1 + 1e-3)); // float32 of the weights
  const carried = await firstStep('');
  expect(Math.min(...carried.moments)).toBeGreaterThan(0);
  expect(carried.moved).toBeGreaterThan(RATE * 1.05);
});

it('a run that is killed in the stage that it begins ends as one that was not', async () => {
  const yaml = yamlOf(', reset_optimizer: true').replace('max_steps: 3,', 'max_steps: 1,');
  const { whole, killed } = await wholeAndKilled('', { yaml });
  expect(killed).toEqual(whole);
});

it('false is left out of a resolved config, so that configs from before the key have the same hash', () => {
  const { config } = parseConfig(yamlOf(', reset_optimizer: false'), { file: 'inline' });
  expect(config).toEqual(parseConfig(yamlOf(''), { file: 'inline' }).config);
  expect(resolvedYaml(config)).not.toContain('reset_optimizer');
});
