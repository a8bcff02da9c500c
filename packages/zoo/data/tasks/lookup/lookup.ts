/**
 * Find a fact that others lead to, in a small collection of facts that is asked and not shown.
 *
 *   prompt      Bnfa>                the age (a) of the friend (f) of the neighbour (n) of B
 *   action      <call>ask B n</call>
 *   observation G                    then <call>ask G f</call>, …; ? where no entry has that name
 *   answer      47                   an action without a call; the age wins
 *   split       by hash of question and of the facts that lead to its answer: what is shown on the way
 *
 * `potential` counts the steps of the way that were asked in their order.
 */
import { judgeNumber, LETTERS, numberMisses } from '../../kit.ts';
import { tool } from '../../tools/tool.ts';
import { toolEnvironment } from '../../tools/tool_environment.ts';
import { type LookupKnobs, lookupCard } from './card.ts';

/** Whom a relation leads to, by the number of the person who has it. */
type Relation = readonly number[];
export type LookupItem = {
  readonly friend: Relation;
  readonly mentor: Relation;
  readonly neighbour: Relation;
  readonly ages: readonly number[];
  readonly first: number;
  /** Letters of relations. */
  readonly way: string;
};
/** `reached`: steps of the way, the age last, that were asked. */
export type LookupState = LookupItem & { readonly reached: number };

const NAMES = LETTERS.toUpperCase();
const RELATIONS = { f: 'friend', m: 'mentor', n: 'neighbour' } as const;
const AGE = 'a';
const [YOUNGEST, OLDEST] = [10, 99];

function isRelation(letter: string): letter is keyof typeof RELATIONS {
  return Object.hasOwn(RELATIONS, letter);
}

/** The people on the way, the first one included: the last one's age is asked. */
function peopleOnTheWay(item: LookupItem): number[] {
  const people = [item.first];
  for (const letter of item.way) {
    if (isRelation(letter)) people.push(item[RELATIONS[letter]][people[people.length - 1]]);
  }
  return people;
}

function ageOf(item: LookupItem): number {
  return item.ages[peopleOnTheWay(item)[item.way.length]];
}

const ask = tool({
  name: 'ask',
  description:
    'Says one thing of a person: the friend (f), the mentor (m) or the neighbour (n), as a letter, or the age (a).',
  parameters: {
    person: { type: 'string', description: 'The letter of a person.' },
    fact: { type: 'string', enum: [...Object.keys(RELATIONS), AGE] },
  },
  call({ person, fact }, state: LookupState) {
    const known = person.length === 1 ? NAMES.indexOf(person) : -1;
    if (known < 0 || known >= state.ages.length) return { state, flaw: 'nobody has that name' };
    const steps = `${state.way}${AGE}`;
    const isNext = steps[state.reached] === fact && peopleOnTheWay(state)[state.reached] === known;
    const reached = state.reached + (isNext ? 1 : 0);
    return {
      state: { ...state, reached },
      observation: isRelation(fact) ? NAMES[state[RELATIONS[fact]][known]] : String(state.ages[known]),
      potential: reached / (steps.length + 1),
    };
  },
});

export const lookup = toolEnvironment<LookupItem, LookupState, LookupKnobs>(lookupCard, {
  family: 'lookup',
  characters: `${NAMES}fmna>0123456789`,
  tools: [ask],
  generate(rng, { people, hops }) {
    const drawn = (low: number, high: number): number[] => Array.from({ length: people }, () => rng.int(low, high));
    const [friend, mentor, neighbour] = [0, 1, 2].map(() => drawn(0, people - 1));
    const item: LookupItem = {
      friend,
      mentor,
      neighbour,
      ages: drawn(YOUNGEST, OLDEST),
      first: rng.int(0, people - 1),
      way: Array.from({ length: hops }, () => rng.pick(Object.keys(RELATIONS))).join(''),
    };
    // No person is met twice: a chain that returns is the shorter one.
    return new Set(peopleOnTheWay(item)).size > Math.min(hops, people - 1) ? item : null;
  },
  key: ({ friend, mentor, neighbour, ages, first, way }) =>
    `lookup|${[friend, mentor, neighbour, ages].map((list) => list.join()).join('|')}|${first}${way}`,
  splitKey: (item) => `lookup|${item.way}|${peopleOnTheWay(item).join()}|${ageOf(item)}`,
  prompt: ({ first, way }) => `${NAMES[first]}${way}${AGE}>`,
  question: ({ first, way, ages }) =>
    `People have the letters A to ${NAMES[ages.length - 1]}. How old is ` +
    `${way
      .split('')
      .reverse()
      .map((letter) => `the ${isRelation(letter) ? RELATIONS[letter] : ''} of `)
      .join('')}${NAMES[first]}? ` +
    'Ask for one fact after the other, then answer with the number alone.',
  start: (item) => ({ ...item, reached: 0 }),
  verify: ({ identity }, answer) => judgeNumber(answer, ageOf(identity)),
  expert({ identity, state: { reached } }, { tools }) {
    const steps = `${identity.way}${AGE}`;
    if (tools.length === 0 || reached === steps.length) return String(ageOf(identity));
    return { call: 'ask', arguments: { person: NAMES[peopleOnTheWay(identity)[reached]], fact: steps[reached] } };
  },
  random({ identity: { ages } }, { tools }, rng) {
    if (tools.length === 0 || rng.float() < 0.25) return String(rng.int(YOUNGEST, OLDEST));
    const fact = rng.pick([...Object.keys(RELATIONS), AGE]);
    return { call: 'ask', arguments: { person: NAMES[rng.int(0, ages.length - 1)], fact } };
  },
  mutants(identity) {
    const calls = peopleOnTheWay(identity).map((person, step) => {
      return `<call>ask ${NAMES[person]} ${`${identity.way}${AGE}`[step]}</call>`;
    });
    return {
      ...numberMisses(ageOf(identity)),
      'facts without an answer': calls.join('\n'),
      'the answer in a call': `<call>ask ${ageOf(identity)}</call>`,
      'a name': NAMES[identity.first],
    };
  },
  /** One age of ninety, and several draws of it. */
  chance: () => 0.05,
  longest: ({ hops }) => ({
    calls: hops + 3,
    prompt: hops + 3,
    values: 3,
    observation: 2,
    answer: 2,
    question: 160 + 20 * hops,
  }),
});
