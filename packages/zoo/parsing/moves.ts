/**
 * A plan as an answer: moves of a given alphabet, one after the other, carried out strictly.
 *
 * Single-character moves may be joined; all others, and they too, are separated by single spaces or by commas (a space
 * after them), one way for the whole text. What is no move, an illegal move, and one after the goal each fail the
 * plan: nothing is ignored, since a policy could else try all that it can think of.
 */
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

const MAX_MOVES_LENGTH = 4096;

/** The moves in their order, or why the answer is no plan. */
export type MovesReading =
  | { readonly ok: true; readonly moves: readonly string[] }
  | { readonly ok: false; readonly reason: string };

const failed = (reason: string): MovesReading => ({ ok: false, reason });

/** The moves of a text, each of `alphabet`. Total and pure. */
export function readMoves(answer: string, alphabet: readonly string[]): MovesReading {
  const text = trimAscii(answer);
  if (text === '') return failed('the answer is empty');
  if (text.length > MAX_MOVES_LENGTH) return failed(`longer than ${MAX_MOVES_LENGTH} characters`);
  const areSingle = alphabet.every(({ length }) => length === 1);
  const legalMoves = new Set(alphabet);
  for (const separator of areSingle ? ['', ' ', ',', ', '] : [' ', ',', ', ']) {
    const moves = text.split(separator);
    if (moves.every((move) => legalMoves.has(move))) return { ok: true, moves };
  }
  return failed('something is no move, or moves are separated in several ways');
}

/** What moves do. */
export interface Rules<S> {
  readonly start: S;
  /** The state after a move; undefined where the move is illegal. It must not change the state before it. */
  step(state: S, move: string): S | undefined;
  isGoal(state: S): boolean;
  /** More moves than these are not carried out. */
  readonly most: number;
}

/** How a plan ended: at the goal after some moves, by an illegal one, short of the goal, or too long. */
export type Simulation =
  | { readonly outcome: 'goal'; readonly moves: number }
  | { readonly outcome: 'illegal' | 'short' | 'long'; readonly reason: string };

/** Carries a plan out. The goal counts where the last move reaches it and none before did. */
export function simulate<S>(moves: readonly string[], { start, step, isGoal, most }: Rules<S>): Simulation {
  if (moves.length > most) return { outcome: 'long', reason: `more than ${most} moves` };
  let state = start;
  for (const [index, move] of moves.entries()) {
    if (isGoal(state)) return { outcome: 'illegal', reason: `a move follows the goal, which move ${index} reached` };
    const next = step(state, move);
    if (next === undefined) return { outcome: 'illegal', reason: `move ${index + 1} is illegal` };
    state = next;
  }
  if (isGoal(state)) return { outcome: 'goal', moves: moves.length };
  return { outcome: 'short', reason: 'the moves do not reach the goal' };
}
