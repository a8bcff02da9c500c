/** The tasks of facts and rules that are shown, decided from their prompts. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare, listed, wholeNumber } from './notation.ts';

export const KNOWLEDGE: Readonly<Record<string, SecondChecker>> = {
  in_context_kg({ prompt }, answer) {
    const [facts = '', ways = ''] = asked(prompt, /^kg ([A-Zfmnp ]+): ([A-Zfmnp ]+)>$/);
    // Every entity is tried, from the end of each way back to its begin.
    const leadsTo = (way: string, end: string): boolean => {
      const relation = way.at(-1) as string;
      if (relation === end && way.length === 1) return true;
      return (
        way.length > 1 &&
        [...facts.matchAll(/([A-Z])([fmnp])([A-Z])/g)].some(
          ([, from = '', by, to]) => by === relation && to === end && leadsTo(way.slice(0, -1), from),
        )
      );
    };
    const ends = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].filter((end) => ways.split(' ').every((way) => leadsTo(way, end)));
    return bare(answer) === (ends.length === 0 ? 'none' : ends.join());
  },

  ranking({ prompt, knobs }, answer) {
    const [query = '', shown = ''] = asked(prompt, /^rank ([a-z]+) ([0-9a-z ]+)>$/);
    const grades = new Map(
      shown
        .split(' ')
        .map((one) => [one.slice(0, 1), one.replace(/[0-9]/, '').replace(new RegExp(`[^${query}]`, 'g'), '').length]),
    );
    const elements = listed(answer);
    if (elements === undefined) return false;
    const ids = elements.map((element) => element.slice(0, 1));
    if ([...ids].sort().join() !== [...grades.keys()].sort().join()) return false;
    if (elements.some((one) => one !== (knobs.scores === true ? `${one[0]}:${grades.get(one[0] as string)}` : one[0])))
      return false;
    const ranked = ids.map((id) => grades.get(id) as number);
    return ranked.join() === ranked.toSorted((a, b) => b - a).join();
  },

  rules_calc({ prompt }, answer) {
    const [values = '', rules = ''] = asked(prompt, /^due ([a-d0-9 ]+): ([^>]+(?:>[^ ]+)*(?: .+)?)>$/);
    let total = 0n;
    for (const rule of rules.split(' ')) {
      const known: Record<string, bigint> = { t: total };
      for (const value of values.split(' ')) known[value.slice(0, 1)] = BigInt(value.slice(1));
      const match = /^(?:([a-dt])([<>])(\d+):)?([-+=])(\d+)([a-d]?)$/.exec(rule);
      if (match === null) throw new RangeError(`${rule} is no rule`);
      const [, name, relation, bound = '0', sign, amount = '0', by = ''] = match;
      const left = name === undefined ? 0n : (known[name] as bigint);
      if (relation === '>' && !(left > BigInt(bound))) continue;
      if (relation === '<' && !(left < BigInt(bound))) continue;
      const size = BigInt(amount) * (by === '' ? 1n : (known[by] as bigint));
      total = sign === '=' ? size : sign === '+' ? total + size : total - size;
    }
    return wholeNumber(answer) === total;
  },
};
