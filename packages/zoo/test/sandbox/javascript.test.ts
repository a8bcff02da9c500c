import { describe, expect, it } from 'vitest';
import { createTask } from '../../../../test/support/everything.ts';
import { openJavaScript } from '../../sandbox/javascript.ts';
import { loadPeers } from '../../sandbox/peer.ts';
import { HOSTILE_PROGRAMS } from './hostile_programs.ts';

const sandbox = await openJavaScript();
const DOUBLES = 'a=>a.map(x=>2*x)';

describe('programs that are right', () => {
  it.each([
    [DOUBLES, [[1, 2, 3]], '[2,4,6]'],
    ['function (a, b) { return a + b }', [3, 4], '7'],
    ['a => [...a].sort((x, y) => x - y)', [[10, 9, 1]], '[1,9,10]'],
    ["s => s.replace(/[aeiou]/g, '')", ['sandbox'], '"sndbx"'],
    ['n => String(2n ** BigInt(n))', [100], '"1267650600228229401496703205376"'],
    ['a => ({ sum: a.reduce((s, x) => s + x, 0), max: Math.max(...a) })', [[1, 5, 2]], '{"sum":8,"max":5}'],
    [
      'n => { const f = new Map(); const g = k => k < 2 ? k : f.get(k) ?? (f.set(k, g(k - 1) + g(k - 2)), f.get(k)); return g(n) }',
      [60],
      '1548008755920',
    ],
    ['x => x ?? null', [null], 'null'],
  ] as const)('%s', (text, args, output) => {
    expect(sandbox.call(text, args)).toMatchObject({ ok: true, output });
  });

  it('gives the value of the last statement of a program', () => {
    expect(sandbox.run('let sum = 0; for (let i = 1; i <= 10; i++) sum += i; sum')).toMatchObject({ output: '55' });
  });

  it('draws its random numbers from the seed that it is given, and no others', () => {
    const drawn = (seed: number) => sandbox.call('() => [Math.random(), Math.random()]', [], { seed });
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
    expect(drawn(7).ok).toBe(true);
  });
});

describe('programs that are not', () => {
  it.each([
    ['a loop', 'fuel'],
    ['a pattern with two ways', 'fuel'],
    ['recursion', 'stack'],
    ['a buffer of three megabytes', 'memory'],
    ['the constructor of a function', 'error'],
    ['another JSON.stringify', undefined],
    ['a promise', undefined],
    ['two statements', 'syntax'],
  ])('%s', (name, failure) => {
    const result = sandbox.call(HOSTILE_PROGRAMS[name] as string, [[1, 2, 3]], { fuel: 300_000 });
    expect(result.ok ? undefined : result.failure).toBe(failure);
    if (result.ok) expect(result.output).not.toBe('[2,4,6]');
    expect(sandbox.call(DOUBLES, [[1, 2, 3]])).toMatchObject({ ok: true, output: '[2,4,6]' });
  });
});

it.each([
  'a=>a),(a=>[9]',
  '0);(a=>[9]',
  '0)\n;globalThis.n=1;(a=>[9]',
  'a=>a],[a=>[9]',
  '0];(a=>[9]',
  '/*',
  '`',
  'a=>[9])//',
])('a text that is no expression by itself is none in brackets: %s', (text) => {
  for (let twice = 0; twice < 2; twice++) {
    expect(sandbox.call(text, [[1]])).toMatchObject({ ok: false, failure: 'syntax' });
  }
});

it.each(['(0,a=>[9])', 'a=>[9] // a)', '/* ) */a=>[9]', 'function(a){/[)]/;return [9]}', 'a=>[9]/*(*/', "a=>[')'&&9]"])(
  'brackets of its own, in comments and texts too, are no matter: %s',
  (text) => expect(sandbox.call(text, [[1]])).toMatchObject({ ok: true, output: '[9]' }),
);

it.each([0, -1, 0.5, 2 ** 31, Number.NaN])('fuel of %d is refused, with the rule', (fuel) => {
  expect(() => sandbox.call(DOUBLES, [[]], { fuel })).toThrow(/^fuel: .* a whole number from 1 to 2147483647$/);
});

it('one unit of fuel is enough for nothing, and each program needs what it took', () => {
  expect(sandbox.call(DOUBLES, [[1, 2, 3]], { fuel: 1 })).toMatchObject({ ok: false, failure: 'fuel' });
  const { fuel } = sandbox.call(DOUBLES, [[1, 2, 3]]);
  expect(sandbox.call(DOUBLES, [[1, 2, 3]], { fuel }).ok).toBe(true);
  expect(sandbox.call(DOUBLES, [[1, 2, 3]], { fuel: fuel - 1 })).toMatchObject({ ok: false, failure: 'fuel' });
});

it('packages that are not there are said with the line that installs them', async () => {
  const missing = loadPeers('sandbox for JavaScript', ['one@1.0.0', 'two@2.0.0'], () =>
    Promise.reject(new Error('gone')),
  );
  await expect(missing).rejects.toThrow(
    /^the sandbox for JavaScript needs packages that are not there; npm install one@1\.0\.0 two@2\.0\.0$/,
  );
});

it('fuel of 0 in a config is refused with the rule of the knob', async () => {
  await expect(createTask({ name: 'js_function', fuel: 0 })).rejects.toThrow(/^task\.fuel: 0 — .*20000/);
});

it('what a task runs in is part of its fingerprint', async () => {
  const { sandboxEngine } = await createTask({ name: 'js_function' });
  expect(sandboxEngine).toEqual(sandbox.engine);
  expect(sandbox.engine.version).toMatch(/^[0-9a-f]{16}$/);
  expect((await createTask({ name: 'stack_vm' })).sandboxEngine).toBeUndefined();
});
