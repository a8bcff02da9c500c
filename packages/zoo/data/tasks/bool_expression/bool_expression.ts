/**
 * An expression of T and F with ! (not), & (and) and | (or), each pair of operands in parentheses but for the outermost.
 *
 * Values and operators are drawn evenly: swapping T with F and & with | gives the opposite problem, so half of all are
 * true.
 */
import { judgeTruth } from '../../judging/judge.ts';
import { lineTask, type Rng } from '../../kit.ts';
import { type BoolExpressionKnobs, boolExpressionCard } from './card.ts';

/** A truth value, a negation, or two operands and what is between them. */
export type BoolTree =
  | boolean
  | readonly [operator: '!', of: BoolTree]
  | readonly [operator: '&' | '|', left: BoolTree, right: BoolTree];
export type BoolExpressionItem = { readonly tree: BoolTree };

function drawTree(rng: Rng, operators: number): BoolTree {
  let tree: BoolTree = rng.int(0, 1) === 1;
  if (operators > 0) {
    const before = rng.int(0, operators - 1);
    tree = [rng.pick(['&', '|'] as const), drawTree(rng, before), drawTree(rng, operators - 1 - before)];
  }
  return rng.int(0, 3) === 0 ? ['!', tree] : tree;
}

function truthOf(tree: BoolTree): boolean {
  if (typeof tree === 'boolean') return tree;
  if (tree[0] === '!') return !truthOf(tree[1]);
  return tree[0] === '&' ? truthOf(tree[1]) && truthOf(tree[2]) : truthOf(tree[1]) || truthOf(tree[2]);
}

/** How an expression is written. */
interface Words {
  readonly true: string;
  readonly false: string;
  readonly '!': string;
  readonly '&': string;
  readonly '|': string;
}

const SIGNS: Words = { true: 'T', false: 'F', '!': '!', '&': '&', '|': '|' };
const ENGLISH: Words = { true: 'true', false: 'false', '!': 'not ', '&': ' and ', '|': ' or ' };

function textOf(tree: BoolTree, words: Words): string {
  const inside = (part: BoolTree): string =>
    typeof part === 'boolean' || part[0] === '!' ? textOf(part, words) : `(${textOf(part, words)})`;
  if (typeof tree === 'boolean') return tree ? words.true : words.false;
  if (tree[0] === '!') return words['!'] + inside(tree[1]);
  return inside(tree[1]) + words[tree[0]] + inside(tree[2]);
}

function operandsOf(tree: BoolTree, operator: '&' | '|'): string[] {
  if (typeof tree === 'boolean' || tree[0] !== operator) return [formOf(tree)];
  return [...operandsOf(tree[1], operator), ...operandsOf(tree[2], operator)];
}

/** The same for orders of the same operands. */
function formOf(tree: BoolTree): string {
  if (typeof tree === 'boolean') return tree ? 'T' : 'F';
  if (tree[0] === '!') return `!${formOf(tree[1])}`;
  return `(${operandsOf(tree, tree[0]).sort().join(tree[0])})`;
}

export const boolExpression = lineTask<BoolExpressionItem, BoolExpressionKnobs>(boolExpressionCard, {
  characters: 'TF!&|()>truefalse',
  generate: (rng, { operators }) => ({ tree: drawTree(rng, rng.int(2, operators)) }),
  key: ({ tree }) => `bool|${formOf(tree)}`,
  prompt: ({ tree }) => `${textOf(tree, SIGNS)}>`,
  question: ({ tree }) => `What is the value of this expression: ${textOf(tree, ENGLISH)}? Answer true or false.`,
  oracle: ({ tree }) => String(truthOf(tree)),
  solutions: ({ tree }) => [truthOf(tree) ? 'True' : 'False'],
  verify: ({ tree }, answer) => judgeTruth(answer, truthOf(tree)),
  mutants: ({ tree }) => {
    const truth = truthOf(tree);
    return {
      'the other one': String(!truth),
      both: 'true false',
      'both, in one word': 'truefalse',
      negated: `not ${!truth}`,
      'as a number': truth ? '1' : '0',
      'as a letter': truth ? 'T' : 'F',
      'as a word': truth ? 'yes' : 'no',
      'the expression': textOf(tree, SIGNS),
    };
  },
  chance: () => 0.5,
  longest: ({ operators }) => ({ prompt: 6 * operators + 3, answer: 5, question: 70 + 20 * (operators + 1) }),
});
