/** What onnxruntime says of completions: how an ONNX export is asked by what others run it with, where that is installed. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ModelShape } from '../../../src/model/shape.ts';
import type { CompletionScores, CompletionToScore } from '../../models/run/model/rescore.ts';

/** The part of the library that is used. */
interface Library {
  readonly Tensor: new (type: string, data: BigInt64Array | Float32Array, dims: readonly number[]) => OnnxTensor;
  readonly InferenceSession: { create(file: string, options: object): Promise<OnnxSession> };
}

interface OnnxTensor {
  readonly data: ArrayLike<number>;
}

interface OnnxSession {
  readonly inputNames: readonly string[];
  run(inputs: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
  release(): Promise<void>;
}

/** Packages that run such a file, the faster one first: with `@huggingface/transformers` both are there. */
export const ONNX_RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'] as const;

async function loadRuntime(): Promise<{ readonly name: string; readonly library: Library } | undefined> {
  for (const name of ONNX_RUNTIMES) {
    try {
      return { name, library: (await import(name)) as Library };
    } catch {
      // Not there, or not for this machine: the next one.
    }
  }
  return undefined;
}

/**
 * A completion's prompt is read first, its tokens beside the keys and values of that, as they are when it is generated.
 *
 * @param file  absolute
 * @returns undefined where none of the packages can be loaded
 */
export async function onnxScores(
  file: string,
  shape: ModelShape,
  completions: readonly CompletionToScore[],
): Promise<(CompletionScores & { readonly runtime: string }) | undefined> {
  const runtime = await loadRuntime();
  if (runtime === undefined) return undefined;
  const { library, name } = runtime;
  const beside = readdirSync(dirname(file)).filter((each) => each.startsWith(`${basename(file)}_data`));
  const externalData = beside.map((path) => ({ path, data: join(dirname(file), path) }));
  const session = await library.InferenceSession.create(file, {
    logSeverityLevel: 3, // its warnings are about its own optimizer; errors are thrown in any case
    ...(name === 'onnxruntime-web' && externalData.length > 0 && { externalData }),
  });
  try {
    const [logprobs, likeliest]: [number[], number[]] = [[], []];
    for (const { prefix, tokens } of completions) {
      const opening = await ask(library, session, shape, prefix, 0, {});
      const rest = await ask(library, session, shape, tokens, prefix.length, opening);
      const places = [
        lastRow(opening.logits as OnnxTensor, shape.vocabSize),
        rowsOf(rest.logits as OnnxTensor, shape.vocabSize),
      ].flat();
      tokens.forEach((token, i) => {
        const { logprob, most } = logprobOf(places[i] as Float64Array, token);
        logprobs.push(logprob);
        likeliest.push(most);
      });
    }
    return { runtime: name, logprobs: Float32Array.from(logprobs), likeliest: Int32Array.from(likeliest) };
  } finally {
    await session.release();
  }
}

function ask(
  { Tensor }: Library,
  session: OnnxSession,
  { numLayers, numKvHeads, headDim }: ModelShape,
  tokens: Int32Array,
  before: number,
  outputs: Readonly<Record<string, OnnxTensor>>,
): Promise<Readonly<Record<string, OnnxTensor>>> {
  const row = (values: readonly number[]): OnnxTensor =>
    new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  const inputs: Record<string, OnnxTensor> = {
    input_ids: row([...tokens]),
    attention_mask: row(Array.from({ length: before + tokens.length }, () => 1)),
    position_ids: row(Array.from(tokens, (_, i) => before + i)),
  };
  for (let layer = 0; layer < numLayers; layer++) {
    for (const part of ['key', 'value']) {
      inputs[`past_key_values.${layer}.${part}`] =
        outputs[`present.${layer}.${part}`] ?? new Tensor('float32', new Float32Array(), [1, numKvHeads, 0, headDim]);
    }
  }
  return session.run(inputs);
}

function rowsOf({ data }: OnnxTensor, width: number): Float64Array[] {
  const row = (i: number): Float64Array => Float64Array.from({ length: width }, (_, j) => Number(data[i * width + j]));
  return Array.from({ length: data.length / width }, (_, i) => row(i));
}

function lastRow(logits: OnnxTensor, width: number): Float64Array {
  return rowsOf(logits, width).at(-1) ?? new Float64Array(width);
}

function logprobOf(logits: Float64Array, token: number): { readonly logprob: number; readonly most: number } {
  const most = logits.reduce((best, logit, i) => (logit > (logits[best] as number) ? i : best), 0);
  const peak = logits[most] as number;
  const sum = logits.reduce((all, logit) => all + Math.exp(logit - peak), 0);
  return { logprob: (logits[token] as number) - peak - Math.log(sum), most };
}
