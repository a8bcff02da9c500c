/**
 * Facts that are to be said in free words, with a reference text beside them: what rewards that compare with a reference
 * (`ref-prob`, `r3`, `verifree`, `similarity`) are for, and a verdict to check them by.
 *
 *   reference   one wording, drawn with the problem; any other is right too
 *   right       for each person in the order of the prompt one sentence that says every fact once, in any order, and nothing else:
 *               NAME [the JOB] CLAUSE {and CLAUSE}, sentences apart by ". "; of the job alone: NAME is a JOB
 *   split       by hash of the facts, whatever their order and the wording
 *
 * @see RLPR, VeriFree, DRO: open answers, paid by how likely a reference is after the reasoning
 */
import type { Rng, Verdict } from '../../kit.ts';
import { correct, inOrder, lineTask, malformed, missing, onlyMisses, trimAscii, wrongValue } from '../../kit.ts';
import { ordersOf } from '../../search/orders.ts';
import { type OpenRefKnobs, openRefCard } from './card.ts';

type Fact = 'job' | 'pet' | 'town' | 'food';
const FACTS: readonly Fact[] = ['job', 'pet', 'town', 'food'];
const VALUES: Readonly<Record<Fact, readonly string[]>> = {
  job: ['cook', 'tailor', 'smith', 'baker', 'miner', 'judge', 'nurse', 'pilot'],
  pet: ['cat', 'dog', 'hen', 'goat', 'mule', 'parrot', 'snake', 'rabbit'],
  town: ['rome', 'oslo', 'lima', 'cairo', 'delhi', 'paris', 'quito', 'tunis'],
  food: ['bread', 'rice', 'soup', 'corn', 'fish', 'cheese', 'plums', 'beans'],
};
const NAMES = ['ana', 'ben', 'cleo', 'dan', 'eva', 'finn', 'gus', 'hana', 'ivo', 'jo', 'kim', 'leo'];
/** What is said before the value of a fact. */
const CLAUSES: Readonly<Record<Fact, string>> = { job: 'is a', pet: 'has a', town: 'lives in', food: 'likes' };
const VERBS = new Map(FACTS.map((fact) => [CLAUSES[fact], fact]));

type Person = { readonly name: string; readonly facts: readonly (readonly [Fact, string])[] };
/** `reference`: of each person, whether the job is said by the name; its facts are said in the order that they have here. */
export type OpenRefItem = { readonly people: readonly Person[]; readonly reference: readonly boolean[] };

/** Each fact with its value, in the order of the alphabet: a reference has its own. */
const factsOf = ({ facts }: Person): string[] => inOrder(facts.map((fact) => fact.join(' ')));
/** Everybody with what is known of them. */
const toldOf = ({ people }: OpenRefItem, between: string): string =>
  people.map((person) => [person.name, ...factsOf(person)].join(' ')).join(between);

function said({ name, facts }: Person, byName: boolean): string {
  const job = facts.find(([fact]) => fact === 'job');
  const isByName = byName && job !== undefined && facts.length > 1;
  const clauses = facts.filter((fact) => !isByName || fact !== job).map(([fact, value]) => `${CLAUSES[fact]} ${value}`);
  return `${name}${isByName ? ` the ${job[1]}` : ''} ${clauses.join(' and ')}`;
}

const referenceOf = ({ people, reference }: OpenRefItem): string =>
  people.map((person, i) => said(person, reference[i])).join('. ');

function keywordsOf({ people, reference }: OpenRefItem): string[] {
  return people.flatMap(({ facts }, i) => {
    const isJob = ([fact]: Person['facts'][number]): boolean => reference[i] === true && fact === 'job';
    return [...facts.filter(isJob), ...facts.filter((fact) => !isJob(fact))].map(([, value]) => value);
  });
}

/** The facts that a sentence says of somebody; undefined where it is no sentence. */
function read(sentence: string): { readonly name: string; readonly facts: readonly string[] } | undefined {
  const match = /^([a-z]+)(?: the ([a-z]+))? ((?:is a|has a|lives in|likes) .+)$/.exec(sentence);
  if (match === null) return undefined;
  const [, name, job, rest] = match;
  const facts = job === undefined ? [] : [`job ${job}`];
  for (const clause of rest.split(' and ')) {
    const [, verb = '', value = ''] = /^(is a|has a|lives in|likes) ([a-z]+)$/.exec(clause) ?? [];
    const fact = VERBS.get(verb);
    if (fact === undefined) return undefined;
    facts.push(`${fact} ${value}`);
  }
  return { name, facts };
}

