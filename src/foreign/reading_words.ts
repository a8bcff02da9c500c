/** What is missing of a log, for people: readings whose names do not say it. */
import type { Reading } from '../diagnostics/diagnostic.ts';

export const READING_WORDS: Readonly<Partial<Record<Reading, string>>> = {
  live: 'share of dead groups',
  correct: 'share of right answers',
  lowest: 'lowest reward',
  highest: 'highest reward',
  paid: 'share of paid answers',
  spread: 'spread within groups',
  variety: 'distinct answers of a group',
  longest: 'longest completion',
  truncated: 'share of cut completions',
  eos: 'share of cut completions',
  meanLength: 'mean length',
  seconds: 'seconds of the verifier',
  problems: 'problems drawn',
  starved: 'what a source lacks',
  gradNorm: 'gradient norm',
  clipped: 'share of clipped tokens',
  onPolicy: 'share of clipped tokens',
  meanDifference: 'how far the policy has moved',
  maxDifference: 'log-probs of sampler and trainer',
  kl: 'KL',
  greedy: 'greedy accuracy',
  sampled: 'sampled accuracy',
  pass: 'pass@k',
  training: 'training beside each evaluation',
};
