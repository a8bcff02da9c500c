/**
 * What is true of quadratic expressions whatever x is: a relation of two sides, or the bound of one.
 *
 *   relate x^2-4x+5 and 1>      completion  >=        <=, >=, <, > or none; the strictest that always holds
 *   bound 2x^2-4x+5>            completion  3         the least value, or the largest where the square is taken away
 *
 * a·x² + b·x + c takes its extreme value c − b²/(4a) at x = −b/(2a); all is decided by whole numbers.
 *
 * @see IneqMath: relations and estimated bounds of inequalities
 */
import Fraction from 'fraction.js';
import type { Rational } from '../../../../../src/parsing/arithmetic.ts';
import { judgeWord } from '../../judging/judge.ts';
import { judgeNumber, lineTask, numberMisses, onlyMisses, type Rng, type Verdict } from '../../kit.ts';
import { type InequalityKnobs, inequalityCard } from './card.ts';

/** Coefficients of x², x and 1. */
type Quadratic = readonly [a: number, b: number, c: number];
/** `right` is absent where a bound is asked. */
export type InequalityItem = { readonly left: Quadratic; readonly right?: Quadratic };

const RELATIONS = ['<=', '>=', '<', '>', 'none'] as const;
type Relation = (typeof RELATIONS)[number];
const IN_WORDS: Readonly<Record<Relation, string>> = {
  '<=': 'at most',
  '>=': 'at least',
  '<': 'less than',
  '>': 'more than',
  none: 'none of these',
};

/** The relation of a quadratic to 0, whatever x is. */
function relationToZero([a, b, c]: Quadratic): Relation {
  if (a === 0) return b !== 0 || c === 0 ? 'none' : c > 0 ? '>' : '<';
  const discriminant = b * b - 4 * a * c;
  if (discriminant > 0) return 'none';
  if (discriminant === 0) return a > 0 ? '>=' : '<=';
  return a > 0 ? '>' : '<';
}

const minus = (one: Quadratic, other: Quadratic): Quadratic => [
  one[0] - other[0],
  one[1] - other[1],
  one[2] - other[2],
];

/** The extreme value of a quadratic that has a square. */
function boundOf([a, b, c]: Quadratic): Rational {
  return new Fraction(c).sub(new Fraction(b * b, 4 * a));
}

function relationOf({ left, right = [0, 0, 0] }: InequalityItem): Relation {
  return relationToZero(minus(left, right));
}

function written(quadratic: Quadratic): string {
  const terms = quadratic.flatMap((factor, i) => {
    if (factor === 0) return [];
    const power = ['x^2', 'x', ''][i];
    const size = Math.abs(factor) === 1 && power !== '' ? '' : String(Math.abs(factor));
    return [`${factor < 0 ? '-' : '+'}${size}${power}`];
  });
  return terms.length === 0 ? '0' : terms.join('').replace(/^\+/, '');
}

/** a·(x − s)² + c, which is never below c; half of those with an even s there is no rounding in. */
function drawSquare(rng: Rng, max: number): Quadratic {
  const [a, s, c] = [rng.int(1, 3), rng.int(-max, max), rng.int(-max, max)];
  const sign = rng.int(0, 1) === 0 ? 1 : -1;
  return [sign * a, -2 * sign * a * s, sign * a * s * s + c];
}

/** Sides whose difference mostly never changes its sign. */
function drawSides(rng: Rng, max: number): InequalityItem {
  const difference = drawSquare(rng, max);
  const [a] = difference;
  const kind = rng.int(0, 4);
  // The extreme value of the difference: 0, beyond it by little, or on the other side.
  const extreme = kind < 2 ? 0 : kind < 4 ? Math.sign(a) * rng.int(1, max) : -Math.sign(a) * rng.int(1, max);
  const shift = extreme - boundOf(difference).valueOf();
  const right: Quadratic = [rng.int(-1, 1), rng.int(-max, max), rng.int(-max, max)];
  return { left: [a + right[0], difference[1] + right[1], difference[2] + shift + right[2]], right };
}

function judge(item: InequalityItem, answer: string): Verdict {
  if (item.right === undefined) return judgeNumber(answer, boundOf(item.left), {});
  const reasons = { unread: 'not a relation', right: 'the right relation', wrong: 'another relation' };
  return judgeWord(answer, relationOf(item), RELATIONS, reasons);
}

const oracle = (item: InequalityItem): string =>
  item.right === undefined ? boundOf(item.left).toFraction() : relationOf(item);

export const inequality = lineTask<InequalityItem, InequalityKnobs>(inequalityCard, {
  characters: 'relate and bound x^0123456789+-/<>=',
  generate(rng, { asks, max }) {
    if (asks === 'relation') return drawSides(rng, max);
    const sign = rng.int(0, 1) === 0 ? 1 : -1;
    return { left: [sign * rng.int(1, 3), rng.int(-max, max), rng.int(-max, max)] };
  },
  key: ({ left, right }) => `inequality|${written(left)}|${right === undefined ? '' : written(right)}`,
  prompt: ({ left, right }) =>
    right === undefined ? `bound ${written(left)}>` : `relate ${written(left)} and ${written(right)}>`,
  question: ({ left, right }) =>
    right === undefined
      ? `What is the ${left[0] > 0 ? 'least' : 'largest'} value of ${written(left)} for real x? Answer with a number or a fraction.`
      : `Which of ${RELATIONS.map((relation) => `${relation} (${IN_WORDS[relation]})`).join(', ')} is between ${written(left)} and ${written(right)} ` +
        'for every real x? Give the strictest that always holds.',
  oracle,
  verify: judge,
  mutants(item) {
    const right = oracle(item);
    const texts: Record<string, string> =
      item.right === undefined
        ? {
            ...numberMisses(Math.round(boundOf(item.left).valueOf())),
            'the constant': `${item.left[2]}`,
            negated: boundOf(item.left).neg().toFraction(),
            'given twice': `${right} ${right}`,
            'an expression': `${right}+0`,
          }
        : {
            'another relation': RELATIONS[(RELATIONS.indexOf(relationOf(item)) + 1) % RELATIONS.length],
            'the other side': RELATIONS[(RELATIONS.indexOf(relationOf(item)) + 2) % RELATIONS.length],
            'given twice': right + right,
            'all relations': RELATIONS.join(' '),
            equal: '=',
            'in words': 'at least',
            'the sides': written(item.left),
          };
    return onlyMisses(texts, (text) => judge(item, text));
  },
  chance: ({ asks }) => (asks === 'relation' ? 0.4 : 0.15),
  longest: ({ asks, max }) => {
    const side = 10 + 2 * String(8 * max * max).length + 4;
    return {
      prompt: 13 + 2 * side,
      answer: asks === 'relation' ? 4 : 3 + 2 * String(20 * max * max).length,
      question: 280 + 2 * side,
    };
  },
});
