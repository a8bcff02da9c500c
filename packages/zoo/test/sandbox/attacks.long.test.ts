/** Programs that attack the sandbox for JavaScript, and what is left of the host after them. */
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { budget } from '../../../../test/support/budget.ts';
import { openJavaScript } from '../../sandbox/javascript.ts';
import type { SandboxResult } from '../../sandbox/limits.ts';
import { HOSTILE_PROGRAMS } from './hostile_programs.ts';

const sandbox = await openJavaScript();
const FUEL = 300_000;
const DOUBLES = 'a=>a.map(x=>2*x)';

const hostile = Object.entries(HOSTILE_PROGRAMS);
const attacked = (): SandboxResult[] => hostile.map(([, text]) => sandbox.call(text, [[1, 2, 3]], { fuel: FUEL }));

describe(`${hostile.length} programs that are not`, () => {
  const first = attacked();

  it.each(hostile.map(([name], i) => [name, first[i]] as const))('%s', (_name, result) => {
    expect(result.ok && result.output === '[2,4,6]').toBe(false);
  });

  it('end for the reason that they should', () => {
    const ended = Object.fromEntries(hostile.map(([name], i) => [name, first[i]?.ok ? 'output' : first[i]?.failure]));
    expect(ended).toMatchObject({
      'a loop': 'fuel',
      'a search in a long array': 'fuel',
      'a pattern with two ways': 'fuel',
      recursion: 'stack',
      'a buffer': 'error',
      'a buffer of three megabytes': 'memory',
      'deep nesting of brackets': 'stack',
      'a text that doubles': 'error',
      'a large power': 'error',
      'the clock': 'error',
      process: 'error',
      'no value': 'output',
      'two statements': 'syntax',
      'a bracket that closes': 'syntax',
    });
  });

  it('get the same verdicts and take the same fuel again, in another order, and beside two busy threads', async () => {
    const busy = [0, 1].map(() => new Worker('while (true);', { eval: true }));
    try {
      expect(attacked()).toEqual(first);
      const backwards = [...hostile].reverse().map(([, text]) => sandbox.call(text, [[1, 2, 3]], { fuel: FUEL }));
      expect(backwards.reverse()).toEqual(first);
    } finally {
      await Promise.all(busy.map((each) => each.terminate()));
    }
  });

  it('leave nothing: the next program finds the language as it was, and the host is untouched', () => {
    for (const [, text] of hostile) sandbox.call(text, [[1, 2, 3]], { fuel: FUEL });
    const names = 'Object.keys(globalThis).concat(Object.keys(Array.prototype), Object.keys(Object.prototype))';
    expect(sandbox.run(names)).toMatchObject({ output: '[]' });
    expect(sandbox.call(DOUBLES, [[1, 2, 3]])).toMatchObject({ ok: true, output: '[2,4,6]' });
    expect(JSON.stringify([1])).toBe('[1]');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

it('memory is back within 50 MB of what it was', () => {
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 2; round++) attacked();
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 2 ** 20);
});

it('no text of pieces of programs throws on the host, or is judged otherwise a second time', () => {
  // biome-ignore format: a list
  const pieces = [
    'a', '=>', '(', ')', '[', ']', '{', '}', '.map(', 'x', '*2', ';', 'for(;;)', 'while(1)', 'return ', 'function f(a)', '`', '${',
    "'", '"', '/', '\\', '...', 'new ', 'throw ', 'try', 'catch', 'yield ', 'await ', 'async ', '?.', '??', '0', '1e9', 'n', ',',
    '\n', '//', '/*', '*/', '\u2028', '\0', '\ud800', 'this', 'eval(', 'Proxy', 'class ', 'super', 'get x()', 'JSON', '.length=',
  ];
  const rng = rngFor('random programs');
  for (let left = budget({ quick: 300, all: 10_000 }); left > 0; left--) {
    const text = `a=>${Array.from({ length: rng.int(1, 12) }, () => rng.pick(pieces)).join('')}`;
    const result = sandbox.call(text, [[1, 2, 3]], { fuel: 50_000 });
    expect(sandbox.call(text, [[1, 2, 3]], { fuel: 50_000 }), text).toEqual(result);
    expect(result.ok && result.output === '[2,4,6]' && !/map\(.*x.*\*2/.test(text), text).toBe(false);
  }
});
