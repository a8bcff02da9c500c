/** Requests to a sampler, and checks that a policy has room for them. */
import { BackendError } from '../../errors.ts';
import type { Policy } from '../policy.ts';
import type { Sampled } from './decoder.ts';
import type { SampledSequence, TurnRules } from './sampled_sequence.ts';
import type { SamplingParams, StepSettings } from './settings.ts';

export type { SamplingSettings } from './settings.ts';

/** Draws tokens instead of the engine. */
export interface TokenDraws {
  /** Tokens that are drawn at a time. */
  readonly most: number;
  /** Replaces the engine's draws of a step. @param temperature  the current one */
  redraw(sequences: readonly SampledSequence[], sampled: Sampled, temperature: number): Promise<Sampled>;
}

/** What a sampler draws, and how it computes. */
export interface SamplerSettings extends SamplingParams, StepSettings {
  /** false: each sequence computes all of its rows; by default common rows are computed once. */
  readonly sharesRows?: boolean;
  /** Draws tokens in the place of the engine, which draws among all of them. */
  readonly draws?: TokenDraws;
}

export interface SampleRequest extends Omit<TurnRules, 'room'> {
  readonly prefix: Int32Array;
  /** One sequence per number: run-wide numbers of the rollouts, which key their random draws. */
  readonly rolloutNumbers: readonly number[];
  /** Tokens that a sequence may have after its prefix, forced ones included; by default one turn's. */
  readonly room?: number;
}

/** @throws BackendError where tokens are outside the vocabulary */
export function checkTokens({ shape }: Policy, tokens: ArrayLike<number>): void {
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as number;
    if (token >= 0 && token < shape.vocabSize) continue;
    throw new BackendError('prompt', `token ${token} is outside the vocabulary — tokens are below ${shape.vocabSize}.`);
  }
}

/** @throws BackendError where a prefix is empty or unknown, or one sequence alone does not fit */
export function checkRoom(policy: Policy, prefix: Int32Array, room: number): void {
  const { capacity, shape } = policy;
  if (prefix.length === 0) {
    throw new BackendError('prompt', `the prompt is empty — a prompt is 1 or more tokens below ${shape.vocabSize}.`);
  }
  checkTokens(policy, prefix);
  const needed = prefix.length + room;
  if (needed <= capacity.context && needed - 1 <= capacity.kvRows && prefix.length <= capacity.rows) return;
  throw new BackendError(
    'capacity',
    `a prompt of ${prefix.length} tokens with ${room} to come — this policy was opened for ${capacity.context} in all ` +
      `(${capacity.rows} rows, ${capacity.kvRows} cache rows). Shorten the prompt, or open it with more.`,
  );
}
