/**
 * Searches as texts: what a solver tries, one try after the other, and what becomes of each; written by a teacher who
 * may slip, and read strictly.
 *
 *   search  = tries                   if every move of the start ends the search: ":" results mark
 *   tries   = try {"," try}
 *   try     = move mark                      after it the state is solved, y, or dead, n
 *           | move [left] ":" results mark   the results of all moves from there, up to the first that solves; n if none
 *           | move [left] "(" tries ")"
 *
 * All words are apart by one space. The first y ends the search, and brackets stay open around it; so a ")" closes one
 * that found nothing, tried through or given up. A try costs nothing but length, and may be repeated.
 */
import type { Rng } from '../kernels/philox.ts';
import { trimAscii } from '../parsing/trim_ascii.ts';
import { illegal, malformed, missing, wrongValue } from '../rewards/reject.ts';
import type { Verdict, VerdictStep } from '../rewards/verdict.ts';

/** A way on from a state. */
export interface SearchMove<S> {
  /** Its words, apart by one space; none is a mark, and no other move of the state has the same. */
  readonly text: string;
  /** Its words in a list of results. */
  readonly result?: string;
  readonly to: S;
}

/** A problem as a search; its functions are pure. */
export interface SearchSpace<S> {
  readonly start: S;
  /** Every move of a state that is neither solved nor dead, in the order of lists and of an orderly teacher. */
  expand(state: S): readonly SearchMove<S>[];
  isSolved(state: S): boolean;
  isDead(state: S): boolean;
  /** Whether the moves of a state are not tried, but listed by their results: each of them ends the search. */
  isListed?(state: S): boolean;
  /** How far a state looks from a solved one, at a glance; figures compare the first tries with it. */
  distance?(state: S): number;
  /**
   * What is repeated of a state, after the move that leads to it, where its moves are listed or tried: in any order of its
   * words.
   */
  left?(state: S): string;
}

/** The words that are no part of a move. */
export const SEARCH_MARKS = ['n', 'y', ':', ',', '(', ')'] as const;
const MARKS: ReadonlySet<string> = new Set(SEARCH_MARKS);

/** Longest answer that is read, in UTF-16 units after trimming. */
const MAX_LENGTH = 2 ** 14;

/** How a teacher slips, by chance. */
export interface SearchSlips {
  readonly rng: Rng;
  /** Chance of a right mark; a wrong one passes a hit over, or takes a miss for one. */
  readonly rightMarks: number;
  /** Chance that a try without a hit is followed by one that was made before. */
  readonly repeats: number;
  /** Chance that a try without a hit is the last one of its state. */
  readonly givesUp: number;
}

/** How a search is written. */
export interface SearchTeacher<S> {
  /** The moves that are tried, in this order. @param depth  how many moves lead to their state */
  order(moves: readonly SearchMove<S>[], depth: number): readonly SearchMove<S>[];
  /** Absent: it makes no mistake. */
  readonly slips?: SearchSlips;
  /** Most words; a search that has more is broken off. */
  readonly longest: number;
}

/** A search as it was written. */
export interface WrittenSearch<S> {
  readonly text: string;
  readonly numWords: number;
  /** The moves to what was marked y; undefined: nothing was. */
  readonly path?: readonly SearchMove<S>[];
}

/** What a try repeats of the state that its move leads to; empty: nothing. */
function leftAfter<S>(space: SearchSpace<S>, { to }: SearchMove<S>): string {
  return space.left === undefined || space.isSolved(to) || space.isDead(to) ? '' : space.left(to);
}

/** Whether the words of a try before its mark, list or bracket are those of this move. */
export function isTryOf<S>(space: SearchSpace<S>, move: SearchMove<S>, phrase: string): boolean {
  const left = leftAfter(space, move);
  if (left === '') return phrase === move.text;
  const sorted = (words: string): string => words.split(' ').sort().join(' ');
  const before = `${move.text} `;
  return phrase.startsWith(before) && sorted(phrase.slice(before.length)) === sorted(left);
}

