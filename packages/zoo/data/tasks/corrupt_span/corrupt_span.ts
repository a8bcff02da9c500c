/**
 * Which piece of an answer is spoiled, counted from 1. Every place is right where another piece would make the answer right.
 *
 *   prompt      3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |      completion  9
 */
import type { Derivation } from '../../derived/derived_task.ts';
import { corrupted, isMendedAt } from '../../derived/inner.ts';
import { placeIn } from '../../derived/place.ts';

export const corruptSpan: Derivation = {
  question: 'One piece of the answer to the problem was replaced. Give its place, counted from 1:',
  draw(problem, inner, rng) {
    const spoiled = problem.answer.length < 2 ? undefined : corrupted(problem, rng);
    return spoiled === undefined ? null : { shown: spoiled.shown, answer: inner.number(spoiled.place + 1) };
  },
  judge(problem, inner, { shown }, given) {
    const place = placeIn(inner, given, shown.length);
    if (place === undefined) return { is: 'unreadable' };
    return { is: isMendedAt(problem, shown, place - 1) ? 'right' : 'wrong' };
  },
  guess: (_problem, inner, { shown }, rng) => inner.number(rng.int(1, shown.length)),
  further: (inner) => inner.numbers(inner.limits().answer),
  longest: (answer) => ({ shown: answer, answer: String(answer).length }),
};
