/** Completions of several rounds, each asked for after the one before, that are paid by what the last of them earns. */
import type { GroupRequest, Rollout } from '../../kit.ts';

/** What follows one completion, in order, itself included. */
export type Chain = readonly Rollout[];

/** All of a chain with the reward of its last completion. @param worth  of each round but the first, in [0, 1] */
export function paidByLast(chain: Chain, worth = 1): Rollout[] {
  const { reward } = chain[chain.length - 1];
  const earned = reward === null ? null : reward * worth ** (chain.length - 1);
  return chain.map((rollout) => (chain.length === 1 ? rollout : { ...rollout, reward: earned }));
}

/** A problem once more, one completion under this prompt; undefined: under its own. */
export function oneMore(request: GroupRequest, prompt: Int32Array | undefined, origin: string): GroupRequest {
  const { item, temperatures } = request;
  const common = { item, samples: 1, origin, prompt };
  return temperatures === undefined ? common : { ...common, temperatures: temperatures.slice(0, 1) };
}