/** Writes a search as the teacher does it; undefined where it is longer than it may be. */
export function writeSearch<S>(space: SearchSpace<S>, teacher: SearchTeacher<S>): WrittenSearch<S> | undefined {
  const { slips, longest } = teacher;
  const words: string[] = [];
  const path: SearchMove<S>[] = [];
  const happens = (chance = 0): boolean => slips !== undefined && chance > 0 && slips.rng.float() < chance;
  const isWrong = (): boolean => happens(1 - (slips?.rightMarks ?? 1));
  const write = (text: string): void => void words.push(...text.split(' '));
  const mark = (isHit: boolean): boolean => {
    words.push(isHit ? 'y' : 'n');
    return isHit;
  };

  const list = (state: S): boolean => {
    const moves = space.expand(state);
    const hit = moves.findIndex(({ to }) => space.isSolved(to));
    const miss = (): number => slips?.rng.int(0, moves.length - 1) ?? 0;
    const last = isWrong() ? (hit < 0 ? miss() : -1) : hit;
    words.push(':');
    for (const { result, text } of last < 0 ? moves : moves.slice(0, last + 1)) write(result ?? text);
    if (last >= 0) path.push(moves[last]);
    return mark(last >= 0);
  };
  const attempt = (move: SearchMove<S>): boolean => {
    const { text, to } = move;
    const left = leftAfter(space, move);
    write(left === '' ? text : `${text} ${left}`);
    path.push(move);
    let isHit: boolean;
    if (space.isSolved(to) || space.isDead(to)) isHit = mark(space.isSolved(to) !== isWrong());
    else if (space.isListed?.(to)) isHit = list(to);
    else {
      words.push('(');
      isHit = tries(to);
      if (!isHit) words.push(')');
    }
    if (!isHit) path.pop();
    return isHit;
  };
  const tries = (from: S): boolean => {
    const moves = teacher.order(space.expand(from), path.length);
    for (const [i, move] of moves.entries()) {
      if (i > 0) words.push(',');
      if (attempt(move)) return true;
      while (words.length <= longest && happens(slips?.repeats)) {
        words.push(',');
        if (attempt(moves[slips?.rng.int(0, i) ?? i])) return true;
      }
      if (words.length > longest || (i < moves.length - 1 && happens(slips?.givesUp))) return false;
    }
    return false;
  };

  const isHit = space.isListed?.(space.start) ? list(space.start) : tries(space.start);
  if (words.length > longest) return undefined;
  return { text: words.join(' '), numWords: words.length, ...(isHit && { path }) };
}

/** What follows the hit of a search, in words. */
export type SearchTail<S> = (path: readonly SearchMove<S>[]) => string;

/** A search and what it found; undefined where that is longer than the teacher may write. */
export function writeAnswer<S>(
  space: SearchSpace<S>,
  tail: SearchTail<S>,
  teacher: SearchTeacher<S>,
): string | undefined {
  const written = writeSearch(space, teacher);
  if (written?.path === undefined) return written?.text;
  const found = tail(written.path);
  const length = written.numWords + 1 + found.split(' ').length;
  return length > teacher.longest ? undefined : `${written.text} , ${found}`;
}

/** Answers that a teacher begins before there is none. */
const MOST_DRAWS = 64;

/**
 * A teacher's answer: in the order of the moves or, by chance and where it is too long, in random order.
 *
 * @param teacher.randomOrder  chance that the first draw is in random order
 * @returns undefined where none that was begun is short enough
 */
export function drawAnswer<S>(
  space: SearchSpace<S>,
  tail: SearchTail<S>,
  { randomOrder, longest, ...slips }: SearchSlips & { readonly randomOrder: number; readonly longest: number },
): string | undefined {
  const { rng } = slips;
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const isRandom = draw > 0 || rng.float() < randomOrder;
    const order: SearchTeacher<S>['order'] = (moves) => (isRandom ? rng.shuffle([...moves]) : moves);
    const text = writeAnswer(space, tail, { order, slips, longest });
    if (text !== undefined) return text;
  }
  return undefined;
}

/** What a reader makes of a search. */
export interface SearchReading<S> {
  /** The tries, in order, up to the first that breaks a rule: 1, or 0 for that one. */
  readonly steps: readonly VerdictStep[];
  /** What follows the hit, without its comma; undefined: there is a flaw. */
  readonly rest?: { readonly text: string; readonly from: number };
  readonly flaw?: {
    readonly verdict: Verdict;
    /** The state whose moves were tried. */
    readonly state: S;
    /** The words of the try that are right, and its first wrong words up to a mark. */
    readonly right: string;
    readonly wrong: string;
  };
}

/** Reads a search, and what follows its hit. Total and pure. */
export function readSearch<S>(space: SearchSpace<S>, answer: string): SearchReading<S> {
  const { start } = space;
  const text = trimAscii(answer);
  const refused = (verdict: Verdict) => ({ steps: [], flaw: { verdict, state: start, right: '', wrong: '' } });
  if (text === '') return refused(missing('the answer is empty'));
  if (text.length > MAX_LENGTH) return refused(malformed(`longer than ${MAX_LENGTH} characters`));
  const reader = new Reader(space, text, answer.indexOf(text));
  return reader.read();
}

const WRONG_MARK = wrongValue('a mark is wrong, or a hit passed over');

/** What became of tries: a hit, none, or a broken rule. */
type Outcome = 'hit' | 'none' | Verdict;

class Reader<S> {
  readonly #space: SearchSpace<S>;
  readonly #words: readonly string[];
  readonly #steps: VerdictStep[] = [];
  /** The word that is read next. */
  #at = 0;
  /** The first word of the try that is read, and its state. */
  #begin = 0;
  #state: S;
  /** Where a word begins in the answer; read forward only. */
  readonly #starts: readonly number[];

