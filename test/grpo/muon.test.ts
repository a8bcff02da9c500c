/** Runs whose stages step by Muon: killed and whole, a change of optimizer, and what a config says of it. */
import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../src/config/dump.ts';
import { train } from '../../src/grpo/trainer.ts';
import type { TrainedVector } from '../../src/model/policy.ts';
import { parseConfig } from '../support/everything.ts';
import { wholeAndKilled, withTossedRun } from '../support/killed_runs.ts';
import { smallConfig } from '../support/small_runs.ts';

it('a run that is killed ends as one that was not, and not as one by AdamW', async () => {
  const { whole, killed } = await wholeAndKilled('optim: muon');
  expect(killed).toEqual(whole);
  expect((await wholeAndKilled('')).whole.sha256).not.toBe(whole.sha256);
});

const shared = smallConfig('')
  .split('\n')
  .filter((line) => /^(task|model|seed|eval_strategy)/.test(line))
  .join('\n');
const twoStages = (first: string, second: string): string => `${shared}
stages:
  - {stage: sft, max_steps: 2, learning_rate: 1.0e-2, per_device_train_batch_size: 8, optim: ${first}}
  - {stage: grpo, max_steps: 2, learning_rate: 1.0e-3, num_generations: 4, generation_batch_size: 16, reward_funcs: [lcs], optim: ${second}}
`;

/** The largest moments that the second stage begins with, and those after its first step. */
function momentsOf(first: string, second: string): Promise<{ readonly before: number[]; readonly after: number[] }> {
  return withTossedRun(
    '',
    async (run) => {
      const { policy } = run.engine;
      const largest = async (which: TrainedVector): Promise<number> =>
        (await policy.readVector(which)).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const read = async () => [await largest('firstMoment'), await largest('secondMoment')];
      let before: number[] = [];
      for await (const event of train(run)) {
        if (event.type === 'evaluation' && event.moment === 'baseline') before = await read();
        if (event.type === 'step' && event.stage === 'grpo') break;
      }
      return { before, after: await read() };
    },
    { yaml: twoStages(first, second) },
  );
}

describe('a stage after another', () => {
  it.each([
    ['adamw', 'muon'],
    ['muon', 'adamw'],
  ])('begins with zero moments from %s to %s', async (first, second) => {
    const { before, after } = await momentsOf(first, second);
    expect(before).toEqual([0, 0]);
    expect(Math.min(...after)).toBeGreaterThan(0);
  });

  it('keeps the moments with the same optimizer', async () => {
    expect(Math.min(...(await momentsOf('muon', 'muon')).before)).toBeGreaterThan(0);
  });

  it('is resumed after a kill within the stage that changes it', async () => {
    const yaml = twoStages('adamw', 'muon').replace('max_steps: 2,', 'max_steps: 1,');
    const { whole, killed } = await wholeAndKilled('', { yaml });
    expect(killed).toEqual(whole);
  });
});

describe('the key', () => {
  const configOf = (line: string) => parseConfig(smallConfig(line), { file: 'inline' }).config;

  it('is left out of a resolved config by its default and its other names, so that older configs keep their hash', () => {
    for (const name of ['adamw', 'adamw_torch', 'adamw_torch_fused']) {
      const config = configOf(`optim: ${name}`);
      expect(config).toEqual(configOf(''));
      expect(resolvedYaml(config)).not.toContain('optim');
    }
  });

  it('writes out the momentum of Muon', () => {
    const text = resolvedYaml(configOf('optim: muon'));
    expect(text).toContain('optim: muon');
    expect(text).toContain('muon_momentum: 0.95');
    expect(configOf('optim: muon\nmuon_momentum: 0.95')).toEqual(configOf('optim: muon'));
  });

  it('refuses that momentum beside AdamW, and an optimizer that there is not', () => {
    expect(() => configOf('muon_momentum: 0.9')).toThrow('muon_momentum: 0.9 — AdamW has adam_beta1 instead');
    expect(() => configOf('optim: lion')).toThrow('optim: lion — not an optimizer of this trainer');
  });
});
