/** Adapters on a disk: found with their base, merged into a folder of its own, asked and evaluated. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { mergedModel } from '../../models/model/pretrained/merge_adapter.ts';
import { allValues } from '../../models/model/pretrained/source.ts';
import { findModel, findWithAdapter } from '../../models/run/model/find_model.node.ts';
import { openPretrained } from '../../models/run/model/open_pretrained.ts';
import { smallPretrainedFiles, writeSmallAdapter } from '../../models/test/support/small_pretrained.ts';
import { evaluateOpened } from '../actions/eval.ts';
import { mergeCommand } from '../actions/merge.ts';
import { sampleModelCommand } from '../actions/sample_model.ts';
import { openAsked } from '../runs/open_asked.ts';

let folder: string;
const place = (path: string): string => join(folder, path);

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'rlvr-train-adapter-')));
  const base = await smallPretrainedFiles();
  mkdirSync(place('base'));
  for (const name of await base.list('base')) {
    writeFileSync(place(`base/${name}`), (await base.read(`base/${name}`)) as Uint8Array);
  }
  await writeSmallAdapter(fileStore(folder), 'adapter', { name: { name: place('base') }, sha256: '' });
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** What a command prints. */
async function printed(command: () => Promise<void>): Promise<string> {
  const lines: string[] = [];
  const write = (text: string | Uint8Array): boolean => lines.push(String(text)) > 0;
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  await command();
  vi.restoreAllMocks();
  return lines.join('');
}

function setBase(name: string | null): void {
  const file = place('adapter/adapter_config.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), base_model_name_or_path: name }));
}

describe('an adapter is found with its base', () => {
  it.each([
    ['by a whole path', () => place('base')],
    ['by a path from its own folder', () => '../base'],
  ])('%s', async (_, name) => {
    setBase(name());
    const { adapter, model, name: shown } = await openPretrained(findModel('adapter', folder));
    expect(adapter?.config).toMatchObject({ rank: 2, alpha: 4, targets: ['q_proj', 'v_proj', 'down_proj'] });
    expect(model.shape.hiddenSize).toBe(16);
    expect(shown).toBe('adapter');
  });

  it('in the directory of a run', async () => {
    mkdirSync(place('run'));
    writeFileSync(place('run/config.yaml'), 'task: reverse_text\n');
    await writeSmallAdapter(fileStore(folder), 'run/model', { name: { name: '../base' }, sha256: '' });
    const { adapter, hashes } = await openPretrained(findModel('run', folder));
    expect(adapter?.config.rank).toBe(2);
    expect(Object.keys(await hashes())).toEqual(
      expect.arrayContaining([
        'model.safetensors',
        'tokenizer.json',
        'adapter_model.safetensors',
        'adapter_config.json',
      ]),
    );
  });

  it.each([
    [null, /adapter "adapter" — does not name its base; give the base as the model, and this folder as its adapter/],
    ['./gone', /its base ".\/gone" is not there; give the base as the model/],
    ['owner/gone', /model "owner\/gone" — neither a folder or file here, nor in the Hugging Face cache/],
  ])('or refused, where that is %s', (name, message) => {
    setBase(name);
    expect(() => findModel('adapter', folder)).toThrow(message);
    expect(findWithAdapter(findModel('base', folder), 'adapter', folder).adapter?.name).toBe('adapter');
  });

  it('and no adapter stands on another', () => {
    expect(() => findWithAdapter(findModel('adapter', folder), 'adapter', folder)).toThrow(/is an adapter already/);
    expect(() => findWithAdapter(findModel('base', folder), 'base', folder)).toThrow(
      /no folder with adapter_config\.json and adapter_model\.safetensors/,
    );
  });
});

it('merged, it is a model of its own: the float64 sums, rounded once, and the tokenizer byte for byte', async () => {
  await printed(() => mergeCommand(place('adapter'), { output: place('whole'), check: 8 }));
  expect(readdirSync(folder).sort()).toEqual(['adapter', 'base', 'whole']);
  const [whole, { model, adapter }] = [
    await openPretrained(findModel('whole', folder)),
    await openPretrained(findModel('adapter', folder)),
  ];
  expect(whole.adapter).toBeUndefined();
  const expected = mergedModel(model, adapter as NonNullable<typeof adapter>);
  for (const [name, tensor] of expected.tensors) {
    expect(await allValues(whole.model.tensors.get(name) as typeof tensor), name).toEqual(await allValues(tensor));
  }
  const name = 'model.layers.0.mlp.down_proj.weight';
  const [w, a, b] = await Promise.all(
    [
      model.tensors.get(name),
      ...['A', 'B'].map((part) => adapter?.tensors.get(name.replace('weight', `lora_${part}.weight`))),
    ].map((tensor) => allValues(tensor as NonNullable<typeof tensor>)),
  );
  const [row, column] = [5, 7];
  const sum = [0, 1].reduce((total, k) => total + b[row * 2 + k] * a[k * 24 + column], 0);
  const value = (await allValues(expected.tensors.get(name) as NonNullable<ReturnType<typeof expected.tensors.get>>))[
    row * 24 + column
  ];
  expect(value).toBe(Math.fround(w[row * 24 + column] + 2 * sum));
  for (const file of ['tokenizer.json', 'tokenizer_config.json']) {
    expect(readFileSync(place(`whole/${file}`))).toEqual(readFileSync(place(`base/${file}`)));
  }
});

describe('merging is refused', () => {
  it('where there is no adapter, or the folder is taken, and nothing is left', async () => {
    await expect(mergeCommand(place('base'), { output: place('whole'), check: 8 })).rejects.toThrow(
      /has no adapter to merge/,
    );
    await expect(mergeCommand(place('adapter'), { output: place('base'), check: 8 })).rejects.toThrow(
      /is there already/,
    );
    expect(existsSync(place('whole'))).toBe(false);
  });
});

it('an adapter is asked and evaluated as its merged model is', async () => {
  await printed(() => mergeCommand(place('adapter'), { output: place('whole'), check: 8 }));
  const sample = (model: string) =>
    printed(() =>
      sampleModelCommand(['hello'], { model, samples: 1, temperature: 0, seed: 0, maxTokens: 6, json: true }),
    );
  expect(await sample(place('adapter'))).toBe(await sample(place('whole')));
  expect(await sample(place('adapter'))).not.toBe(await sample(place('base')));
  const evaluate = (model: string, adapter?: string) =>
    printed(async () => {
      const task = '{name: sort_digits, digits: 2}';
      const set = ['max_completion_length=4'];
      const opened = await openAsked({ model, task, set, samples: 1, ...(adapter && { adapter }) });
      await evaluateOpened(opened, { samples: 1, json: true });
    });
  const figures = await evaluate(place('adapter'));
  expect(JSON.parse(figures)).toMatchObject({ eval_accuracy: expect.any(Number) });
  expect(await evaluate(place('base'), place('adapter'))).toBe(figures);
});

it('eval --set eval_samples asks as many problems as were typed', async () => {
  const said = await printed(async () => {
    const set = ['max_completion_length=4', 'eval_samples=3'];
    const task = '{name: sort_digits, digits: 2}';
    const opened = await openAsked({ model: place('base'), task, set, samples: 1 });
    await evaluateOpened(opened, { samples: 1, keepsProblems: true });
  });
  expect(said).toContain('sort_digits, 3 held-out problems');
});
