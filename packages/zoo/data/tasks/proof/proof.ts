/**
 * A proof that is checked step by step.
 *
 *   horn         prove a b|ab-c c-d x-d|d>    completion  ab-c c-d     rules in the order in which they are applied
 *   resolution   refute a B bC c A>           completion  c b 0        clauses, each the resolvent of two known ones
 *   steps        each step: whether it may be taken at its place
 *   feedback     the first step that may not, by its number
 *   split        by hash of facts, rules and goal, whatever their order
 *
 * Any proof is right that takes no step twice and ends where the goal is reached. A refutation is of the same facts and rules as
 * clauses, the goal denied, and some letters the other way round.
 */
import { readMoves } from '../../../parsing/moves.ts';
import { stepsBetween } from '../../../rewards/verdict_steps.ts';
import { growingParts } from '../../judging/sequence_help.ts';
import type { Rng, Verdict } from '../../kit.ts';
import { inOrder, LETTERS, lineTask, malformed, missing, onlyMisses, RIGHT_SHARE, trimAscii } from '../../kit.ts';
import { type ProofKnobs, proofCard } from './card.ts';
import { type HornProblem, hornProof, hornSteps, judgeHorn } from './horn.ts';
import { clauseOf, judgeRefutation, negated, refutation, resolutionSteps } from './resolution.ts';

/** `flipped`: letters that are the other way round in the clauses of a refutation. */
export type ProofItem = {
  readonly facts: readonly string[];
  readonly rules: readonly string[];
  readonly goal: string;
  readonly flipped: string;
};

const MOST_CHARACTERS = 400;
const PROVED = 'prove';
const REFUTED = 'refute';

function drawProblem(rng: Rng, { depth, distractors }: ProofKnobs): HornProblem | null {
  const letters = rng.shuffle(LETTERS.split(''));
  const facts = letters.splice(0, rng.int(1, 3));
  const known = [...facts];
  const rules: string[] = [];
  for (let step = 0; step < depth; step++) {
    const conclusion = letters.pop() as string; // there are 26
    // The newest letter is among the premises, so that each rule is needed for the next one.
    const premises = new Set([known[known.length - 1], ...(rng.int(0, 1) === 0 ? [rng.pick(known)] : [])]);
    rules.push(`${inOrder([...premises]).join('')}-${conclusion}`);
    known.push(conclusion);
  }
  const goal = known[known.length - 1];
  for (let extra = rng.int(0, distractors); extra > 0; extra--) {
    const premises = inOrder(rng.shuffle([...known.slice(0, -1), letters[0], letters[1]]).slice(0, rng.int(1, 2)));
    const conclusion = rng.pick([...letters.slice(2, 5), goal, ...known.slice(facts.length)]);
    const rule = `${premises.join('')}-${conclusion}`;
    if (!premises.includes(conclusion) && !rules.includes(rule)) rules.push(rule);
  }
  const problem = { facts: rng.shuffle(facts), rules: rng.shuffle(rules), goal };
  return hornProof(problem)?.length === depth ? problem : null;
}

/** Facts, rules and the denied goal as clauses. */
function clausesOf({ facts, rules, goal, flipped }: ProofItem): string[] {
  const written = (literals: string): string =>
    clauseOf(
      literals.split('').map((literal) => (flipped.includes(literal.toLowerCase()) ? negated(literal) : literal)),
    ) as string; // no letter is on both sides of a rule
  return [...facts, ...rules.map((rule) => rule.slice(0, -2).toUpperCase() + rule.slice(-1)), goal.toUpperCase()].map(
    written,
  );
}

/** Letters, digits and hyphens between single spaces; undefined for anything else. */
function stepsIn(answer: string): string[] | undefined {
  const text = trimAscii(answer);
  if (text.length > MOST_CHARACTERS) return undefined;
  const steps = text.split(' ');
  const reading = readMoves(text, steps);
  return reading.ok ? steps : undefined;
}

function judge(item: ProofItem, answer: string, { system }: ProofKnobs): Verdict {
  if (trimAscii(answer) === '') return missing('the answer is empty');
  const steps = stepsIn(answer);
  if (steps === undefined) return malformed('not a row of steps');
  return system === 'horn' ? judgeHorn(item, steps) : judgeRefutation(clausesOf(item), steps);
}

