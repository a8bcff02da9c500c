/** What figures are computed from: plain sequences and their scores, from any engine. */
import type { ScoredSet } from '../parameter_sets.ts';
import type { FigureValue, Rollout, RolloutGroup } from '../records.ts';
import type { TeacherTools } from '../support/rollouts/teacher.ts';

/** Tokens after a prompt; those that are not labelled as given are scored. */
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

/** The scores of a sequence. */
export interface SequenceScores {
  /** [tokens] */
  readonly logprobs: Float32Array;
  /** [tokens × vocabulary], where asked for; 0 at tokens that are given. */
  readonly distributions?: Float32Array;
  /** [tokens × hidden size] the last hidden rows, after the final norm, where asked for; 0 at tokens that are given. */
  readonly hidden?: Float32Array;
}

/** How to score sequences. */
export interface ScoreQuestion {
  /** Default: the policy that is trained. */
  readonly set?: ScoredSet | 'policy';
  /** A further model of the run, by its name, in the place of the policy and its sets. */
  readonly model?: string;
  /** Also log-probs of the whole vocabulary, for a figure that `takesDistributions`. */
  readonly distributions?: boolean;
  /** Also last hidden rows, for a figure that implies `hiddenRows`. */
  readonly hidden?: boolean;
}

/** A rollout with its group. */
export interface FigureMember {
  readonly group: RolloutGroup;
  readonly rollout: Rollout;
}

/** Tools for figures: scores at the stage's temperature, and prompts. */
export interface FigureTools extends TeacherTools {
  /** Tokens of the vocabulary. */
  readonly vocabularySize: number;
  /** [members] scores as they are trained, computed once for all figures. */
  trained(question?: ScoreQuestion): Promise<readonly SequenceScores[]>;
  /** [sequences] */
  score(sequences: readonly SequenceToScore[], question?: ScoreQuestion): Promise<readonly SequenceScores[]>;
  /** A word that the method uses, in tokens. */
  wordTokens(word: string): Int32Array;
}

/** The computation of a figure. */
export interface FigureComputation {
  /** If several have one id, the highest is computed; by default the first. */
  readonly rank?: number;
  /**
   * @param members  the rollouts of a batch, or as many as fit if the figure `takesDistributions` @returns [members]
   * undefined if a rollout has none
   */
  compute(members: readonly FigureMember[], tools: FigureTools): Promise<readonly (FigureValue | undefined)[]>;
}
