/**
 * What a model says of given completions, and how far another one is from it: how an export is compared with the policy that
 * was trained. An adapter is computed beside its model, as in training, so that a wrong merge shows.
 */
import { scoreSequences } from '../../../../src/grpo/score/score_sequences.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { Policy } from '../../../../src/model/policy.ts';
import { trainedOf } from '../../../../src/planning/capacity.ts';
import type { Pretrained } from './pretrained.ts';

/** A completion of a prompt, in tokens. */
export interface CompletionToScore {
  readonly prefix: Int32Array;
  readonly tokens: Int32Array;
}

/** Scores of completions, those of one after those of the other. */
export interface CompletionScores {
  /** [tokens] log-probs at temperature 1 */
  readonly logprobs: Float32Array;
  /** [tokens] the likeliest token at each place */
  readonly likeliest: Int32Array;
}

export interface ScoreDifference {
  readonly completions: number;
  readonly tokens: number;
  /** The largest |Δ log-prob| of a token; below, their mean. */
  readonly largest: number;
  readonly mean: number;
  /** Share of places at which both find the same token likeliest. */
  readonly sameLikeliest: number;
}

/** Rows that are packed together. */
const ROWS = 512;
/** Places whose log-probs of the whole vocabulary are computed at once. */
const LOSS_ROWS = 128;
/** Completions whose log-probs of the whole vocabulary are held at once. */
const TOGETHER = 4;

/** @throws CheckpointError, MemoryPlanError */
export async function scoreCompletions(
  backend: Backend,
  pretrained: Pretrained,
  completions: readonly CompletionToScore[],
): Promise<CompletionScores> {
  const { model, adapter } = pretrained;
  const longest = Math.max(...completions.map(({ prefix, tokens }) => prefix.length + tokens.length));
  const lossRows = Math.max(LOSS_ROWS, ...completions.map(({ tokens }) => tokens.length));
  const rows = Math.max(ROWS, longest);
  const room = { rows, lossRows, groups: lossRows, completions: lossRows, kvRows: rows, context: longest, keptRows: 0 };
  const capacity = { ...room, training: false, outputRows: { distributions: lossRows } };
  const policy = await Policy.open(backend, model.shape, capacity, trainedOf({ adapter: adapter?.config }));
  try {
    await pretrained.loadWeights(policy);
    await pretrained.loadAdapter(policy);
    const width = model.shape.vocabSize;
    const [logprobs, likeliest]: [number[], number[]] = [[], []];
    for (let first = 0; first < completions.length; first += TOGETHER) {
      const asked = completions.slice(first, first + TOGETHER);
      for (const scored of await scoreSequences(policy, asked, { temperature: 1, distributions: true })) {
        logprobs.push(...scored.logprobs);
        const distributions = scored.distributions as Float32Array; // they were asked for
        for (let at = 0; at < distributions.length; at += width) {
          likeliest.push(indexOfLargest(distributions.subarray(at, at + width)));
        }
      }
    }
    return { logprobs: Float32Array.from(logprobs), likeliest: Int32Array.from(likeliest) };
  } finally {
    await policy.close();
  }
}

/** The first of the largest. */
function indexOfLargest(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if ((values[i] as number) > (values[best] as number)) best = i;
  return best;
}

/** @param completions  how many there are */
export function scoreDifference(one: CompletionScores, two: CompletionScores, completions: number): ScoreDifference {
  const tokens = one.logprobs.length;
  const changes = Array.from(one.logprobs, (logprob, i) => Math.abs(logprob - (two.logprobs[i] as number)));
  const same = one.likeliest.filter((token, i) => token === two.likeliest[i]).length;
  const largest = changes.reduce((most, change) => Math.max(most, change), 0);
  const mean = changes.reduce((sum, change) => sum + change, 0) / tokens;
  return { completions, tokens, largest, mean, sameLikeliest: same / tokens };
}