function proofOf(item: ProofItem, { system }: ProofKnobs): string[] {
  return (system === 'horn' ? hornProof(item) : refutation(clausesOf(item))) as string[]; // as drawn
}

function checked(item: ProofItem, steps: readonly string[], { system }: ProofKnobs): boolean[] {
  return system === 'horn' ? hornSteps(item, steps) : resolutionSteps(clausesOf(item), steps);
}

export const proof = lineTask<ProofItem, ProofKnobs>(proofCard, {
  characters: `${LETTERS}${LETTERS.toUpperCase()}0123456789-| >`,
  answers: 'open',
  generate(rng, knobs) {
    const problem = drawProblem(rng, knobs);
    if (problem === null) return null;
    const flipped = LETTERS.split('').filter(() => rng.int(0, 2) === 0);
    return { ...problem, flipped: knobs.system === 'horn' ? '' : flipped.join('') };
  },
  key: ({ facts, rules, goal }) => `proof|${inOrder(facts).join('')}|${inOrder(rules).join(' ')}|${goal}`,
  prompt: (item, { system }) =>
    system === 'horn'
      ? `${PROVED} ${item.facts.join(' ')}|${item.rules.join(' ')}|${item.goal}>`
      : `${REFUTED} ${clausesOf(item).join(' ')}>`,
  question: (item, { system }) =>
    system === 'horn'
      ? `These are true: ${item.facts.join(', ')}. These are rules: ${item.rules.join(', ')}; ab-c says that c follows from a and b. ` +
        `Prove ${item.goal}. Give the rules that you apply in their order, separated by spaces, each of which says something new; stop at ${item.goal}.`
      : `Letters are statements, and a capital letter denies one. Of each of these groups at least one is true: ${clausesOf(item).join(', ')}. ` +
        'Show by resolution that this cannot be: from a group with a letter and one with its capital follows what is left of both. ' +
        'Give the groups that you derive in their order, separated by spaces, the letters of each in alphabetical order, until nothing is left, which is written 0.',
  oracle: (item, knobs) => proofOf(item, knobs).join(' '),
  verify: judge,
  steps(item, answer, knobs) {
    const right = checked(item, answer.split(' ').map(trimAscii), knobs);
    return stepsBetween(answer, ' ', (_, place) => right[place]);
  },
  hints: (item, knobs) => growingParts(proofOf(item, knobs), ' '),
  /** Half of the proofs have one rule replaced by another of the problem: other random texts are no proofs at all. */
  demonstration(item, knobs, rng) {
    const steps = proofOf(item, knobs);
    const others = item.rules.filter((rule) => !steps.includes(rule));
    if (knobs.system !== 'horn' || others.length === 0 || rng.float() < RIGHT_SHARE) return steps.join(' ');
    const place = rng.int(0, steps.length - 1);
    return steps.map((step, i) => (i === place ? rng.pick(others) : step)).join(' ');
  },
  feedback(item, answer, knobs) {
    const failing = checked(item, answer.split(' ').map(trimAscii), knobs).indexOf(false);
    return failing < 0 ? '' : String(failing + 1);
  },
  mutants(item, knobs) {
    const right = proofOf(item, knobs);
    const other = knobs.system === 'horn' ? `${item.goal}-${item.facts[0]}` : 'aA';
    const texts: Record<string, string> = {
      'in the opposite order': [...right].reverse().join(' '),
      'without its end': right.slice(0, -1).join(' '),
      'a step twice': [right[0], ...right].join(' '),
      'goes on': [...right, right[0]].join(' '),
      'a step that is not there': [...right, other].join(' '),
      'the goal alone': item.goal,
      'the facts': item.facts.join(' '),
      joined: right.join(''),
      'commas between': `${right.join(', ')},`,
    };
    return onlyMisses(texts, (text) => judge(item, text, knobs));
  },
  /** One rule of few, where one is enough. */
  chance: ({ depth }) => (depth === 1 ? 0.4 : 0.2),
  longest: ({ depth, distractors }) => ({
    prompt: 20 + 5 * (depth + distractors),
    answer: 5 * (depth + 4) + 12,
    question: 620 + 6 * (depth + distractors),
  }),
});
