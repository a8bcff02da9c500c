/** What SmolLM2 is asked in its tests: sampled, and scored as it was sampled. */
import { packBatch, splitGroups, type TokenGroup } from '../../src/model/batch.ts';
import type { Policy } from '../../src/model/policy.ts';
import {
  type Completion,
  type GenerationRequest,
  generate,
  wholeVocabulary,
} from '../../src/model/sampling/generation.ts';
import { loadGolden, type ScoredText } from '../golden/load.ts';
import { concatenated, generationSettings, inCompletionOrder } from './policies.ts';

const golden = loadGolden('smollm2');

export function groupOf({ prompt, completion }: ScoredText): TokenGroup {
  return { prompt: Int32Array.from(prompt), completions: [Int32Array.from(completion)] };
}

export async function logprobsOf(policy: Policy, groups: readonly TokenGroup[]): Promise<Float32Array> {
  const parts: Float32Array[] = [];
  for (const batch of splitGroups(groups, policy.capacity).map(packBatch)) {
    parts.push(inCompletionOrder(batch, (await policy.score(batch, 1)).logprobs));
  }
  return concatenated(parts);
}

export function sample(policy: Policy, requests: readonly GenerationRequest[], temperature: number, tokens: number) {
  const sampling = wholeVocabulary(temperature);
  return generate(policy, requests, {
    ...generationSettings({ sampling }),
    maxCompletionTokens: tokens,
    fixedCompletionTokens: tokens,
  });
}

/** The first `groups` prompts, each with `samples` rollouts. */
export function requestsOf(groups: number, samples: number): GenerationRequest[] {
  return golden.greedy.slice(0, groups).map(({ prompt }, group) => ({
    prompt: Int32Array.from(prompt),
    rolloutNumbers: Array.from({ length: samples }, (_, i) => group * samples + i),
  }));
}

export function groupsOf(requests: readonly GenerationRequest[], completions: readonly Completion[][]): TokenGroup[] {
  return requests.map(({ prompt }, i) => ({ prompt, completions: completions[i].map(({ tokens }) => tokens) }));
}

export function sampledLogprobs(completions: readonly Completion[][]): Float32Array {
  return concatenated(completions.flat().map(({ logprobs }) => logprobs));
}
