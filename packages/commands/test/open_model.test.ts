/** Where a model is looked for: by a config, by its run, by a flag; and what is said where there is none. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../src/config/dump.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { folderOfTest } from '../../../test/support/folders.ts';
import { openConfiguredModel } from '../../models/run/model/configured_model.node.ts';
import { findModel } from '../../models/run/model/find_model.node.ts';
import { smallPretrainedFiles } from '../../models/test/support/small_pretrained.ts';
import { openPlugins } from '../../plugins/open_plugins.node.ts';
import { sampleModelCommand } from '../actions/sample_model.ts';

const folder = folderOfTest();

/** The small model as files in `path`. */
async function writeBase(path: string): Promise<void> {
  const store = await smallPretrainedFiles();
  mkdirSync(join(folder(), path), { recursive: true });
  for (const name of await store.list('base')) {
    writeFileSync(join(folder(), path, name), (await store.read(`base/${name}`)) as Uint8Array);
  }
}

describe('a path to a model', () => {
  it('is a folder, a .gguf file, or the directory of a run, which has its model in a folder of its own', async () => {
    await writeBase('base');
    await writeBase('run/model');
    writeFileSync(join(folder(), 'run/config.yaml'), 'task: countdown\n');
    writeFileSync(join(folder(), 'small.gguf'), 'GGUF');
    const place = findModel('base', folder());
    expect(place).toMatchObject({ name: 'base' });
    expect(await place.files.size('config.json')).toBeGreaterThan(0);
    expect(await findModel('run', folder()).files.size('model.safetensors')).toBeGreaterThan(0);
    expect(findModel('small.gguf', folder()).gguf).toBe('small.gguf');
    expect(await findModel('small.gguf', folder()).files.size('small.gguf')).toBe(4);
  });

  it.each([
    [
      'nothing',
      './nowhere',
      /model ".\/nowhere" — no such folder or file; give the folder of a model or of a run, or a \.gguf file/,
    ],
    [
      'a name of the hub',
      'Qwen/Qwen3-0.6B',
      /nor in the Hugging Face cache \(.*\); fetch it: .* fetch Qwen\/Qwen3-0\.6B/,
    ],
    ['another file', 'weights.bin', /a file that is not \.gguf/],
  ])('that leads to %s is refused with what to give', (_, path, message) => {
    writeFileSync(join(folder(), 'weights.bin'), 'x');
    expect(() => findModel(path, folder())).toThrow(message);
  });
});

it('a config names its model from its own folder, and the run’s config from the run directory', async () => {
  await writeBase('models/base');
  mkdirSync(join(folder(), 'configs'));
  const file = join(folder(), 'configs/mine.yaml');
  const directory = join(folder(), 'runs/mine');
  const yaml = 'model_name_or_path: ../models/base\ntask: reverse_text\nmax_steps: 1\n';
  const loaded = parseConfig(yaml, { file });
  const pretrained = await openConfiguredModel(loaded, file);
  const plugins = await openPlugins(loaded, { file, directory, announce: () => {}, codec: pretrained?.codec });
  await plugins.close();
  expect(plugins.config.modelNameOrPath).toBe('../../models/base');
  expect(plugins.tasks.codec.vocabSize).toBe(pretrained?.model.shape.vocabSize);
  const kept = join(directory, 'config.yaml');
  const again = await openConfiguredModel(parseConfig(resolvedYaml(plugins.config), { file: kept }), kept);
  expect(again?.model.shape).toEqual(pretrained?.model.shape);
});

it('a config that names a model of the hub is told so, by the name that it gives', async () => {
  const loaded = parseConfig('task: reverse_text\nmax_steps: 1\nmodel_name_or_path: Qwen/Qwen3-0.6B\n', {
    file: 'a.yaml',
  });
  await expect(openConfiguredModel(loaded, 'a.yaml')).rejects.toThrow(
    /^model "Qwen\/Qwen3-0.6B" — .*; fetch it: .* fetch Qwen\/Qwen3-0\.6B\.$/,
  );
});

it('a config without a model opens none', async () => {
  expect(
    await openConfiguredModel(parseConfig('task: reverse_text\nmax_steps: 1\n', { file: 'a.yaml' }), 'a.yaml'),
  ).toBeUndefined();
});

it('a prompt that leaves no room for the answer is refused before the weights are read', async () => {
  await writeBase('base');
  const options = { model: join(folder(), 'base'), samples: 1, temperature: 0, seed: 0, maxTokens: 500 };
  await expect(sampleModelCommand(['hello '.repeat(40)], options)).rejects.toThrow(
    /^prompt: \d+ tokens — an answer of 500 tokens leaves 12 for it in .*base \(max_position_embeddings 512\)/,
  );
});
