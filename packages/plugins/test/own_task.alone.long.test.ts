/** Tasks of the user's that do what a task should not: each is named for it, and the run can stop as it should. */
import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fewOf } from '../../../test/support/budget.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { type OpenedPlugins, openPlugins } from '../open_plugins.node.ts';

let opened: OpenedPlugins | undefined;

eachInOwnFolder();

afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

/** A task that imports nothing, so that it is loaded at once. */
const ADDITION = `const PIECES = ['<pad>', '<eos>', ...'0123456789+='];
const TOKENIZER = {
  vocabSize: 14, eosTokenId: 1, padTokenId: 0,
  encode: (text) => Int32Array.from([...text], (piece) => PIECES.indexOf(piece)),
  decode: (ids) => Array.from(ids, (id) => PIECES[id]).join(''),
  tokenText: (id) => PIECES[id], toJSON: () => ({}), configJSON: () => ({}),
};
const max = 99;
export default {
  name: 'addition', version: 1, category: 'arithmetic', tier: 1, family: 'addition', knobs: {}, levels: [],
  generate: (rng) => ({ a: rng.int(0, max), b: rng.int(0, max) }),
  key: ({ a, b }) => 'add|' + Math.min(a, b) + '|' + Math.max(a, b),
  prompt: ({ a, b }) => a + '+' + b + '=',
  oracle: ({ a, b }) => String(a + b),
  demonstration: ({ a, b }, _knobs, rng) => String(a + b + (rng.float() < 0.3 ? rng.int(1, 9) : 0)),
  mutants: () => [],
  verify({ a, b }, answer, _knobs, { finishReason }) {
    if (finishReason === 'length') return truncated();
    return { score: Number(answer === String(a + b)), status: answer === String(a + b) ? 'correct' : 'incorrect', reason: 'the sum' };
  },
  chance: () => 0.05,
  tokenizer: () => TOKENIZER,
  limits: () => ({ promptTokens: 6, completionTokens: 5 }),
};
const truncated = () => ({ score: 0, status: 'truncated', reason: 'cut' });
`;

/** Opens the task, changed. */
async function open(change: (text: string) => string, seconds = 60): Promise<OpenedPlugins> {
  const text = change(ADDITION);
  if (text === ADDITION) throw new Error('nothing was changed');
  writeFileSync('addition.mjs', text);
  const yaml = `task: ./addition.mjs\nmax_steps: 1\nreward_timeout: ${seconds}`;
  opened = await openPlugins(parseConfig(yaml, { file: 'my.yaml' }), { file: 'my.yaml', announce: () => {} });
  return opened;
}

const swap =
  (before: string, after: string) =>
  (text: string): string => {
    if (!text.includes(before)) throw new Error(`the task has no ${before}`);
    return text.replace(before, after);
  };
const inVerify = (code: string) => swap("if (finishReason === 'length') return truncated();", code);
const inGenerate = (expression: string) => swap('({ a: rng.int(0, max), b: rng.int(0, max) })', expression);
function judge({ tasks }: OpenedPlugins, answer = '1'): unknown {
  const item = tasks.trainItem(0, 0);
  return tasks.verify(item, answer, { finishReason: 'length' });
}

describe('a task that ends the process', () => {
  it('is stopped there, with the problem that it was asked about', async () => {
    const plugins = await open(inVerify("if (finishReason === 'length') { process.exit(0); }"));
    expect(() => judge(plugins)).toThrow(
      /task "addition" \(addition\.mjs\): verify failed for problem \{.*\} and answer '1': it called process\.exit\(0\), which would end the run without a word — correct it\./,
    );
  });

  it('leaves the program around it free to end itself, during a run and after it', async () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never);
    await open(inVerify(''));
    process.exit(3);
    expect(exit).toHaveBeenCalledWith(3);
    await opened?.close();
    opened = undefined;
    expect(process.exit).toBe(exit);
    exit.mockRestore();
  });
});

