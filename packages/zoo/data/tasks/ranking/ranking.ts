/**
 * Documents in the order of their grades, the best first, for one query: the whole list at once.
 *
 *   grade       letters of the query that the document has; documents of one grade may come in any order
 *   columns     grades, for the reward ndcg
 *   steps       each place: whether no document below it, or left out, has a higher grade
 *   split       by hash of query and documents, whatever their order
 *
 * @see GroupRank: a query and a group of documents in one prompt, a score for each
 */
import { correct } from '../../../../../src/data/judge.ts';
import { rotated } from '../../../../../src/data/rotated.ts';
import { illegal, malformed, missing, wrongValue } from '../../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import { readList } from '../../../parsing/list.ts';
import { stepsBetween } from '../../../rewards/verdict_steps.ts';
import { growingParts } from '../../judging/sequence_help.ts';
import { inOrder, LETTERS } from '../../letters.ts';
import { lineTask } from '../../line_task.ts';
import { listMisses, onlyMisses } from '../../near_misses.ts';
import { type RankingKnobs, rankingCard } from './card.ts';

export type RankingItem = { readonly query: string; readonly documents: readonly string[] };

const gradeOf = (query: string, document: string): number =>
  document.split('').filter((letter) => query.includes(letter)).length;

const gradesOf = ({ query, documents }: RankingItem): number[] => documents.map((document) => gradeOf(query, document));

/** Ids from the best on; of one grade, the first first. */
function order(item: RankingItem): number[] {
  const grades = gradesOf(item);
  return grades.map((_, i) => i).sort((a, b) => grades[b] - grades[a] || a - b);
}

const elementsOf = (item: RankingItem, { scores }: RankingKnobs): string[] =>
  order(item).map((i) => (scores ? `${i + 1}:${gradesOf(item)[i]}` : String(i + 1)));

/** The document that an element names; undefined for none, or where its score is written otherwise. */
function documentOf({ documents }: RankingItem, element: string, scores: boolean): number | undefined {
  const match = (scores ? /^([1-9]):[0-9]$/ : /^([1-9])$/).exec(element);
  const place = match === null ? documents.length : Number(match[1]) - 1;
  return place < documents.length ? place : undefined;
}

function judge(item: RankingItem, answer: string, { scores }: RankingKnobs): Verdict {
  const reading = readList(answer);
  if (!reading.ok) return answer.trim() === '' ? missing('the answer is empty') : malformed('not a list of documents');
  const { elements } = reading;
  const places = elements.map((element) => documentOf(item, element, scores));
  if (places.includes(undefined)) return malformed('not a list of documents');
  const ranked = places as number[];
  if (ranked.length !== item.documents.length || new Set(ranked).size < ranked.length)
    return illegal('not each document once');
  const grades = gradesOf(item);
  const said = { canonical: elements.join() };
  if (ranked.some((place, i) => i > 0 && grades[place] > grades[ranked[i - 1]]))
    return { ...wrongValue('a document is below one of a lower grade'), ...said };
  if (scores && elements.some((element, i) => Number(element.split(':')[1]) !== grades[ranked[i]]))
    return { ...wrongValue('a document has another grade'), ...said };
  return correct('in the order of their grades', said.canonical);
}

export const ranking = lineTask<RankingItem, RankingKnobs>(rankingCard, {
  characters: `rank ${LETTERS}0123456789:,>`,
  answers: 'open',
  generate(rng, { documents, letters }) {
    const alphabet = rng.shuffle(LETTERS.split(''));
    const query = alphabet.slice(0, letters);
    const others = alphabet.slice(letters);
    const texts = Array.from({ length: documents }, () => {
      const shared = rng.int(0, letters);
      return rng
        .shuffle([...rng.shuffle(query).slice(0, shared), ...rng.shuffle(others).slice(shared, letters)])
        .join('');
    });
    const item = { query: query.join(''), documents: texts };
    // Where many have one grade, any order would do.
    const isGraded = new Set(gradesOf(item)).size * 2 > documents;
    return isGraded && new Set(texts).size === documents ? item : null;
  },
  key: ({ query, documents }) => `ranking|${inOrder(query.split('')).join('')}|${inOrder(documents).join(' ')}`,
  prompt: ({ query, documents }) => `rank ${query} ${documents.map((text, i) => `${i + 1}${text}`).join(' ')}>`,
  twin: ({ query, documents }) => ({ query: rotated(query.split('')).join(''), documents }),
  question: ({ query, documents }, { scores }) =>
    `The query is ${query}. The documents are ${documents.map((text, i) => `${i + 1}: ${text}`).join(', ')}. ` +
    'A document has a grade: how many of its letters are in the query. Give the numbers of the documents from the highest grade to the lowest, ' +
    `separated by commas${scores ? ', each with its grade, such as 2:3,1:0' : ''}.`,
  oracle: (item, knobs) => elementsOf(item, knobs).join(),
  verify: judge,
  columns: (item) => ({ grades: Object.fromEntries(gradesOf(item).map((grade, i) => [i + 1, grade])) }),
  /** Without the last two: what is left is then known. */
  hints(item) {
    const ids = order(item).map((place) => place + 1);
    return growingParts(ids.slice(0, -1), ',');
  },
  steps(item, answer, { scores }) {
    const grades = gradesOf(item);
    const seen = new Set<number>();
    return stepsBetween(answer, ',', (element) => {
      const place = documentOf(item, element, scores);
      if (place === undefined || seen.has(place)) return false;
      seen.add(place);
      return grades.every((grade, other) => seen.has(other) || grade <= grades[place]);
    });
  },
  feedback(item, answer, { scores }) {
    const grades = gradesOf(item);
    const reading = readList(answer);
    const places = reading.ok ? reading.elements.map((element) => documentOf(item, element, scores)) : [];
    const at = places.findIndex((place, i) => {
      const before = places[i - 1];
      return place === undefined || (before !== undefined && grades[place] > grades[before]);
    });
    return at < 0 ? '' : String(at + 1);
  },
  mutants(item, knobs, rng) {
    const right = elementsOf(item, knobs);
    const texts: Record<string, string> = {
      ...listMisses(right, ',', rng),
      'document that is not there': [...right.slice(0, -1), knobs.scores ? '0:0' : '0'].join(),
      'the other form': order(item)
        .map((i) => (knobs.scores ? `${i + 1}` : `${i + 1}:${gradesOf(item)[i]}`))
        .join(),
      'the query': item.query,
    };
    return onlyMisses(texts, (text) => judge(item, text, knobs));
  },
  /** The share of orders that are right, where the grades have the most ties that a problem may have. */
  chance: ({ documents, scores }) => (scores ? 0.1 : documents <= 3 ? 0.45 : documents <= 4 ? 0.2 : 0.1),
  longest: ({ documents, letters, scores }) => ({
    prompt: 6 + letters + documents * (letters + 2),
    answer: documents * (scores ? 4 : 2) - 1,
    question: 300 + letters + documents * (letters + 5),
  }),
});