function judge({ people }: OpenRefItem, answer: string): Verdict {
  const text = trimAscii(answer);
  if (text === '') return missing('the answer is empty');
  const sentences = (text.endsWith('.') ? text.slice(0, -1) : text).split('. ').map(read);
  if (sentences.includes(undefined)) return malformed('not a row of sentences');
  if (sentences.length !== people.length) return { ...wrongValue('not a sentence for each'), canonical: text };
  const isSaid = people.every((person, i) => {
    const own = sentences[i];
    return own?.name === person.name && inOrder(own.facts).join() === factsOf(person).join();
  });
  return isSaid
    ? correct('every fact once', text)
    : { ...wrongValue('other facts, or not each once'), canonical: text };
}

function drawPerson(rng: Rng, name: string, facts: number): Person {
  const known = rng.shuffle([...FACTS]).slice(0, facts);
  return { name, facts: known.map((fact) => [fact, rng.pick([...VALUES[fact]])] as const) };
}

/** The same facts in another order, each with what is to be changed of it. */
const withFacts = (item: OpenRefItem, change: (facts: Person['facts']) => Person['facts']): OpenRefItem => ({
  ...item,
  people: item.people.map((person, i) => (i === 0 ? { ...person, facts: change(person.facts) } : person)),
});

export const openRef = lineTask<OpenRefItem, OpenRefKnobs>(openRefCard, {
  characters: 'abcdefghijklmnopqrstuvwxyz .>',
  answers: 'open',
  generate(rng, { facts, people }) {
    const names = rng.shuffle([...NAMES]).slice(0, people);
    return {
      people: names.map((name) => drawPerson(rng, name, facts)),
      reference: names.map(() => rng.int(0, 1) === 0),
    };
  },
  key: (item) => `open_ref|${toldOf(item, '|')}`,
  prompt: (item) => `tell ${toldOf(item, ' ')}>`,
  question: ({ people }) =>
    `${people.map((person) => `Of ${person.name} is known: ${factsOf(person).join(', ')}.`).join(' ')} ` +
    'Say it in one sentence for each, in small letters: every fact once, in any order, and nothing else. Such as: ana is a cook and has a cat and lives in rome and likes rice; or: ana the cook has a cat.',
  oracle: referenceOf,
  /** The values of the facts, in the order of the reference. */
  columns: (item) => ({ keywords: keywordsOf(item) }),
  verify: judge,
  /** Every order of the facts, with the job by the name or not; of several people those of the first. */
  *solutions(item) {
    for (const facts of ordersOf(item.people[0].facts)) {
      for (const byName of [false, true]) {
        yield referenceOf({ ...withFacts(item, () => facts), reference: [byName, ...item.reference.slice(1)] });
      }
    }
  },
  mutants(item, _knobs, rng) {
    const right = referenceOf(item);
    const [{ name, facts }] = item.people;
    const [[fact, value]] = facts;
    const another = rng.pick(VALUES[fact].filter((other) => other !== value));
    const texts: Record<string, string> = {
      'another value': referenceOf(withFacts(item, ([, ...rest]) => [[fact, another], ...rest])),
      'a fact twice': `${right} and ${CLAUSES[fact]} ${value}`,
      'another fact besides': `${right} and ${CLAUSES[fact]} ${another}`,
      'another name': right.replace(name, NAMES.find((other) => other !== name) as string),
      'the facts alone': facts.map((own) => own.join(' ')).join(' '),
      'the name alone': name,
      'given twice': `${right}. ${right}`,
      'without spaces': right.replaceAll(' ', ''),
      'in capitals': right.toUpperCase(),
      ...(facts.length > 1 && { 'a fact left out': referenceOf(withFacts(item, (own) => own.slice(1))) }),
      ...(item.people.length > 1 && { 'one left out': right.split('. ').slice(1).join('. ') }),
    };
    return onlyMisses(texts, (text) => judge(item, text));
  },
  /** One text to everything: of few facts, those of somebody are drawn now and then. */
  chance: ({ facts }) => (facts <= 2 ? 0.02 : 0.005),
  longest: ({ facts, people }) => ({
    prompt: 6 + people * (5 + 12 * facts),
    answer: people * (7 + 20 * facts),
    question: 330 + people * (30 + 14 * facts),
  }),
});
