/** The command of the core alone, given no part: what it trains, and what it says of the keys that it has no part for. */
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { trainCommand } from '../../src/cli/training/train.ts';
import { eachInOwnFolder } from '../support/folders.ts';
import { printed } from './printed.ts';

eachInOwnFolder();

const YAML = `task: {name: sort_digits, digits: 3}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2}
stages: [{stage: sft, max_steps: 1, per_device_train_batch_size: 8}]
`;

function trained(further = ''): Promise<string> {
  writeFileSync('a.yaml', YAML + further);
  return printed(() => trainCommand({ config: 'a.yaml', output: 'run', quiet: true }));
}

describe('the core alone', () => {
  it('trains, and writes a run with its model', async () => {
    await trained();
    expect(
      ['run/summary.json', 'run/model/model.safetensors', 'run/checkpoints'].filter((p) => !existsSync(p)),
    ).toEqual([]);
  });

  it.each([
    [
      'model_name_or_path: some/model',
      'model_name_or_path: some/model — this command reads no pretrained models; leave it out.',
    ],
    ['report_to: mlflow', 'report_to: mlflow — this command writes its own logs alone; leave it out.'],
  ])('refuses %s, by its line', async (key, message) => {
    await expect(trained(`${key}\n`)).rejects.toThrow(`a.yaml:4  ${message}`);
    expect(existsSync('run')).toBe(false);
  });
});