  constructor(space: SearchSpace<S>, text: string, offset: number) {
    this.#space = space;
    this.#state = space.start;
    this.#words = text.split(' ');
    let next = offset;
    this.#starts = this.#words.map((word) => {
      const from = next;
      next += word.length + 1;
      return from;
    });
  }

  read(): SearchReading<S> {
    const { start } = this.#space;
    const outcome = this.#space.isListed?.(start) ? this.#list(start) : this.#tries(start);
    const isOver = this.#at === this.#words.length;
    if (outcome === 'hit' && this.#takes(',')) {
      const from = this.#starts[this.#at] ?? 0;
      return { steps: this.#steps, rest: { text: this.#words.slice(this.#at).join(' '), from } };
    }
    if (outcome === 'hit') return this.#flawed(malformed('no comma after the mark that ends the search'));
    if (outcome !== 'none') return this.#flawed(outcome);
    return this.#flawed(isOver ? wrongValue('the search ends without a hit') : malformed('no comma after a try'));
  }

  #flawed(verdict: Verdict): SearchReading<S> {
    const end = this.#endOfPhrase();
    const [right, wrong] = [this.#text(this.#begin, this.#at), this.#text(this.#at, end)];
    const last = Math.max(this.#at, Math.min(end, this.#words.length));
    if (last > this.#begin) this.#judged(last, 0);
    return { steps: this.#steps, flaw: { verdict, state: this.#state, right, wrong } };
  }

  #text(from: number, to: number): string {
    return this.#words.slice(from, to).join(' ');
  }

  /** Judges the words since the last judged ones, up to `end`. */
  #judged(end: number, score: 0 | 1): void {
    const [from, last] = [this.#starts[this.#begin], end - 1];
    this.#steps.push({ from, to: this.#starts[last] + this.#words[last].length, score });
    this.#begin = this.#at;
  }

  #takes(phrase: string): boolean {
    const words = phrase.split(' ');
    if (!words.every((word, i) => this.#words[this.#at + i] === word)) return false;
    this.#at += words.length;
    return true;
  }

  /** The place of the next mark. */
  #endOfPhrase(): number {
    let end = this.#at;
    while (end < this.#words.length && !MARKS.has(this.#words[end])) end++;
    return end;
  }

  #tries(state: S): Outcome {
    const moves = this.#space.expand(state);
    for (;;) {
      this.#open(state);
      const end = this.#endOfPhrase();
      const phrase = this.#text(this.#at, end);
      const move = moves.find((one) => isTryOf(this.#space, one, phrase));
      if (move === undefined) {
        return end === this.#at ? malformed('a try is missing') : illegal('a try is no move, or not true');
      }
      this.#at = end;
      const outcome = this.#ending(move.to);
      if (outcome !== 'none') return outcome;
      this.#open(state);
      if (!this.#takes(',')) return 'none';
    }
  }

  /** A try of a move of this state begins. */
  #open(state: S): void {
    this.#begin = this.#at;
    this.#state = state;
  }

  #ending(state: S): Outcome {
    const space = this.#space;
    if (space.isSolved(state) || space.isDead(state)) return this.#mark(space.isSolved(state));
    if (space.isListed?.(state)) return this.#list(state);
    if (!this.#takes('(')) return malformed('a try that is not over opens no bracket');
    this.#judged(this.#at, 1);
    const outcome = this.#tries(state);
    if (outcome !== 'none') return outcome;
    if (!this.#takes(')')) return malformed('a bracket is not closed, or a comma is missing');
    this.#steps.push({ ...(this.#steps.pop() as VerdictStep), to: this.#starts[this.#at - 1] + 1 });
    return 'none';
  }

  #list(state: S): Outcome {
    if (!this.#takes(':')) return malformed('no list where results are listed');
    for (const { result, text, to } of this.#space.expand(state)) {
      if (!this.#takes(result ?? text)) {
        return this.#words[this.#at] === 'y' ? WRONG_MARK : illegal('a list has other results');
      }
      if (this.#space.isSolved(to)) return this.#mark(true);
    }
    return this.#mark(false);
  }

  #mark(isHit: boolean): Outcome {
    if (this.#takes(isHit ? 'y' : 'n')) {
      this.#judged(this.#at, 1);
      return isHit ? 'hit' : 'none';
    }
    return isHit || ['y', 'n'].includes(this.#words[this.#at]) ? WRONG_MARK : malformed('a mark is missing');
  }
}

/**
 * Near misses of a right answer.
 *
 * @param search  up to its hit, with the mark @param tail  what follows it, after the comma
 */
export function searchMisses(search: string, tail: string): Readonly<Record<string, string>> {
  const unmarked = search.slice(0, -' y'.length);
  const right = `${search} , ${tail}`;
  const colon = right.indexOf(':') + 2;
  return {
    'no search': tail,
    'search alone': search,
    'mark turned': `${unmarked} n , ${tail}`,
    'mark dropped': `${unmarked} , ${tail}`,
    'mark twice': `${search} y , ${tail}`,
    'bracket closed after the hit': `${search} ) , ${tail}`,
    'bracket before it all': `( ${right}`,
    'comma dropped': `${search} ${tail}`,
    'nothing after the comma': `${search} ,`,
    ...(colon > 1 && {
      'list without its first word': right.slice(0, colon) + right.slice(right.indexOf(' ', colon) + 1),
    }),
  };
}
