/**
 * What samples completions and scores sequences: this machine's engine, or one elsewhere. Besides the weights, a
 * request holds everything that its answer depends on, so any generator with the same weights gives the same bits.
 */
import type { SequenceScores, SequenceToScore } from '../methods/uses/figure_tools.ts';
import type { Policy } from '../model/policy.ts';
import type { GenerationControl } from '../model/sampling/controlled_generation.ts';
import type { TurnControl } from '../model/sampling/episodes.ts';
import {
  type Completion,
  type GenerationRequest,
  type GenerationSettings,
  generateKept,
  type KeptGeneration,
} from '../model/sampling/generation.ts';
import type { EngineTurns } from './engine_turns.ts';
import { type ScoringRequest, scoreSequences } from './score/score_sequences.ts';

/** One completion to sample, or to continue. */
export interface RolloutRequest {
  /** Run-wide number of the rollout, below 2⁴⁰; with turn and position it keys the random draws. */
  readonly rollout: number;
  /** Number of the turn whose tokens are sampled, from 0; default 0. Tokens before it are `tokens`. */
  readonly turn?: number;
  /** Tokens that it continues from, sampled or given; absent: it begins with the first token. */
  readonly tokens?: Int32Array;
  /** [tokens] of TOKEN; absent: all given. Their log-probs are 0 in the answer, since the caller has them. */
  readonly labels?: Uint8Array;
}

/** Completions of one prompt, whose rows they share. */
export interface SampleRequest {
  readonly prompt: Int32Array;
  readonly rollouts: readonly RolloutRequest[];
}

export interface SampleSettings extends GenerationSettings {
  /** Keep the activations for `Policy.keep`, if there is room and the generator is the engine that trains. */
  readonly keep?: boolean;
  /** Decides after each token, and at which temperature the next one is drawn. */
  readonly control?: GenerationControl;
  /** Answers the policy's turns if completions are episodes. */
  readonly turns?: TurnControl;
  /**
   * Likely next requests, with the same weights and settings, so that a remote generator can start early. They decide
   * no bit, and may never come.
   */
  readonly upcoming?: readonly SampleRequest[];
}

/** The two doors into what runs the policy. */
export interface Generator {
  /** [requests][rollouts] completions, in order; a completion does not depend on what it is sampled together with. */
  sample(requests: readonly SampleRequest[], settings: SampleSettings): Promise<KeptGeneration>;
  /** [sequences] log-probs of given tokens, in order; a token's does not depend on what it is scored together with. */
  score(sequences: readonly SequenceToScore[], settings: ScoringRequest): Promise<SequenceScores[]>;
  /**
   * Samples again what workers sampled with the current weights, because the scorer disagrees. Absent: there are no
   * workers.
   * @throws RlvrError if a worker returned other tokens or log-probs
   */
  readonly recheck?: () => Promise<void>;
  /** Version of its weights: the optimizer steps that made them, over all stages. */
  readonly weightsVersion: number;
  /**
   * The same generator while the engine adds up gradients: it takes turns for its own work at the engine. Absent if the
   * engine does everything, when nothing would be gained.
   */
  readonly beside?: (turns: EngineTurns) => Generator;
  /** Starts on `upcoming` while current completions are judged; absent: it ignores `upcoming`. */
  readonly takesUpcoming?: true;
}

/** More rollouts than any run draws; later turns are numbered above it. */
const ROLLOUTS = 2 ** 40;

/** Keys the random draws of a completion, together with each token's position. */
export function rolloutNumber({ rollout, turn = 0 }: Pick<RolloutRequest, 'rollout' | 'turn'>): number {
  return rollout + turn * ROLLOUTS;
}

/** Makes what samples and scores for a policy. @param weightsVersion  see `Generator` */
export type MakeGenerator = (policy: Policy, weightsVersion: () => number) => Generator;

/** The generator that is the training engine itself. @param weightsVersion  see `Generator` */
export function localGenerator(policy: Policy, weightsVersion: () => number): Generator {
  return {
    async sample(requests, { keep = false, control, turns, upcoming: _, ...settings }) {
      const generationRequests = requests.map(generationRequest);
      let given: KeptGeneration;
      // Loaded on demand: a page's first run seldom needs them.
      if (turns !== undefined) {
        const { generateEpisodes } = await import('../model/sampling/episodes.ts');
        given = await generateEpisodes(policy, generationRequests, { ...settings, keep }, turns);
      } else if (control !== undefined) {
        const { generateControlled } = await import('../model/sampling/controlled_generation.ts');
        given = {
          completions: await generateControlled(policy, generationRequests, settings, control),
          places: undefined,
        };
      } else given = await generateKept(policy, generationRequests, { ...settings, keep });
      return { ...given, completions: labelled(requests, given.completions) };
    },
    score: (sequences, settings) => scoreSequences(policy, sequences, settings),
    get weightsVersion() {
      return weightsVersion();
    },
  };
}

function generationRequest({ prompt, rollouts }: SampleRequest): GenerationRequest {
  const rolloutNumbers = rollouts.map(rolloutNumber);
  if (!rollouts.some(({ tokens }) => tokens !== undefined)) return { prompt, rolloutNumbers };
  return { prompt, rolloutNumbers, prefixes: rollouts.map(({ tokens = new Int32Array() }) => tokens) };
}

/** Gives the tokens that a request continues from the labels that it gave them. */
export function labelled(requests: readonly SampleRequest[], completions: Completion[][]): Completion[][] {
  if (!requests.some(({ rollouts }) => rollouts.some(({ labels }) => labels !== undefined))) return completions;
  return completions.map((own, i) =>
    own.map((completion, k) => {
      const { labels: before } = requests[i].rollouts[k];
      if (before === undefined) return completion;
      const labels = completion.labels?.slice() ?? new Uint8Array(completion.tokens.length);
      labels.set(before);
      return { ...completion, labels };
    }),
  );
}
