/**
 * Reads the tries of an answer that searches (`search_text.ts`), right or wrong, whole or cut. The verifier refuses a
 * search at its first wrong word; this says of each try what it claims and what is true. Any string has a reading: words
 * that fit nowhere are passed over.
 */
import { isTryOf, SEARCH_MARKS, type SearchMove, type SearchSpace } from '../../../../../src/data/search_text.ts';

/** UTF-16 units of the answer, `to` not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A move that was tried, with what the answer says of it. */
export interface SearchTry extends Span {
  /** The move, after those that it lies in: a try of a key that was there before is a repeat. */
  readonly key: string;
  /** 0 for a move of the start, 1 for one that is tried after it, and so on. */
  readonly depth: number;
  /** What the answer says: it solves, it leads nowhere, or nothing, as where a hit lies in it or the answer was cut. */
  readonly mark: 'hit' | 'closed' | 'open';
  /** A solved state can be reached from it. */
  readonly inReach: boolean;
  /** It is solved, or lists a result that is. */
  readonly showsHit: boolean;
  /** Results that it lists and that are wrong; a move that there is not is one, as is what it repeats wrongly. */
  readonly wrongResults: number;
}

/** An answer as a search: plain data. */
export interface AnswerSearch {
  /** In the order in which they begin. */
  readonly tries: readonly SearchTry[];
  /** What follows the hit; absent: nothing. */
  readonly solution?: Span;
  /**
   * Share in [0, 1] of the moves of the start from which a solved state can be reached: of all, and of those that look
   * nearest to one (`SearchSpace.distance`). Absent: its moves are listed, not tried.
   */
  readonly first?: { readonly chance: number; readonly nearest?: number };
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** A state whose moves are tried; undefined where a try has left what there is. */
interface Frame<S> {
  readonly key: string;
  readonly state: S | undefined;
  readonly own?: Writable<SearchTry>;
}

interface Word extends Span {
  readonly text: string;
}

/** States that are looked at to find out what is in reach; what would take more counts as out of it. */
const MOST_STATES = 20_000;
const MARKS: ReadonlySet<string> = new Set(SEARCH_MARKS);
/** The marks that may follow a move. */
const AFTER_MOVE: readonly string[] = ['(', ':', 'y', 'n'];

/** A reader of the answers to one problem. */
export function triesReader(space: SearchSpace<unknown>): (answer: string) => AnswerSearch {
  const reachable = reachIn(space);
  const first = firstMoves(space, reachable);
  return (answer) => ({ ...new Reading(space, reachable, answer).read(), ...(first && { first }) });
}

class Reading<S> {
  readonly #space: SearchSpace<S>;
  readonly #reachable: (state: S) => boolean;
  readonly #words: readonly Word[];
  readonly #tries: Writable<SearchTry>[] = [];
  readonly #open: Frame<S>[];
  #at = 0;

