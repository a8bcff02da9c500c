/**
 * What samples completions and scores sequences: this machine's engine, or one elsewhere. A request says all that its
 * answer depends on besides the weights, so that any generator with the same weights answers it with the same bits.
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
  /** [tokens] of TOKEN; absent: all given. Log-probs of these places are 0 in the answer: who sampled them has them. */
  readonly labels?: Uint8Array;
}

/** Completions of one prompt, whose rows they share. */
export interface SampleRequest {
  readonly prompt: Int32Array;
  readonly rollouts: readonly RolloutRequest[];
}

export interface SampleSettings extends GenerationSettings {
  /** Keeps the activations for `Policy.keep`, where there is room and the generator is the engine that trains. */
  readonly keep?: boolean;
  /** Decides after each token, and at which temperature the next one is drawn. */
  readonly control?: GenerationControl;
  /** Answers the turns of the policy, where completions are episodes. */
  readonly turns?: TurnControl;
  /**
   * What will likely be asked next, with the same weights and settings: a generator elsewhere may begin with it. It decides no
   * bit, and need not come.
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
   * Samples again what others have sampled by the weights at hand, as the scorer differs. Absent: nobody else samples.
   * @throws RlvrError where one of them has lied
   */
  readonly recheck?: () => Promise<void>;
  /** Version of the weights that it samples with: optimizer steps taken to make them, over all stages. */
  readonly weightsVersion: number;
  /**
   * The same while the engine adds up gradients: what it does with the engine itself it does in turn. Absent where the engine
   * does all of it, so that nothing would be gained.
   */
  readonly beside?: (turns: EngineTurns) => Generator;
  /** Begins with what is upcoming while what is asked is judged; absent: it is of no use to it. */
  readonly takesUpcoming?: true;
}

/** More rollouts than any run draws; the numbers of later turns lie above. */
const ROLLOUTS = 2 ** 40;

/** What keys the random draws of a completion, together with the position of each. */
export function rolloutNumber({ rollout, turn = 0 }: Pick<RolloutRequest, 'rollout' | 'turn'>): number {
  return rollout + turn * ROLLOUTS;
}

/** Makes what samples and scores for a policy. @param weightsVersion  see `Generator` */
export type MakeGenerator = (policy: Policy, weightsVersion: () => number) => Generator;

/** The generator that is the training engine itself. @param weightsVersion  see `Generator` */
export function localGenerator(policy: Policy, weightsVersion: () => number): Generator {
  return {
    async sample(requests, { keep = false, control, turns, upcoming: _, ...settings }) {
      const asked = requests.map(generationRequest);
      let given: KeptGeneration;
      // Loaded where they are asked for: a page's first run seldom does.
      if (turns !== undefined) {
        const { generateEpisodes } = await import('../model/sampling/episodes.ts');
        given = await generateEpisodes(policy, asked, { ...settings, keep }, turns);
      } else if (control !== undefined) {
        const { generateControlled } = await import('../model/sampling/controlled_generation.ts');
        given = { completions: await generateControlled(policy, asked, settings, control), places: undefined };
      } else given = await generateKept(policy, asked, { ...settings, keep });
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

/** Tokens that a request continues from have the labels that it gave them. */
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
