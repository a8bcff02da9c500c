import { expect, it } from 'vitest';
import { resolvedYaml } from '../../src/config/dump.ts';
import { parseConfig } from '../support/everything.ts';

const of = (more: string) =>
  parseConfig(`task: sort_digits\nmax_steps: 1\nreward_funcs: [accuracy, {name: format, weight: 0}]\n${more}`, {
    file: 'run.yaml',
  }).config;

it('a gate is part of the resolved config, and of one without it there is no trace', () => {
  const config = of('reward_gate: {format: -1}');
  expect(config.stages[0]).toMatchObject({ rewardGate: { format: -1 } });
  expect(parseConfig(resolvedYaml(config), { file: 'again.yaml' }).config).toEqual(config);
  expect(resolvedYaml(of(''))).not.toContain('gate');
});

it.each([
  [
    'reward_gate: {fromat: 0}',
    'run.yaml:4  reward_gate: { fromat: 0 } — fromat is not in reward_funcs; did you mean "format"? (accuracy, format); list it there, with weight 0 if it should only be a gate.',
  ],
  [
    'reward_gate: format',
    'run.yaml:4  reward_gate: format — must map reward functions to numbers; for example {format: 0}.',
  ],
  ['reward_gate: {format: shut}', 'run.yaml:4  reward_gate.format: shut — must be a finite number; for example 0.'],
])('%s is refused', (more, message) => {
  expect(() => of(more)).toThrow(message);
});
