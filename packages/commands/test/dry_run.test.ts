import { expect, it } from 'vitest';
import { parseConfig } from '../../../test/support/everything.ts';
import { annotatedYaml } from '../training/dry_run.ts';

const TEXT = `task: {name: countdown, numbers: 3}
adam_beta2: 0.95
stages:
  - {stage: sft, max_steps: 4}
  - {stage: grpo, max_steps: 5, lr_scheduler_kwargs: {min_lr_rate: 0.1}, reward_funcs: [accuracy]}
`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
const plain = (text: string): string => text.replace(/\u001b\[[\d;]*m/g, '');

it('a resolved config says beside each value where it comes from, and runs as it stands', () => {
  const { config, origins } = parseConfig(TEXT, { file: 'c.yaml' }, ['grpo.beta=0.01']);
  const text = plain(annotatedYaml(config, origins));
  expect(parseConfig(text, { file: 'again.yaml' }).config).toStrictEqual(config);
  const lines = text.split('\n').map((line) => line.replace(/ +#/, ' #'));
  for (const line of /* biome-ignore format: a list */ [
    '  numbers: 3 # c.yaml:1', 'seed: 42 # default', '  head_dim: 32 # from hidden_size', '  - stage: sft # c.yaml:4',
    '    adam_beta2: 0.95 # c.yaml:2, top level', '    beta: 0.01 # --set', '    lr_scheduler_kwargs: # c.yaml:5',
    '      min_lr_rate: 0.1', '    generation_batch_size: 256 # from num_generations',
  ]) {
    expect(lines).toContain(line);
  }
});
