/** Checkpoints of test/golden/pretrained as model folders in memory, and what transformers computes from them. */
import { readdirSync, readFileSync } from 'node:fs';
import type { PackedBatch, TokenGroup } from '../../../../src/model/batch.ts';
import { loadPretrainedGolden, type PretrainedGoldenName } from '../../../../test/golden/load.ts';
import { fixtureIndex, toGroups } from '../../../../test/support/golden_model.ts';
import type { ModelFiles } from '../../model/pretrained/source.ts';

const FOLDER = new URL('../../../../test/golden/pretrained/', import.meta.url);

export const PRETRAINED = ['llama_tied', 'llama_untied', 'llama3', 'mistral', 'qwen2', 'qwen3'] as const;
export const WEIGHT_DTYPES = ['F32', 'F16', 'BF16'] as const;

/** Files by path, in memory; they can be changed, and taken away. */
export class MemoryFiles implements ModelFiles {
  /** Most bytes that one call has read. */
  largestRead = 0;
  constructor(readonly files: Map<string, Uint8Array<ArrayBuffer>>) {}

  async size(path: string): Promise<number | undefined> {
    return this.files.get(path)?.length;
  }

  async read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.files.get(path)?.slice();
  }

  async readRange(path: string, begin: number, end: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    this.largestRead = Math.max(this.largestRead, end - begin);
    return this.files.get(path)?.slice(begin, end);
  }

  setJson(path: string, value: unknown): void {
    this.files.set(path, new TextEncoder().encode(JSON.stringify(value)));
  }

  json(path: string): Record<string, unknown> {
    return JSON.parse(new TextDecoder().decode(this.files.get(path))) as Record<string, unknown>;
  }
}

/** A checkpoint as a folder: F32 is in shards. @param spelling  the version of transformers that wrote config.json */
export function checkpointFiles(
  name: PretrainedGoldenName,
  dtype: (typeof WEIGHT_DTYPES)[number],
  spelling: 4 | 5,
): MemoryFiles {
  const own = new URL(`${name}/${dtype}/`, FOLDER);
  const files = readdirSync(own).map((file): [string, Uint8Array<ArrayBuffer>] => [file, bytesOf(new URL(file, own))]);
  return new MemoryFiles(
    new Map([...files, ['config.json', bytesOf(new URL(`${name}/config.${spelling}.json`, FOLDER))]]),
  );
}

function bytesOf(file: URL): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(file));
}

export interface ExpectedOfCheckpoint {
  readonly groups: readonly TokenGroup[];
  /** [completion tokens × V], rows in the order of groups, completions and tokens. */
  readonly logits: Float64Array;
  readonly vocabSize: number;
  readonly scores: readonly { temperature: number; logprobs: Float64Array; entropies: Float64Array }[];
  readonly backward: {
    temperature: number;
    g: Float64Array;
    h: Float64Array;
    gradients: ReadonlyMap<string, Float64Array>;
  };
}

export function expectedOf(name: PretrainedGoldenName): ExpectedOfCheckpoint {
  const { groups, logits, scores, backward } = loadPretrainedGolden(name);
  return {
    groups: toGroups(groups),
    logits: logits.data,
    vocabSize: logits.shape[1],
    scores: scores.map(({ temperature, logprob, entropy }) => ({
      temperature,
      logprobs: logprob.data,
      entropies: entropy.data,
    })),
    backward: {
      temperature: backward.temperature,
      g: backward.g.data,
      h: backward.h.data,
      gradients: new Map(Object.entries(backward.grads).map(([tensor, { data }]) => [tensor, data])),
    },
  };
}

/** From a batch's loss rows to the order of groups, completions and tokens, and back. */
export function inOrder(batch: PackedBatch, values: ArrayLike<number>): Float64Array {
  const out = new Float64Array(values.length);
  fixtureIndex(batch).forEach((place, row) => {
    out[place] = values[row];
  });
  return out;
}

export function inBatchOrder(batch: PackedBatch, values: ArrayLike<number>): Float32Array {
  return Float32Array.from(fixtureIndex(batch), (place) => values[place]);
}
