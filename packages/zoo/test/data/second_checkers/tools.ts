/** Tasks with tools, decided from what is hidden, which comes with the problem: an answer is the actions of an episode. */
import type { SecondChecker } from '../../../data/index.ts';
import { bare } from './notation.ts';

/**
 * Plays the lines of an answer: three actions with a call that cannot be answered end it, and the first without a call is judged.
 *
 * @param most    actions that there are
 * @param answer  whether a call can be answered, by name and words; it may change the tables
 */
function ends(
  text: string,
  most: number,
  answer: (words: readonly string[]) => boolean,
  judge: (text: string) => boolean,
): boolean {
  let broken = 0;
  for (const action of text.split('\n').slice(0, most)) {
    const calls = [...action.matchAll(/<call>((?:(?!<\/call>)[\s\S])*)(<\/call>)?/g)];
    if (calls.length === 0) return judge(bare(action));
    const answered = calls.map(([, inside = '', end]) => end !== undefined && answer(inside.trim().split(' ')));
    if (answered.includes(false) && ++broken === 3) return false;
  }
  return false;
}

export const TOOLS: Readonly<Record<string, SecondChecker>> = {
  mini_search({ identity, knobs }, answer) {
    const { documents, first, way } = identity as { documents: string[]; first: string; way: string[] };
    const told = new Map(documents.map((document) => [document.slice(0, -5), document.slice(-4)]));
    const right = way.reduce((at, relation) => told.get(`${at} ${relation}`) ?? '', first);
    const known = new Set(documents.flatMap((document) => document.split(' ')));
    const isFound = ([name, ...words]: readonly string[]): boolean =>
      name === 'search' && (words.length === 1 || words.length === 2) && words.some((word) => known.has(word));
    const hasTool = (knobs.tools as readonly string[]).length > 0;
    return ends(
      answer,
      hasTool ? Number(knobs.hops) + 3 : 1,
      (words) => hasTool && isFound(words),
      (text) => text === right,
    );
  },

  state_db({ identity, knobs }, answer) {
    const { tables, customer, policy } = identity as { tables: string[]; customer: string; policy: string[] };
    const rules = policy.map((rule) => /^(.)(.)(?:<(\d+))?$/.exec(rule) ?? []);
    const wanted = tables.map((order) => {
      const rule = rules.find(([, kind]) => order.startsWith(`${customer}${kind}`));
      const isBelow = rule !== undefined && Number(order.slice(-2)) < Number(rule[3] ?? 1000);
      return isBelow ? customer + rule[2] + order.slice(-2) : order;
    });
    const now = [...tables];
    const isDone = ([name, one = '', action = '', ...more]: readonly string[]): boolean => {
      if (name === 'orders') return /^[kmn]$/.test(one) && action === '' && more.length === 0;
      const was = /^\d+(?:\.0+)?$/.test(one) ? now[Number(one) - 1] : undefined;
      if (name !== 'act' || was === undefined || !/[psd]/.test(was) || !/^[crf]$/.test(action) || more.length > 0)
        return false;
      now[Number(one) - 1] = (was[0] as string) + action + was.slice(-2);
      return true;
    };
    return ends(answer, Number(knobs.orders) + 3, isDone, (text) => text === 'done' && now.join() === wanted.join());
  },
};