  constructor(space: SearchSpace<S>, reachable: (state: S) => boolean, answer: string) {
    this.#space = space;
    this.#reachable = reachable;
    this.#words = [...answer.matchAll(/\S+/g)].map(({ 0: text, index }) => {
      return { text, from: index, to: index + text.length };
    });
    this.#open = [{ key: '', state: space.start }];
  }

  read(): Pick<AnswerSearch, 'tries' | 'solution'> {
    const { start } = this.#space;
    const isListed = this.#space.isListed?.(start) === true;
    for (let solution: Span | undefined; this.#at < this.#words.length; ) {
      const begin = this.#at;
      const phrase = this.#phrase();
      const next = this.#words[this.#at]?.text ?? '';
      if (phrase !== '' && AFTER_MOVE.includes(next)) this.#try(begin, phrase);
      else if (phrase === '' && isListed && next === ':' && this.#tries.length === 0) this.#try(begin, phrase);
      else if (phrase !== '' && this.#tries.at(-1)?.mark === 'hit') {
        solution = { from: this.#words[begin].from, to: this.#words[this.#words.length - 1].to };
        return { tries: this.#ended(this.#tries[this.#tries.length - 1].to), solution };
      } else if (this.#takes(')')) this.#close();
      else this.#at += phrase === '' ? 1 : 0;
    }
    return { tries: this.#ended(this.#words.at(-1)?.to ?? 0) };
  }

  /** The words up to the next mark. */
  #phrase(): string {
    const begin = this.#at;
    while (this.#at < this.#words.length && !MARKS.has(this.#words[this.#at].text)) this.#at++;
    return this.#text(begin, this.#at);
  }

  #text(from: number, to: number): string {
    const words = this.#words.slice(from, to);
    return words.map(({ text }) => text).join(' ');
  }

  #takes(mark: string): boolean {
    const isNext = this.#words[this.#at]?.text === mark;
    if (isNext) this.#at++;
    return isNext;
  }

  /** @param begin  the first word of the move @param phrase  the move; empty: the start itself is listed */
  #try(begin: number, phrase: string): void {
    const { key: above, state: from } = this.#open[this.#open.length - 1];
    const isStart = phrase === '';
    const moves = from === undefined || isStart ? [] : this.#movesOf(from);
    const right = moves.find((move) => isTryOf(this.#space, move, phrase));
    const move = right ?? moves.find(({ text }) => `${phrase} `.startsWith(`${text} `));
    const state = isStart ? from : move?.to;
    const own: Writable<SearchTry> = {
      from: this.#words[begin].from,
      to: 0,
      key: `${above} ${move?.text ?? phrase}`.trim(),
      depth: this.#open.length - 1,
      mark: 'open',
      inReach: state !== undefined && this.#reachable(state),
      showsHit: state !== undefined && this.#space.isSolved(state),
      wrongResults: from !== undefined && !isStart && right === undefined ? 1 : 0,
    };
    this.#tries.push(own);
    if (this.#takes('(')) {
      this.#open.push({ key: own.key, state, own });
    } else {
      if (this.#takes(':')) this.#list(own, state);
      if (this.#takes('y')) own.mark = 'hit';
      else if (this.#takes('n')) own.mark = 'closed';
    }
    own.to = this.#words[this.#at - 1].to;
  }

  #list(own: Writable<SearchTry>, state: S | undefined): void {
    let begin = this.#at;
    this.#phrase();
    for (const { text, result = text, to } of state === undefined ? [] : this.#movesOf(state)) {
      if (begin >= this.#at) return;
      const end = Math.min(this.#at, begin + result.split(' ').length);
      if (this.#text(begin, end) !== result) own.wrongResults++;
      else if (this.#space.isSolved(to)) own.showsHit = true;
      begin = end;
    }
    if (state !== undefined) own.wrongResults += this.#at - begin;
  }

  #movesOf(state: S): readonly SearchMove<S>[] {
    return this.#space.isSolved(state) || this.#space.isDead(state) ? [] : this.#space.expand(state);
  }

  #close(): void {
    const own = this.#open.length > 1 ? this.#open.pop()?.own : undefined;
    if (own !== undefined) Object.assign(own, { mark: 'closed', to: this.#words[this.#at - 1].to });
  }

  /** The tries, with the open ones up to this place. */
  #ended(to: number): readonly SearchTry[] {
    for (const { own } of this.#open) if (own !== undefined) own.to = to;
    return this.#tries;
  }
}

/** Whether a solved state can be reached from a state. */
function reachIn<S>(space: SearchSpace<S>): (state: S) => boolean {
  const known = new Map<string, boolean>();
  const isReached = (state: S): boolean => {
    if (space.isSolved(state)) return true;
    if (space.isDead(state)) return false;
    const key = JSON.stringify(state);
    const before = known.get(key);
    if (before !== undefined || known.size >= MOST_STATES) return before ?? false;
    known.set(key, false); // a way back to it reaches nothing more
    const isIn = space.expand(state).some(({ to }) => isReached(to));
    known.set(key, isIn);
    return isIn;
  };
  return isReached;
}

function firstMoves<S>(space: SearchSpace<S>, reachable: (state: S) => boolean): AnswerSearch['first'] {
  const { start } = space;
  if (space.isListed?.(start) || space.isSolved(start) || space.isDead(start)) return undefined;
  const moves = space.expand(start).map(({ to }) => ({ isIn: Number(reachable(to)), distance: space.distance?.(to) }));
  const shareOf = (some: typeof moves): number => some.reduce((sum, { isIn }) => sum + isIn, 0) / some.length;
  const least = Math.min(...moves.map(({ distance = Number.NaN }) => distance));
  const nearest = moves.filter(({ distance }) => distance === least);
  return { chance: shareOf(moves), ...(nearest.length > 0 && { nearest: shareOf(nearest) }) };
}
