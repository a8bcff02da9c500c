/** Models as ONNX: onnxruntime computes what this engine does, with and without a cache; another graph shows. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CheckpointError } from '../../../../src/errors.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { ModelShape } from '../../../../src/model/shape.ts';
import { fileStore } from '../../../../src/run/store/files.node.ts';
import { eachInOwnFolder } from '../../../../test/support/folders.ts';
import { refusalOf } from '../../../../test/support/refusals.ts';
import { openOnnx } from '../../../models/model/onnx/onnx_file.ts';
import { EXPORTS } from '../../../models/run/model/exports.ts';
import { folderOf, openPretrained } from '../../../models/run/model/open_pretrained.ts';
import type { Pretrained } from '../../../models/run/model/pretrained.ts';
import { type CompletionScores, scoreCompletions, scoreDifference } from '../../../models/run/model/rescore.ts';
import { type OnnxDtype, writeOnnx } from '../../../models/run/model/write_onnx.ts';
import { openSmallPretrained, smallPretrainedFiles } from '../../../models/test/support/small_pretrained.ts';
import { EXPORT } from '../../commands/export.ts';
import { toScore } from '../../runs/export_completions.ts';
import { onnxScores } from '../../runs/onnx_scores.ts';

eachInOwnFolder();

const TEXTS = ['It is 4 + 5 = 9.', 'Tokyo'];

const opened = async (sizes: Partial<ModelShape>): Promise<Pretrained> =>
  openPretrained({ name: './base', files: folderOf(await smallPretrainedFiles({ sizes }), 'base') });

const asked = ({ codec }: Pretrained) => TEXTS.map((text) => toScore(codec, 'What is it?', text));

async function run(pretrained: Pretrained, file = 'model.onnx'): Promise<CompletionScores> {
  const scores = await onnxScores(resolve('mine/onnx', file), pretrained.model.shape, asked(pretrained));
  if (scores === undefined) throw new Error('onnxruntime is not installed');
  return scores;
}

/** How far onnxruntime is from this engine. */
async function difference(written: Pretrained, asks = written, dtype: OnnxDtype = 'f32', mostBytes?: number) {
  await writeOnnx(fileStore('.'), 'mine', written, dtype, mostBytes);
  const own = await scoreCompletions(await wasmBackend({ inline: true }), asks, asked(asks));
  return scoreDifference(own, await run(written, dtype === 'f32' ? undefined : 'model_fp16.onnx'), TEXTS.length);
}

const config = () => JSON.parse(readFileSync('mine/config.json', 'utf8')) as Record<string, unknown>;

describe('onnxruntime computes', () => {
  it.each<[string, Partial<ModelShape>]>([
    ['Llama, tied, with scaled positions', { numLayers: 2 }],
    ['Llama, untied, a head of keys each', { tieWordEmbeddings: false, numKvHeads: 2 }],
    ['Qwen2, with biases', { attentionBias: true, ropeScaling: undefined }],
    ['Qwen3, with norms of heads', { qkNorm: true, headDim: 12 }],
  ])('%s', async (_, sizes) => {
    const found = await difference(await opened(sizes));
    expect(found.largest).toBeLessThan(1e-4);
    expect(found.sameLikeliest).toBe(1);
  });

  it('matrices in float16, which config.json names', async () => {
    const { mean, largest } = await difference(await openSmallPretrained(), undefined, 'f16');
    expect(mean).toBeLessThan(1e-3);
    expect(largest).toBeGreaterThan(0);
    expect(config()['transformers.js_config']).toEqual({ dtype: 'fp16' });
  });

  it('matrices in 4 bits as this engine computes with the same values', async () => {
    const written = await opened({ hiddenSize: 32, intermediateSize: 64, headDim: 16, attentionBias: true });
    const exported = await writeOnnx(fileStore('.'), 'mine', written, 'q4f16');
    expect(exported.change.difference).toBeGreaterThan(0);
    const own = await scoreCompletions(await wasmBackend({ inline: true }), exported.opened, asked(written));
    const found = scoreDifference(own, await run(written, 'model_q4f16.onnx'), TEXTS.length);
    expect(found.largest).toBeLessThan(1e-3);
    expect(config()['transformers.js_config']).toEqual({ dtype: 'q4f16' });
  });

  it('matrices in files beside the graph, which config.json counts', async () => {
    const pretrained = await openSmallPretrained();
    expect((await difference(pretrained, undefined, 'f32', 20_000)).largest).toBeLessThan(1e-4);
    const files = readdirSync('mine/onnx');
    expect(files).toEqual(['model.onnx', 'model.onnx_data', 'model.onnx_data_1', 'model.onnx_data_2']);
    expect(config()['transformers.js_config']).toMatchObject({ use_external_data_format: { 'model.onnx': 3 } });
  });
});

it.each<[string, Partial<ModelShape>]>([
  ['other positions', { ropeTheta: 100, ropeScaling: undefined }],
  ['another ε', { rmsNormEps: 1 }],
  ['positions that are not scaled', { ropeScaling: undefined }],
])('a graph with %s is another model', async (_, change) => {
  const pretrained = await opened({ numLayers: 2, ropeTheta: 4 });
  const { model } = pretrained;
  const fault = { ...pretrained, model: { ...model, shape: { ...model.shape, ...change } } };
  expect((await difference(fault, pretrained)).mean).toBeGreaterThan(0.001);
});

describe('the command', () => {
  beforeEach(async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const base = await smallPretrainedFiles();
    for (const name of await base.list('base')) {
      await fileStore('base').writeAtomic(name, (await base.read(`base/${name}`)) ?? new Uint8Array());
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const exporting = (): unknown => EXPORT.run?.(['base'], { output: 'mine', to: 'onnx', check: 64, threads: 1 }, []);

  it('has the graph run, and says by what', async () => {
    await exporting();
    const report = JSON.parse(readFileSync('mine/export_report.json', 'utf8'));
    expect(report).toMatchObject({ to: 'onnx', weights: { difference: 0 }, scores: { by: 'onnxruntime-web' } });
    expect(report.scores.mean).toBeLessThan(1e-5);
  });

  it('leaves nothing of a graph that computes something else', async () => {
    const { write } = EXPORTS.onnx;
    vi.spyOn(EXPORTS.onnx, 'write').mockImplementation((store, place, request) => {
      const { model } = request.pretrained;
      const shape = { ...model.shape, rmsNormEps: 1 };
      return write(store, place, { ...request, pretrained: { ...request.pretrained, model: { ...model, shape } } });
    });
    await expect(exporting()).rejects.toThrow(/what was written is another model: a token's log-prob changes by/);
    expect(readdirSync('.')).toEqual(['base']);
  });
});

it('a file that is no message is refused', async () => {
  writeFileSync('cut.onnx', new Uint8Array([58, 200, 1, 7]));
  expect((await refusalOf(CheckpointError, openOnnx(fileStore('.'), 'cut.onnx'))).message).toBe(
    'cut.onnx: is no ONNX model (a field that ends at byte 203, beyond byte 4). Write it again.',
  );
});
