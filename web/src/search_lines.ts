/**
 * An answer that searches, drawn: a line for each try, pale once it is closed, green at a hit, with a red bar where its mark is false,
 * and the solution apart.
 */
import type { AnswerSearch } from 'rlvr-train/web';
import { element } from '../../packages/report/page/dom.ts';

type Try = AnswerSearch['tries'][number];

/** Most levels that lines are set in by. */
const MOST_LEVELS = 3;

/** @param tokens  the answer's, drawn @param texts  what each of them writes */
export function searchLines(
  tokens: readonly HTMLElement[],
  texts: readonly string[],
  answer: string,
  { tries, solution }: AnswerSearch,
): HTMLElement[] {
  const seen = new Set<string>();
  const lines = tries.map((one, i) => {
    const words = wordsOn(one, seen.has(one.key));
    seen.add(one.key);
    const isFalse = one.mark === 'hit' ? !one.showsHit : one.mark === 'closed' && one.inReach;
    const style = `--turn: ${i}; --level: ${Math.min(one.depth, MOST_LEVELS)}`;
    const line = element('span', { class: `said try ${one.mark}${isFalse ? ' false' : ''}`, style });
    return { from: one.from, line, words };
  });
  if (lines.length === 0) return [...tokens];
  if (solution) {
    const line = element('span', { class: 'said try solution', style: `--turn: ${lines.length}; --level: 0` });
    lines.push({ from: solution.from, line, words: '' });
  }
  let [at, current] = [0, -1];
  const before: HTMLElement[] = [];
  for (const [i, token] of tokens.entries()) {
    const text = (texts[i] ?? '').trim();
    const begin = text === '' ? -1 : answer.indexOf(text, at);
    if (begin >= 0) at = begin + text.length;
    while (begin >= (lines[current + 1]?.from ?? Number.POSITIVE_INFINITY)) current++;
    if (current < 0) before.push(token);
    else lines[current]?.line.append(token);
  }
  for (const { line, words } of lines) if (words !== '') line.append(element('small', {}, words));
  return [...before, ...lines.map(({ line }) => line)];
}

function wordsOn({ mark, inReach, showsHit, wrongResults }: Try, isRepeat: boolean): string {
  const words = [
    isRepeat && 'again',
    wrongResults > 0 && `${wrongResults} wrong`,
    mark === 'closed' && inReach && 'passed over',
    mark === 'hit' && (showsHit ? 'hit' : 'no hit'),
  ];
  return words.filter(Boolean).join(', ');
}

/** Lines of an answer, which come one after the other. */
export function linesOf({ tries, solution }: AnswerSearch): number {
  return tries.length + (solution ? 1 : 0);
}

/** What answers do on average. @param lengths  of each, in tokens @param label  whose average it is */
export function searchCounts(
  lengths: readonly number[],
  searches: readonly AnswerSearch[],
  label: string,
): HTMLElement {
  const mean = (count: (one: AnswerSearch) => number): string =>
    (searches.reduce((sum, one) => sum + count(one), 0) / searches.length).toFixed(1);
  const repeats = ({ tries }: AnswerSearch): number => tries.length - new Set(tries.map(({ key }) => key)).size;
  const hits = ({ tries }: AnswerSearch): number => tries.filter((one) => one.mark === 'hit' && one.showsHit).length;
  const tokens = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const counts = [
    ['tries', mean(({ tries }) => tries.length)],
    ['repeats', mean(repeats)],
    ['hits', mean(hits)],
    ['tokens', tokens.toFixed(0)],
  ] as const;
  return element(
    'dl',
    { class: 'counts', 'aria-label': label },
    ...counts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  );
}
