/**
 * A task whose answers search: `searchTask` makes it from a solver. Its answers have what is tried, each try with what
 * becomes of it, and after the hit what was found; `src/data/search_text.ts` has their form.
 *
 * The teacher tries all moves in order, by default; the verifier wants every word of the search to be true.
 */
import {
  drawAnswer,
  readSearch,
  SEARCH_MARKS,
  type SearchMove,
  type SearchSpace,
  searchMisses,
  writeAnswer,
  writeSearch,
} from '../../../src/data/search_text.ts';
import type { Knobs, TaskCard, TaskDefinition } from '../../../src/data/task.ts';
import type { Rng } from '../../../src/kernels/philox.ts';
import type { Json } from '../../../src/options/json.ts';
import { flag, integer, number } from '../../../src/options/keys.ts';
import { truncated } from '../../../src/rewards/reject.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';
import { wordTokenizer } from '../../../src/text/vocabulary_tokenizer.ts';
import type { NearMisses } from './near_misses.ts';

/** The knobs of a task whose answers search, to be declared beside its own. @param longest  default of `max_tokens` */
export const searchKnobs = (longest: number) => ({
  search: flag().default(true).describe('Answers begin with a search; false: they are what is found alone.'),
  max_tokens: integer({ min: 8, max: 4096, example: longest })
    .default(longest)
    .describe('Longest answer in tokens; a demonstration that is longer is drawn again, in random order.'),
  random_order: number({ min: 0, max: 1, example: 0.1 })
    .default(0)
    .describe('Share of demonstrations that try in random order.'),
  right_marks: number({ min: 0, max: 1, example: 0.9 }).default(1).describe('Share of right marks in demonstrations.'),
  repeats: number({ min: 0, max: 0.9, example: 0.2 })
    .default(0)
    .describe('Chance that a demonstration repeats a try after one that fails.'),
  gives_up: number({ min: 0, max: 1, example: 0.1 })
    .default(0)
    .describe('Chance that a demonstration leaves a state after a try that fails.'),
});

/** What `searchKnobs` declares. */
export type SearchKnobs = Knobs & {
  readonly search: boolean;
  readonly max_tokens: number;
  readonly random_order: number;
  readonly right_marks: number;
  readonly repeats: number;
  readonly gives_up: number;
};

type Kept = 'isFit' | 'enumerate' | 'frequency' | 'splitKey' | 'twin' | 'parse' | 'columns' | 'answers' | 'trainKnobs';

/** What such a task says of itself. */
export interface SearchTask<I extends Json, K extends SearchKnobs, S>
  extends Pick<TaskDefinition<I, K>, 'generate' | 'key' | 'prompt' | 'chance' | Kept> {
  /** Tasks with the same content share a family, and so the split. Default: the name of the card. */
  readonly family?: string;
  /** The words of prompts and answers; marks may be among them. All are apart by one space. */
  readonly words: readonly string[];
  /** The problem as a search, which has a solution. */
  space(identity: I, knobs: K): SearchSpace<S>;
  /** What is found by the moves that lead to a hit, in words. */
  found(identity: I, path: readonly SearchMove<S>[]): string;
  /** Judges what follows the hit. Total and pure. */
  verify(identity: I, found: string, knobs: K): Verdict;
  /** Near misses of what is found, by name: each must score 0. */
  misses(identity: I, knobs: K, rng: Rng): NearMisses;
  /** Most words of a prompt. */
  longestPrompt(knobs: K): number;
}

/** A definition of a card and of what only the task knows. */
export function searchTask<I extends Json, K extends SearchKnobs, S>(
  card: TaskCard<K>,
  task: SearchTask<I, K, S>,
): TaskDefinition<I, K> {
  const { words, space, found, verify, misses, longestPrompt, ...own } = task;
  const tokenizer = wordTokenizer({ name: card.name, tokens: [...new Set([...words, '?', ...SEARCH_MARKS])] });
  /** The moves to the first solution in order. */
  const solve = (identity: I, knobs: K): readonly SearchMove<S>[] => {
    const order = (moves: readonly SearchMove<S>[]) => moves;
    const path = writeSearch(space(identity, knobs), { order, longest: Number.POSITIVE_INFINITY })?.path;
    if (path === undefined) throw new RangeError(`${card.name}: ${task.prompt(identity, knobs)} has no solution`);
    return path;
  };
  /** A search that tries the moves to a solution alone, and what it finds. */
  const straight = (identity: I, knobs: K): readonly [search: string, found: string] => {
    const path = solve(identity, knobs);
    const order = (_: unknown, depth: number) => path.slice(depth, depth + 1);
    const written = writeSearch(space(identity, knobs), { order, longest: Number.POSITIVE_INFINITY });
    return [written?.text ?? '', found(identity, path)];
  };
  const right = (identity: I, knobs: K): string => {
    const [search, tail] = straight(identity, knobs);
    return knobs.search ? `${search} , ${tail}` : tail;
  };
  return {
    family: card.name,
    ...card,
    ...own,
    oracle(identity, knobs) {
      if (!knobs.search) return right(identity, knobs);
      const teacher = { order: (moves: readonly SearchMove<S>[]) => moves, longest: knobs.max_tokens - 1 };
      return writeAnswer(space(identity, knobs), (path) => found(identity, path), teacher) ?? right(identity, knobs);
    },
    searchSpace: (identity, knobs) => (knobs.search ? space(identity, knobs) : undefined),
    solutions: (identity, knobs) => [right(identity, knobs)],
    hints(identity, knobs) {
      const moves = solve(identity, knobs).map(({ text }) => text);
      return moves.slice(1).map((_, i) => moves.slice(0, i + 1).join(' '));
    },
    demonstration(identity, knobs, rng) {
      if (!knobs.search) return right(identity, knobs);
      const { random_order: randomOrder, right_marks: rightMarks, repeats, gives_up: givesUp, max_tokens } = knobs;
      const teacher = { rng, randomOrder, rightMarks, repeats, givesUp, longest: max_tokens - 1 };
      return drawAnswer(space(identity, knobs), (path) => found(identity, path), teacher) ?? right(identity, knobs);
    },
    mutants(identity, knobs, rng) {
      const [search, tail] = straight(identity, knobs);
      const missed = Object.entries(misses.call(task, identity, knobs, rng));
      const texts = knobs.search
        ? {
            ...searchMisses(search, tail),
            ...Object.fromEntries(missed.map(([name, text]) => [name, `${search} , ${text}`])),
          }
        : Object.fromEntries(missed);
      return Object.entries(texts).map(([name, text]) => ({ name, text, maxScore: 0 }));
    },
    verify(identity, answer, knobs, { finishReason, wantsSteps }) {
      if (finishReason === 'length') return truncated();
      if (!knobs.search) return verify.call(task, identity, answer, knobs);
      const { steps, rest, flaw } = readSearch(space(identity, knobs), answer);
      const verdict = flaw?.verdict ?? verify.call(task, identity, rest?.text ?? '', knobs);
      if (!wantsSteps) return verdict;
      const end = rest?.text ? { from: rest.from, to: rest.from + rest.text.length, score: verdict.score ?? 0 } : [];
      const all = [steps, end].flat();
      // None of the answer is left out: what joins two tries belongs to the first.
      return { ...verdict, steps: all.map((step, i) => ({ ...step, to: all[i + 1]?.from ?? step.to })) };
    },
    givesSteps: ({ search }) => search,
    tokenizer: () => tokenizer,
    limits: (knobs) => ({ promptTokens: longestPrompt.call(task, knobs), completionTokens: knobs.max_tokens }),
  };
}
