/** Settings that were changed within a run: read back up to where it stands, and applied as `--set` would. */
import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { memoryStore } from '../../src/run/store.ts';
import { readChanges, settingOverrides, writeChange } from '../../src/web/setting_changes.ts';
import { ofPreset, yamlOf } from '../../web/src/experiment.ts';

it('come back up to the position, and change every grpo stage', async () => {
  const store = memoryStore();
  await writeChange(store, { stageIndex: 0, step: 10, settings: { learning_rate: 2e-4 } });
  await writeChange(store, { stageIndex: 1, step: 5, settings: { temperature: 0.7, learning_rate: 1e-4 } });
  await writeChange(store, { stageIndex: 1, step: 9, settings: { entropy_coef: 0.5 } });
  await store.append('changes.jsonl', '{"stageIndex": 1, "st');
  const changes = await readChanges(store, { stageIndex: 1, step: 5 });
  expect(changes).toHaveLength(2);
  const { config } = parseConfig(yamlOf(ofPreset('reverse-text')), { file: 'page' }, settingOverrides(changes));
  expect(config.stages.at(-1)).toMatchObject({
    optimizer: { learningRate: 1e-4 },
    sampling: { temperature: 0.7 },
    methods: { lossTerms: [] },
  });
});

it('a value that the config would refuse names the key and the rule', () => {
  const overrides = settingOverrides([{ stageIndex: 0, step: 0, settings: { learning_rate: -1 } }]);
  expect(() => parseConfig(yamlOf(ofPreset('sort-digits')), { file: 'page' }, overrides)).toThrow(/learning_rate: -1/);
});
