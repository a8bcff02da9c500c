/** Which runs of the list are found by words, and how they are sorted. */
import { describe, expect, it } from 'vitest';
import type { ListedRun } from '../data.ts';
import { matching, NEWEST_FIRST, orderOf, orderText, sorted } from '../page/run_list.ts';

const run = (name: string, more: Partial<ListedRun> = {}): ListedRun => ({
  ...{ name, condition: 'finished', problem: null, title: '', note: '', task: 'sort_digits', seed: 0, steps: null },
  ...{ left: null, greedy: null, sampled: null, changedMs: 0, bytes: 0, differs: {} },
  ...more,
});
const names = (runs: readonly ListedRun[]): string[] => runs.map(({ name }) => name);

describe('a search', () => {
  const runs = [
    run('a', { title: 'Best so far', note: 'with entropy' }),
    run('b', { task: 'gcd', condition: 'running', differs: { 'grpo.learning_rate': '0.001' } }),
    run('c', { seed: 12 }),
  ];

  it('finds every word somewhere: in name, note, task, state, seed or a key', () => {
    expect(names(matching(runs, ''))).toEqual(['a', 'b', 'c']);
    expect(names(matching(runs, ' BEST entropy '))).toEqual(['a']);
    expect(names(matching(runs, 'gcd learning_rate 0.001 running'))).toEqual(['b']);
    expect(names(matching(runs, 'seed 12'))).toEqual(['c']);
    expect(names(matching(runs, 'best gcd'))).toEqual([]);
  });
});

describe('an order', () => {
  it('counts numbers in names, takes the best first, and puts what has no value last either way', () => {
    const runs = [run('r10', { greedy: 0.5 }), run('r9', { greedy: null }), run('r2', { greedy: 0.9 })];
    expect(names(sorted(runs, orderOf('run')))).toEqual(['r2', 'r9', 'r10']);
    expect(names(sorted(runs, orderOf('greedy')))).toEqual(['r2', 'r10', 'r9']);
    expect(names(sorted(runs, orderOf('-greedy')))).toEqual(['r10', 'r2', 'r9']);
  });

  it('sorts by the name that people gave', () => {
    expect(names(sorted([run('a', { title: 'z' }), run('b')], orderOf('run')))).toEqual(['b', 'a']);
  });

  it('is one word of the address, and none for the newest first', () => {
    for (const text of ['run', '-run', 'greedy', '-changed']) expect(orderText(orderOf(text))).toBe(text);
    expect(orderText(NEWEST_FIRST)).toBeUndefined();
    for (const text of [null, 'nothing', '--run']) expect(orderOf(text)).toEqual(NEWEST_FIRST);
  });
});
