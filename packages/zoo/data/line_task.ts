/**
 * A task whose problem and answer are a line of characters each, made of what only it knows: vocabulary, limits,
 * truncation and a teacher follow.
 */
import type { Knobs, TaskCard, TaskDefinition } from '../../../src/data/task.ts';
import type { Rng } from '../../../src/kernels/philox.ts';
import type { Json } from '../../../src/options/json.ts';
import { truncated } from '../../../src/rewards/reject.ts';
import type { Verdict, VerdictStep } from '../../../src/rewards/verdict.ts';
import { characterTokenizer } from '../../../src/text/vocabulary_tokenizer.ts';
import { rightSoFar, sequenceHints, sequenceSteps } from './judging/sequence_help.ts';
import type { NearMisses } from './near_misses.ts';

type Kept =
  | 'isFit'
  | 'enumerate'
  | 'frequency'
  | 'splitKey'
  | 'twin'
  | 'question'
  | 'reply'
  | 'parse'
  | 'columns'
  | 'solutions'
  | 'answers'
  | 'hints'
  | 'feedback'
  | 'trainKnobs';

/** What a task of lines says of itself. */
export interface LineTask<I extends Json, K extends Knobs>
  extends Pick<TaskDefinition<I, K>, 'generate' | 'key' | 'prompt' | 'oracle' | 'chance' | Kept> {
  /** Tasks with the same content share a family, and so the split. Default: the name of the card. */
  readonly family?: string;
  /** The characters of its prompts and answers. */
  readonly characters: string;
  /** Most characters of a prompt, of a right answer, and of a question, where its own is longer than usual. */
  longest(knobs: K): { readonly prompt: number; readonly answer: number; readonly question?: number };
  /** Judges an answer that ended by itself. */
  verify(identity: I, answer: string, knobs: K): Verdict;
  /**
   * What is between the parts of the right answer, '' where each character is one: where that is a sequence, and no other is
   * right. Steps, hints and feedback follow from it, where the task has none of its own.
   */
  readonly separator?: string;
  /** The steps of an answer, each judged by itself, where its answers have some. `verdict`: on the answer as a whole. */
  steps?(identity: I, answer: string, knobs: K, verdict: Verdict): readonly VerdictStep[];
  /** Near misses by name: each must score 0. */
  mutants(identity: I, knobs: K, rng: Rng): NearMisses;
  /** Default: a teacher who is right in half of the cases, and gives the answer of another problem in the others. */
  demonstration?(identity: I, knobs: K, rng: Rng): string;
}

/** Tokens beyond the longest right answer, so that an overlong answer is seen as one. */
export const SLACK_TOKENS = 2;
/** Share of demonstrations that are right. */
export const RIGHT_SHARE = 0.5;
const MOST_DRAWS = 20;

/** A definition of a card and of what only the task knows. */
export function lineTask<I extends Json, K extends Knobs>(
  card: TaskCard<K>,
  line: LineTask<I, K>,
): TaskDefinition<I, K> {
  const { characters, longest, verify, mutants, separator, steps = stepsOf(line, separator), ...own } = line;
  const tokenizer = characterTokenizer({ name: card.name, tokens: [...new Set(characters.split(''))] });
  return {
    demonstration: (identity, knobs, rng) =>
      rng.float() < RIGHT_SHARE ? line.oracle(identity, knobs) : anotherAnswer(line, identity, knobs, rng),
    ...(separator !== undefined && {
      hints: (identity: I, knobs: K) => sequenceHints(line.oracle(identity, knobs), separator),
      feedback: (identity: I, answer: string, knobs: K) => rightSoFar(line.oracle(identity, knobs), separator, answer),
    }),
    family: card.name,
    ...card,
    ...own,
    mutants: (identity, knobs, rng) =>
      Object.entries(mutants.call(line, identity, knobs, rng)).map(([name, text]) => ({ name, text, maxScore: 0 })),
    ...(steps !== undefined && { givesSteps: () => true }),
    verify(identity, answer, knobs, { finishReason, wantsSteps }) {
      const isCut = finishReason === 'length';
      const wants = steps !== undefined && wantsSteps !== undefined;
      if (isCut && !wants) return truncated();
      const verdict = verify.call(line, identity, answer, knobs);
      if (!wants) return verdict;
      return { ...(isCut ? truncated() : verdict), steps: steps.call(line, identity, answer, knobs, verdict) };
    },
    tokenizer: () => tokenizer,
    limits: (knobs) => {
      const { prompt, answer, question } = longest.call(line, knobs);
      return {
        promptTokens: prompt,
        completionTokens: answer + 1 + SLACK_TOKENS, // with EOS
        ...(question !== undefined && { questionCharacters: question }),
      };
    },
  };
}

/** Judges the parts of a sequence; undefined where the answer is none. */
function stepsOf<I extends Json, K extends Knobs>(
  line: LineTask<I, K>,
  separator: string | undefined,
): LineTask<I, K>['steps'] {
  if (separator === undefined) return undefined;
  return (identity, answer, knobs, verdict) => sequenceSteps(line.oracle(identity, knobs), separator, answer, verdict);
}

/** The answer of another problem of the same knobs that reads as an answer to this one; the right one where draws fail. */
function anotherAnswer<I extends Json, K extends Knobs>(line: LineTask<I, K>, identity: I, knobs: K, rng: Rng): string {
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const other = line.generate(rng, knobs);
    const answer = other === null ? undefined : line.oracle(other, knobs);
    if (answer !== undefined && line.verify(identity, answer, knobs).status !== 'invalid') return answer;
  }
  return line.oracle(identity, knobs);
}
