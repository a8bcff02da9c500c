/**
 * A question about a small graph of facts, all of them shown: where a way of relations leads.
 *
 *   prompt      kg QmX AfB BnQ: Afn>     completion  Q
 *               AfB: the f of A is B. Two ways, `Afn Dm`, ask for what both lead to
 *   none        nothing is there: a fact of the way is hidden
 *   columns     way: the entities on the first way in their order, the answer last, for the reward path-decay
 *   split       by hash of facts and question, whatever the order of the facts
 *
 * An entity may have several of one relation where there are two ways; the question still has one answer.
 *
 * @see SIE: environments in the context, tried with fewer hops and with hidden facts; InfoSeek: questions that are trees
 */
import { readWord } from '../../../parsing/words.ts';
import { growingParts } from '../../judging/sequence_help.ts';
import { correct, inOrder, LETTERS, lineTask, malformed, missing, type Rng, rotated, wrongValue } from '../../kit.ts';
import { type InContextKgKnobs, inContextKgCard } from './card.ts';

/** `facts` of an entity, a relation and an entity; `ways` of an entity and the relations from it; `way`: what lies on the first. */
export type InContextKgItem = {
  readonly facts: readonly string[];
  readonly ways: readonly string[];
  readonly way: readonly string[];
};

const NAMES = LETTERS.toUpperCase();
const RELATIONS = 'fmnp';
const NONE = 'none';

/** Where a way leads, by all facts. */
function endsOf(facts: readonly string[], [start, ...relations]: string): string[] {
  let here = [start];
  for (const relation of relations) {
    here = facts.flatMap(([from, by, to]) => (by === relation && here.includes(from) ? [to] : []));
  }
  return [...new Set(here)];
}

function answersOf({ facts, ways }: Pick<InContextKgItem, 'facts' | 'ways'>): string[] {
  const [first = [], ...others] = ways.map((way) => endsOf(facts, way));
  return first.filter((entity) => others.every((ends) => ends.includes(entity)));
}

const answerOf = (item: InContextKgItem): string => answersOf(item)[0] ?? NONE;

/** Most draws; those that keep the answer are taken. */
const DRAWS_A_DISTRACTOR = 4;

function drawProblem(rng: Rng, knobs: InContextKgKnobs): InContextKgItem {
  const names = rng.shuffle(NAMES.slice(0, knobs.names).split(''));
  const end = names.pop() as string; // there are 12 or more, and at most 2 · 5 + 1 are on ways
  const facts: string[] = [];
  const entities: string[] = [end];
  const ways = Array.from({ length: knobs.branches }, () => {
    const hops = rng.int(knobs.least_hops, knobs.hops);
    const places = [...names.splice(0, hops), end];
    entities.push(...places.slice(0, -1));
    let way = places[0];
    for (const [i, to] of places.slice(1).entries()) {
      const relation = rng.pick(RELATIONS.split(''));
      facts.push(places[i] + relation + to);
      way += relation;
    }
    return { way, places };
  });
  const onWays = facts.length;
  const asked = ways.map(({ way }) => way);
  for (let draw = 0; draw < DRAWS_A_DISTRACTOR * knobs.distractors; draw++) {
    if (facts.length - onWays >= knobs.distractors) break;
    const from = rng.pick(rng.int(0, 2) > 0 ? entities : names);
    const fact = from + rng.pick(RELATIONS.split('')) + rng.pick(rng.int(0, 1) > 0 ? entities : names);
    const isOther = fact[0] !== fact[2] && !facts.includes(fact);
    const isSingle = knobs.branches === 2 || !facts.some((known) => known.startsWith(fact.slice(0, 2)));
    if (isOther && isSingle && answersOf({ facts: [...facts, fact], ways: asked }).length === 1) facts.push(fact);
  }
  if (rng.int(0, 99) < knobs.hidden) facts.splice(rng.int(0, onWays - 1), 1);
  return { facts: rng.shuffle(facts), ways: asked, way: ways[0].places.slice(1) };
}

export const inContextKg = lineTask<InContextKgItem, InContextKgKnobs>(inContextKgCard, {
  characters: `kg: >none${RELATIONS}${NAMES}`,
  generate(rng, knobs) {
    const item = drawProblem(rng, knobs);
    // What is hidden may be known by another way: with several answers it is no problem.
    return item.facts.length > 0 && answersOf(item).length <= 1 ? item : null;
  },
  trainKnobs: (knobs) => (knobs.train_hops === undefined ? knobs : { ...knobs, least_hops: 1, hops: knobs.train_hops }),
  key: ({ facts, ways }) => `kg|${inOrder(facts).join(' ')}|${inOrder(ways).join(' ')}`,
  prompt: ({ facts, ways }) => `kg ${facts.join(' ')}: ${ways.join(' ')}>`,
  twin: (item) => (item.facts.length > 1 ? { ...item, facts: rotated(item.facts) } : null),
  question: ({ facts, ways }) =>
    `Entities have capital letters, and relations have small ones. ${facts.map(([from, by, to]) => `${by} of ${from} is ${to}.`).join(' ')} ` +
    `Begin at ${ways.map(([start, ...relations]) => `${start} and follow ${relations.join(', then ')}`).join('; begin also at ')}. ` +
    `Which entity does ${ways.length === 1 ? 'that' : 'each of these ways'} lead to? Answer with its letter, or ${NONE} if a fact for it is missing.`,
  oracle: answerOf,
  verify(item, answer) {
    const words = [...NAMES.split(''), NONE];
    const said = readWord(answer, words);
    if (said === undefined) return answer.trim() === '' ? missing('the answer is empty') : malformed('not an entity');
    if (said === answerOf(item)) return correct('where the way leads', said);
    return { ...wrongValue(said === NONE ? 'the way leads somewhere' : 'not where the way leads'), canonical: said };
  },
  columns: (item) => ({ way: answerOf(item) === NONE ? [NONE] : [...item.way] }),
  /** The entities before the last one, one more each. */
  hints: ({ way }) => growingParts(way, ' '),
  mutants: (item) => {
    const right = answerOf(item);
    const [start] = item.ways[0];
    const other = NAMES.split('').find((name) => name !== right) as string;
    return {
      'another entity': other,
      'both ends': `${other} ${right}`,
      'given twice': right + right,
      'as a fact': `${start}f${right}`,
      'in small letters': right === NONE ? 'nobody' : right.toLowerCase(),
      'there and not': right === NONE ? other : NONE,
      'the question': item.ways.join(' '),
    };
  },
  /** A letter by chance; the ends of facts are fewer, and `none` is as often right as facts are hidden. */
  chance: ({ hidden }) => Math.max(0.12, 0.03 + hidden / 100),
  longest({ hops, distractors, branches }) {
    const facts = hops * branches + distractors;
    return {
      prompt: 4 + 4 * facts + branches * (hops + 2),
      answer: 4,
      question: 260 + 14 * facts + branches * (40 + 9 * hops),
    };
  },
});
