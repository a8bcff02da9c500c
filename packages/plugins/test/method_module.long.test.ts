/** Methods from files of the user's own: loaded, checked, watched, and as good as built-in ones. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../src/config/dump.ts';
import type { Surrogate } from '../../../src/methods/points.ts';
import type { GrpoStageConfig } from '../../../src/methods/stage.ts';
import { fewOf } from '../../../test/support/budget.ts';
import { createMethods, parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { type OpenedPlugins, openPlugins, type PluginOptions } from '../open_plugins.node.ts';

eachInOwnFolder(() => void mkdirSync('methods'));

const file = (name: string, body: string): void =>
  writeFileSync(`methods/${name}.ts`, `import { key, method, number } from 'rlvr-train/methods';\n${body}`);

/** One that imports nothing, so that it is loaded at once. */
const bare = (name: string, value: string): void => writeFileSync(`methods/${name}.ts`, `export default ${value};`);

const ABOUT = "about: { does: 'Tries.', formula: 'x', source: 'own', certainty: 'own' }";

const ROOT = `export default method({
  id: 'root-length',
  ${ABOUT},
  options: { power: key('power', number({ above: 0, example: 0.5 }).default(0.5).describe('Of the length.')) },
  create: ({ power }) => (tokens, { completions }) => 1 / (completions * tokens ** power),
});`;

type Opened = OpenedPlugins & { readonly stage: GrpoStageConfig };

const open = (...lines: readonly string[]): Promise<Opened> => openWith({}, lines);

/** Not tried before step 1, so that the test is the first to ask the part. */
const openUntried = (...lines: readonly string[]): Promise<Opened> => openWith({ rewards: 'unused' }, lines);

async function openWith(options: Pick<PluginOptions, 'rewards'>, lines: readonly string[]): Promise<Opened> {
  const text = ['task: sort_digits', 'max_steps: 3', ...lines].join('\n');
  const loaded = parseConfig(text, { file: 'my.yaml' });
  const opened = await openPlugins(loaded, { file: 'my.yaml', directory: 'runs/one', announce: () => {}, ...options });
  const [stage] = opened.config.stages;
  if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
  return { ...opened, stage };
}

const sizes = { completions: 4, lossTokens: 9, maxCompletionTokens: 9, microBatches: 1, microLossTokens: 9 };
const place = { groups: 2, groupTokens: 5, tokenWeight: 3 };

