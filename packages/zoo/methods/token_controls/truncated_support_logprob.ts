/**
 * Calls the policy what top_k, top_p and min_p leave of it: a token's log-prob is among those that it was drawn from,
 * and so it is at every update and under the reference, over the very tokens that were kept when it was sampled.
 * Without it, log-probs are of the whole vocabulary, and ratios and KL are of a policy that was never sampled from. The
 * support stays with the completion, so that a later policy is compared on the same tokens. DeepSeek-V3.2 keeps its
 * sampling mask likewise (arXiv:2512.02556).
 */
import { isTruncated, method, type TokenControl } from '../kit.ts';
import { readsWholeDistributions, tokenSupport } from '../uses/token_support.ts';

export const truncatedSupport = method({
  id: 'truncated-support-logprob',
  about: {
    does: 'Takes log-probs among the tokens that top_k, top_p and min_p kept, old, new and under the reference.',
    names: ['keep sampling mask', 'DeepSeek-V3.2', 'top-p mask'],
    formula: 'π_S(v) = π(v)/Σ_{w∈S} π(w) for v in S, else 0; S: what the filters kept at that place',
    source: '2512.02556',
    certainty: 'after the paper',
    when: 'Beside top_k, top_p or min_p in training, whose log-probs are otherwise those of tokens that could not be drawn.',
  },
  tells: ['truncation'],
  conflict: (_, __, ___, members) => readsWholeDistributions(members),
  warn: (_, __, stage) =>
    isTruncated(stage)
      ? undefined
      : 'all of the policy is sampled from, so that it changes nothing; set top_p, top_k or min_p',
  uses: (_, stage) => (isTruncated(stage) ? [tokenSupport] : []),
  create: (_, stage): TokenControl => (isTruncated(stage) ? { isTruncated: true } : {}),
});