describe('a task that hangs', () => {
  const loop = 'for (;;);';
  const hangs: readonly [string, (text: string) => string, RegExp][] = /* biome-ignore format: a table */ [
      ['generate', inGenerate(`{ ${loop} }`), /generate gave nothing within 0\.3 s — it hangs or is too slow/],
      ['key', swap('key: ({ a, b }) =>', `key: ({ a, b }) => { ${loop} }, unused: ({ a, b }) =>`),
        /key gave nothing within 0\.3 s for problem \{ a: \d+, b: \d+ \}/],
      ['splitKey', swap('prompt: (', `splitKey: () => { ${loop} },\n     prompt: (`), /splitKey gave nothing within 0\.3 s for problem/],
      ['prompt', swap('prompt: ({ a, b }) =>', `prompt: ({ a, b }) => { ${loop} }, unused: ({ a, b }) =>`),
        /prompt gave nothing within 0\.3 s for problem/],
      ['verify', inVerify(loop),
        /verify gave nothing within 0\.3 s for problem \{.*\} and answer '\d+' — it hangs or is too slow; correct it, or raise reward_timeout/],
    ];
  it.each(fewOf(hangs, { quick: 2, all: 4 }))(
    'in %s is refused before step 1, with the function and the problem',
    async (_, change, says) => {
      await expect(open(change, 0.3)).rejects.toThrow(says);
    },
  );

  it('in key for a few problems only is ended by the call that gave the problem', async () => {
    const text = (source: string): string =>
      swap(
        'key: ({ a, b }) =>',
        'key: ({ a, b }) => { while (a === 77) ; return String(a + b); }, unused: ({ a, b }) =>',
      )(source).replace(
        'generate: (',
        'enumerate: () => Array.from({ length: 100 }, (_, a) => ({ a, b: a })),\n  generate: (',
      );
    const { tasks } = await open(text, 0.5);
    expect(() => tasks.heldOutItems()).toThrow(
      'task "addition" (addition.mjs): key gave nothing within 0.5 s for problem { a: 77, b: 77 } — it hangs or is too slow',
    );
  });
});

describe('a task whose problems are no plain data', () => {
  const flaws: readonly [string, string, string][] = [
    ['a circle', '{ const item = { a: 1, b: 2 }; item.self = item; return item; }', 'itself at .self'],
    ['a BigInt', '({ a: rng.int(0, max), b: 2, n: 1n })', 'a bigint at .n'],
    ['a Date', '({ a: rng.int(0, max), b: [new Date(0)] })', 'a Date at .b[0]'],
    ['a function', '({ a: rng.int(0, max), b: 2, f: () => 1 })', 'a function at .f'],
    ['NaN', '({ a: rng.int(0, max), b: Number.NaN })', 'NaN at .b'],
    ['a hole', '({ a: rng.int(0, max), b: 2, list: [1, , 3] })', 'undefined at .list[1]'],
    ['a promise', 'Promise.resolve({ a: 1, b: 2 })', 'a Promise'],
    ['nothing', 'undefined', 'undefined'],
  ];
  it.each(fewOf(flaws, { quick: 2, all: 4 }))('%s is refused', async (_, expression, flaw) => {
    await expect(open(inGenerate(expression))).rejects.toThrow(
      `task "addition" (addition.mjs): generate gave a problem that a checkpoint cannot hold (${flaw}) — give plain data`,
    );
  });

  it('reads an absent key as the same, whether it is written or not', async () => {
    const { tasks } = await open(inGenerate('({ a: rng.int(0, max), b: 2, hint: undefined })'));
    expect(tasks.trainItem(0, 0).identity).toMatchObject({ b: 2 });
  });
});

describe('a task that is not a function of its arguments', () => {
  const impure = /gives .* once and .* when it is asked again.* — let it depend on its arguments alone/;
  it.each([
    [
      'generate',
      inGenerate(
        '({ a: Math.floor(Math.random() * 1e9) % (max + 1), b: (globalThis.drawn = (globalThis.drawn ?? 0) + 1) })',
      ),
    ],
    [
      'prompt',
      swap('prompt: ({ a, b }) =>', 'prompt: ({ a, b }) => String(globalThis.asked = (globalThis.asked ?? 0) + 1) || '),
    ],
    ['verify', inVerify('if ((globalThis.judged = (globalThis.judged ?? 0) + 1) % 2) return truncated();')],
  ])('in %s is refused by the name of the function, with both values', async (part, change) => {
    const refused = open(change);
    await expect(refused).rejects.toThrow(impure);
    await expect(refused).rejects.toThrow(`task "addition" (addition.mjs): ${part} gives`);
  });

  it('cannot write to the problem that it judges', async () => {
    const writes = (text: string): string =>
      text
        .replace('verify({ a, b }, answer', 'verify(item, answer')
        .replace("if (finishReason === 'length') return truncated();", 'const { a, b } = item; item.a++;');
    await expect(open(writes)).rejects.toThrow(
      /verify failed for problem .*: TypeError: Cannot assign to read only property 'a' of object.*\(problems and states cannot be written to\) — correct it/,
    );
  });
});