describe('a method from a file', () => {
  it('takes its options, and is named from the run directory in the config that is kept', async () => {
    file('root', ROOT);
    const { stage, methods, modules, config } = await open('aggregation: {name: ./methods/root.ts, power: 2}');
    const { aggregation } = createMethods(stage, methods);
    expect(aggregation.id).toBe('root-length');
    expect(aggregation.part(3, sizes, place)).toBe(1 / 36);
    expect(Object.keys(modules)).toEqual(['../../methods/root.ts']);
    expect(resolvedYaml(config)).toContain('name: ../../methods/root.ts');
  });

  it('may be one of several exports', async () => {
    file('two', `${ROOT.replace('export default', 'export const root =')}\nexport const other = 1;`);
    const { stage, methods } = await open('aggregation: {name: ./methods/two.ts, export: root}');
    expect(createMethods(stage, methods).aggregation.part(4, sizes, place)).toBe(1 / 8);
  });

  const mistakes: readonly [string, RegExp][] = [
    [
      'aggregation: {name: ./methods/root.ts, pover: 2}',
      /my\.yaml:3 .*pover: 2 — no such option of root-length .*power/,
    ],
    ['aggregation: {name: ./methods/root.ts, power: -1}', /my\.yaml:3 .*power: -1 — must be greater than 0/],
    ['aggregation: ./methods/rot.ts', /my\.yaml:3 .*no such file .*root\.ts/],
    [
      'credit_steps: [./methods/empty.ts]',
      /my\.yaml:3 .*its default export is an object with no keys, not a method; export method\(\{id, about, options, create\}\)/,
    ],
  ];
  it.each(fewOf(mistakes, { quick: 2, all: 2 }))('is refused with its line: %s', async (line, message) => {
    file('root', ROOT);
    file('empty', 'export default {};');
    await expect(open(line)).rejects.toThrow(message);
  });

  it('is refused where its part is not one of its point', async () => {
    file('wrong', `export default method({ id: 'wrong', ${ABOUT}, options: {}, create: () => ({ add() {} }) });`);
    const { stage, methods } = await open('credit_steps: [./methods/wrong.ts]');
    expect(() => createMethods(stage, methods)).toThrow(
      'method "wrong" (methods/wrong.ts): create() gave no apply() — give what rlvr-train/methods says of that part.',
    );
  });

  it('names its file and line when it fails, and is ended where it has no end', async () => {
    const part = (body: string): string =>
      `export default method({ id: 'bad', ${ABOUT}, options: {},\n  create: () => ({ apply() { ${body} } }) });`;
    file('throws', part('throw new TypeError("no");'));
    file('hangs', part('for (;;) {}'));
    const apply = async (name: string, seconds: number): Promise<() => unknown> => {
      const { stage, methods } = await openUntried(
        `credit_steps: [./methods/${name}.ts]`,
        `reward_timeout: ${seconds}`,
      );
      const { creditSteps } = createMethods(stage, methods);
      return () => creditSteps[0].part.apply([], {} as never); // it looks at nothing
    };
    expect(await apply('throws', 60)).toThrow('method "bad" (methods/throws.ts): apply failed: TypeError: no (line 3)');
    expect(await apply('hangs', 0.2)).toThrow(/apply gave nothing within 0\.2 s — it hangs or is too slow/);
  });

  describe('is named for what it gives:', () => {
    const group = { rollouts: [{ tokens: [1, 2] }, { tokens: [3] }], advantages: [1, -1] };
    const groups = [group, group];

    const partOf = async (key: string, point: 'advantageEstimator' | 'creditSteps' | 'aggregation', part: string) => {
      bare('mine', `{ id: 'mine', ${ABOUT}, options: {}, create: () => (${part}) }`);
      const { stage, methods } = await openUntried(`${key}`);
      const made = createMethods(stage, methods)[point];
      return ('part' in made ? made.part : made[0].part) as never;
    };

    const faults: readonly [string, string, string][] = /* biome-ignore format: a table */ [
        ['NaN', 'groups.map(() => ({ advantages: [Number.NaN, 0] }))',
          'gave NaN at [0].advantages[0] — give a finite number'],
        ['too few', 'groups.map(() => ({ advantages: [0] }))', 'gave a list of 1 at [0].advantages — give a list of 2'],
        ['none for a group', '[{ advantages: [0, 0] }]', 'gave a list of 1 — give a list of 2, {advantages} for each group'],
        ['no list', '({})', 'gave {} — give a list of 2, {advantages} for each group'],
        ['too few tokens', 'groups.map(() => ({ advantages: [0, 0], tokenAdvantages: [[1], [1]] }))',
          'gave a list of 1 at [0].tokenAdvantages[0] — give a list of 2'],
      ];
    it.each(fewOf(faults, { quick: 2, all: 3 }))('an estimator that gives %s', async (_, expression, says) => {
      const body = `{ estimate: (groups) => (${expression}) }`;
      const part: { estimate(groups: unknown): unknown } = await partOf(
        'advantage_estimator: ./methods/mine.ts',
        'advantageEstimator',
        body,
      );
      expect(() => part.estimate(groups)).toThrow(`method "mine" (methods/mine.ts): estimate ${says}`);
    });

    it('a credit step that gives infinity, or no groups', async () => {
      const body =
        '{ apply: ([first, ...others]) => first === undefined ? 1 : [{ ...first, advantages: [Infinity, 0] }, ...others] }';
      const part: { apply(groups: unknown): unknown } = await partOf(
        'credit_steps: [./methods/mine.ts]',
        'creditSteps',
        body,
      );
      expect(() => part.apply(groups)).toThrow('apply gave Infinity at [0].advantages[0] — give a finite number');
      expect(() => part.apply([])).toThrow('apply gave 1 — give a list of groups');
    });

    it('a credit step that gives something by token for too few of them', async () => {
      for (const name of ['tokenAdvantages', 'tokenWeights', 'tokenSelection']) {
        const part: { apply(groups: unknown): unknown } = await partOf(
          'credit_steps: [./methods/mine.ts]',
          'creditSteps',
          `{ apply: (groups) => groups.map((group) => ({ ...group, ${name}: [[1], [1]] })) }`,
        );
        expect(() => part.apply(groups)).toThrow(`gave a list of 1 at [0].${name}[0] — give a list of 2`);
      }
    });

    it('an aggregation that gives no number', async () => {
      const part: (tokens: number, of: unknown) => number = await partOf(
        'aggregation: ./methods/mine.ts',
        'aggregation',
        '(tokens) => 1 / (tokens - 3)',
      );
      expect(() => part(3, sizes)).toThrow('create() gave Infinity — give a finite number');
      expect(part(4, sizes)).toBe(1);
    });
  });

  it('keeps the functions of a class, and what they keep', async () => {
    const counting =
      'class { #calls = 0; apply(groups) { this.#calls++; return groups; } state() { return this.#calls; } }';
    bare('counting', `{ id: 'counting', ${ABOUT}, options: {}, create: () => new (${counting})() }`);
    const { stage, methods } = await open('credit_steps: [./methods/counting.ts]');
    const [{ part }] = createMethods(stage, methods).creditSteps;
    part.apply([], {} as never); // it looks at nothing
    expect(part.state?.()).toBe(1);
  });

  it('is ended where a token of its objective has no end, and named where it has no number', async () => {
    const part = '{ at({ logRatio }, out) { while (logRatio === 0); out.loss = logRatio; } }';
    bare('loops', `{ id: 'loops', ${ABOUT}, options: {}, create: () => (${part}) }`);
    const { stage, methods } = await openUntried('objective: ./methods/loops.ts', 'reward_timeout: 0.2');
    const made = methods[stage.methods.objective[0].name].create({}, stage) as Surrogate;
    const out = { loss: 0, slope: 0, logprobSlope: 0 };
    expect(() => made.at({ logRatio: 0, logprob: 0, oldLogprob: 0, advantage: 0 }, out)).toThrow(
      /at gave nothing within 0\.2 s/,
    );
    made.at({ logRatio: 1, logprob: 0, oldLogprob: 0, advantage: 0 }, out);
    expect(out.loss).toBe(1);
    expect(() => made.at({ logRatio: Number.NaN, logprob: 0, oldLogprob: 0, advantage: 0 }, out)).toThrow(
      /method "loops" \(methods\/loops\.ts\): at left \{ loss: NaN, .* — set finite numbers/,
    );
  });

  it('may be an objective that is a whole term, and is named where it leaves no number', async () => {
    const part = '{ coupling: "group", add(_, [{ losses }]) { losses[0] = 0 / 0; } }';
    bare('whole', `{ id: 'whole', ${ABOUT}, options: {}, create: () => (${part}) }`);
    const { stage, methods } = await openUntried('objective: ./methods/whole.ts');
    const [{ part: term }] = createMethods(stage, methods).lossTerms;
    const [losses, dLogprobs, dEntropies] = [1, 2, 3].map(() => new Float64Array(2));
    expect(() => term.add([], [{ losses, dLogprobs, dEntropies }], {} as never)).toThrow(
      /method "whole" \(methods\/whole\.ts\): add left NaN at \[0\]\.losses\[0\]/,
    );
  });

  it('is named where it leaves no number by whole distributions', async () => {
    const part = '{ coupling: "token", add(_, [{ dLogits }]) { dLogits[3] = 0 / 0; } }';
    bare(
      'wide',
      `{ id: 'wide', ${ABOUT}, options: {}, uses: () => [{ id: 'distributions', takesDistributions: true }], create: () => (${part}) }`,
    );
    const { stage, methods } = await open('loss_terms: [./methods/wide.ts]');
    const made = createMethods(stage, methods);
    expect(made.uses).toMatchObject({ distributionsFor: ['wide'] });
    const term = made.lossTerms[1].part;
    const [losses, dLogprobs, dEntropies, dLogits] = [1, 1, 1, 4].map((length) => new Float64Array(length));
    expect(() => term.add([], [{ losses, dLogprobs, dEntropies, dLogits }], {} as never)).toThrow(
      /method "wide" \(methods\/wide\.ts\): add left NaN at \[0\]\.dLogits\[3\]/,
    );
  });

  it('that ends the process at its top is refused before the run loads it', async () => {
    bare('top', 'process.exit(3)');
    await expect(open('credit_steps: [./methods/top.ts]')).rejects.toThrow(
      'ended its thread by process.exit(3) while it was loaded; correct it',
    );
  });
});
