/**
 * A question over several documents that are searched, not shown. People, what is said of them and the questions are made
 * together, so that each question has its answer in the documents.
 *
 *   prompt      deko boss aunt>                     the aunt of the boss of deko
 *   action      <call>search deko boss</call>       the best document by BM25; its title counts once more than its text
 *   observation deko boss mabo                      then <call>search mabo aunt</call>, …; ? where no document has a word
 *   answer      rune                                an action without a call
 *   split       by hash of the documents that lead to the answer: what is shown on the way
 *
 * `potential` counts the documents of the way that were found in their order.
 *
 * @see SearchGym: a graph of facts, documents that agree with it, and questions by the length of their way
 */
import { drawSyllables, inOrder, judgeText, SYLLABLE_LETTERS } from '../../kit.ts';
import { ranked } from '../../search/bm25.ts';
import { tool } from '../../tools/tool.ts';
import { toolEnvironment } from '../../tools/tool_environment.ts';
import { type MiniSearchKnobs, miniSearchCard } from './card.ts';

/** `documents` of three words: of the first one, the relation named second is the third. */
export type MiniSearchItem = {
  readonly documents: readonly string[];
  readonly first: string;
  readonly way: readonly string[];
};
/** `reached`: documents of the way that were found. */
export type MiniSearchState = MiniSearchItem & { readonly reached: number };

const RELATIONS = ['aunt', 'boss', 'twin'];
const NAME_LETTERS = 4;
const DOCUMENT_CHARACTERS = 3 * NAME_LETTERS + 2;

/** The documents on the way, in their order. */
function documentsOnTheWay({ documents, first, way }: MiniSearchItem): string[] {
  let at = first;
  return way.map((relation) => {
    const document = documents.find((one) => one.startsWith(`${at} ${relation} `)) as string; // as drawn
    at = document.slice(-NAME_LETTERS);
    return document;
  });
}

const answerOf = (item: MiniSearchItem): string => (documentsOnTheWay(item).at(-1) as string).slice(-NAME_LETTERS);

/** The best document for some words; undefined where none has one of them. */
function found({ documents }: MiniSearchItem, query: readonly string[]): string | undefined {
  const indexed = documents.map((document) => [document.slice(0, NAME_LETTERS), ...document.split(' ')]);
  const [best] = ranked(indexed, query);
  return best === undefined ? undefined : documents[best];
}

const search = tool({
  name: 'search',
  description: 'Finds the document that fits a word or two best.',
  parameters: {
    word: { type: 'string', description: 'A word that the document should have.' },
    further: { type: 'string', description: 'Another one.', optional: true },
  },
  call({ word, further }, state: MiniSearchState) {
    const document = found(state, further === undefined ? [word] : [word, further]);
    if (document === undefined) return { state, flaw: 'no document has these words' };
    const onTheWay = documentsOnTheWay(state);
    const reached = state.reached + (onTheWay[state.reached] === document ? 1 : 0);
    return { state: { ...state, reached }, observation: document, potential: reached / (onTheWay.length + 1) };
  },
});

export const miniSearch = toolEnvironment<MiniSearchItem, MiniSearchState, MiniSearchKnobs>(miniSearchCard, {
  family: 'mini_search',
  characters: `${SYLLABLE_LETTERS}${RELATIONS.join('')} >`,
  tools: [search],
  generate(rng, { people, hops }) {
    const names = Array.from({ length: people }, () => drawSyllables(rng, NAME_LETTERS));
    if (new Set(names).size < people) return null;
    const documents = names.flatMap((name) => {
      const others = names.filter((other) => other !== name);
      return RELATIONS.map((relation) => `${name} ${relation} ${rng.pick(others)}`);
    });
    const way = Array.from({ length: hops }, () => rng.pick(RELATIONS));
    const item = { documents: rng.shuffle(documents), first: rng.pick(names), way };
    // No person is met twice: a chain that returns is the shorter one.
    const met = [item.first, ...documentsOnTheWay(item).map((document) => document.slice(-NAME_LETTERS))];
    return new Set(met).size > Math.min(hops, people - 1) ? item : null;
  },
  key: ({ documents, first, way }) => `mini_search|${inOrder(documents).join(',')}|${first} ${way.join(' ')}`,
  splitKey: (item) => `mini_search|${documentsOnTheWay(item).join(',')}`,
  prompt: ({ first, way }) => `${first} ${way.join(' ')}>`,
  question: ({ first, way }) =>
    `Made-up documents say who is whose aunt, boss or twin. Who is ${[...way]
      .reverse()
      .map((relation) => `the ${relation} of `)
      .join('')}${first}? Search for one document after the other, then answer with the name alone.`,
  start: (item) => ({ ...item, reached: 0 }),
  verify: ({ identity }, answer) => judgeText(answer, answerOf(identity)),
  expert({ identity, state: { reached } }, { tools }) {
    const document = documentsOnTheWay(identity)[reached];
    if (tools.length === 0 || document === undefined) return answerOf(identity);
    const [word, further] = document.split(' ');
    return { call: 'search', arguments: { word, further } };
  },
  random({ identity: { documents } }, { tools }, rng) {
    const [name, relation] = rng.pick(documents).split(' ');
    if (tools.length === 0 || rng.float() < 0.25) return name;
    return { call: 'search', arguments: { word: name, further: relation } };
  },
  mutants(identity) {
    const right = answerOf(identity);
    const calls = documentsOnTheWay(identity).map(
      (document) => `<call>search ${document.slice(0, 2 * NAME_LETTERS + 1)}</call>`,
    );
    return {
      'documents without an answer': calls.join('\n'),
      'the answer in a call': `<call>search ${right}</call>`,
      'the one who is named': identity.first,
      'a letter more': `${right}a`,
      'a letter less': right.slice(0, -1),
      'given twice': `${right} ${right}`,
      'the last document': documentsOnTheWay(identity).at(-1) as string,
    };
  },
  chance: ({ people }) => Math.min(0.5, 1 / (people - 1) + 0.05),
  longest: ({ hops }) => ({
    calls: hops + 2,
    prompt: NAME_LETTERS + 5 * hops + 1,
    values: 2 * NAME_LETTERS + 1,
    observation: DOCUMENT_CHARACTERS,
    answer: NAME_LETTERS,
    question: 180 + 12 * hops,
  }),
});
