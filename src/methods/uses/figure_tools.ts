/** What figures are computed with: plain sequences and their scores, whichever engine gives them. */
import type { ScoredSet } from '../parameter_sets.ts';
import type { FigureValue, Rollout, RolloutGroup } from '../records.ts';
import type { TeacherTools } from '../support/rollouts/teacher.ts';

/** Tokens after a prompt: what is asked of each that is not labelled as given. */
export interface SequenceToScore {
  readonly prefix: Int32Array;
  readonly tokens: Int32Array;
  /** [tokens] of TOKEN; where absent, every token is asked for. */
  readonly labels?: Uint8Array | undefined;
  /** See `Rollout.support`: log-probs are among what could be sampled. */
  readonly support?: Uint8Array | undefined;
  /** [tokens] log-probs of tokens that are given; 0 where absent. */
  readonly givenLogprobs?: Float32Array;
}

/** What is known of a sequence. */
export interface SequenceScores {
  /** [tokens] */
  readonly logprobs: Float32Array;
  /** [tokens × vocabulary], where asked for; 0 at tokens that are given. */
  readonly distributions?: Float32Array;
}

/** What is asked of sequences. */
export interface ScoreQuestion {
  /** Default: the policy that is trained. */
  readonly set?: ScoredSet | 'policy';
  /** Log-probs of the whole vocabulary too: of a figure that `takesDistributions`. */
  readonly distributions?: boolean;
}

/** A rollout with its group. */
export interface FigureMember {
  readonly group: RolloutGroup;
  readonly rollout: Rollout;
}

/** What figures are computed with: scores at the stage's temperature, and what prompts are made with. */
export interface FigureTools extends TeacherTools {
  /** Tokens of the vocabulary. */
  readonly vocabularySize: number;
  /** [members] as they are trained; asked for by several figures, it is computed once. */
  trained(question?: ScoreQuestion): Promise<readonly SequenceScores[]>;
  /** [sequences] */
  score(sequences: readonly SequenceToScore[], question?: ScoreQuestion): Promise<readonly SequenceScores[]>;
  /** A word that the method uses, in tokens. */
  wordTokens(word: string): Int32Array;
}

/** How a figure is computed. */
export interface FigureComputation {
  /** The highest of several of one id is computed; by default the first. */
  readonly rank?: number;
  /**
   * @param members  the rollouts of a batch; as many as fit at a time, where the figure `takesDistributions`
   * @returns [members] undefined where a rollout has none
   */
  compute(members: readonly FigureMember[], tools: FigureTools): Promise<readonly (FigureValue | undefined)[]>;
}