describe("the tokenizer of a user's task", () => {
  const own = (parts: string) =>
    swap(
      'tokenizer: () => TOKENIZER',
      `tokenizer: () => ({ ...TOKENIZER, vocabSize: 14, eosTokenId: 1, padTokenId: 0, closed: undefined,
       encode: (text) => TOKENIZER.encode(text), decode: (ids) => TOKENIZER.decode(ids), tokenText: (id) => TOKENIZER.tokenText(id),
       toJSON: () => ({}), configJSON: () => ({}), ${parts} })`,
    );

  const wrong: readonly [string, string, string][] = [
    ['beyond the vocabulary', '[14]', 'gave 14 at [0]'],
    ['below 0', '[2, -1]', 'gave -1 at [1]'],
    ['that are fractions', '[2, 3.5]', 'gave 3.5 at [1]'],
    ['that are NaN', '[Number.NaN]', 'gave NaN at [0]'],
    ['that are no list', '"12"', "gave '12'"],
  ];
  it.each(fewOf(wrong, { quick: 2, all: 3 }))('gives no ids %s', async (_, ids, says) => {
    const { tasks } = await open(own(`encode: () => (${ids})`));
    expect(() => tasks.promptTokens(tasks.trainItem(0, 0))).toThrow(
      `task "addition" (addition.mjs): tokenizer.encode ${says} for '`,
    );
  });

  it('may give a plain list, which becomes what the engine reads', async () => {
    const { tasks } = await open(own('encode: (text) => [...TOKENIZER.encode(text)]'));
    expect(tasks.promptTokens(tasks.trainItem(0, 0))).toBeInstanceOf(Int32Array);
  });

  it.each([
    ['eosTokenId', '14'],
    ['padTokenId', '-1'],
    ['eosTokenId', '0.5'],
  ])('has its %s in the vocabulary (%s)', async (name, id) => {
    await expect(open(own(`${name}: ${id}`))).rejects.toThrow(
      `task "addition" (addition.mjs): tokenizer gave a tokenizer without ${name} (a whole number from 0 to 13, as vocabSize is 14)`,
    );
  });
});

it('what a task prints goes to standard error, as scripts read standard output', async () => {
  const written: string[] = [];
  const hear =
    (name: string) =>
    (text: unknown): boolean =>
      written.push(`${name} ${text}`) > 0;
  const plugins = await open(inVerify("if (finishReason === 'length') process.stdout.write('mine');"));
  vi.spyOn(process.stdout, 'write').mockImplementation(hear('1'));
  vi.spyOn(process.stderr, 'write').mockImplementation(hear('2'));
  judge(plugins);
  process.stdout.write('the run');
  vi.restoreAllMocks();
  expect(written).toEqual(['2 mine', '1 the run']);
});

it('keeps trainKnobs of a task', async () => {
  const change = swap(
    'generate: (rng) => ({ a: rng.int(0, max)',
    'trainKnobs: () => ({ most: 0 }),\n  generate: (rng, { most = max }) => ({ a: rng.int(0, most)',
  );
  const { tasks } = await open(change);
  expect(tasks.trainItem(0, 0).identity).toMatchObject({ a: 0 });
});

it('says of a name with a NUL what is wrong with it', async () => {
  const loaded = parseConfig('task: "./a\\0b.ts"\nmax_steps: 1', { file: 'my.yaml' });
  await expect(openPlugins(loaded, { file: 'my.yaml', announce: () => {} })).rejects.toThrow(
    'its name holds a NUL character',
  );
});
