/** Methods from files of the user's own: loaded, checked, watched, and as good as built-in ones. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../src/config/dump.ts';
import { parseConfig } from '../../src/config/load.ts';
import { createMethods } from '../../src/methods/create.ts';
import type { GrpoStageConfig } from '../../src/methods/stage.ts';
import { type OpenedPlugins, openPlugins } from '../../src/plugins/open_plugins.node.ts';

const home = process.cwd();
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'rlvr-train-methods-')));
  process.chdir(folder);
  mkdirSync('methods');
});

afterEach(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string, body: string): void =>
  writeFileSync(`methods/${name}.ts`, `import { key, method, real } from 'rlvr-train/methods';\n${body}`);

const ABOUT = "about: { does: 'Tries.', formula: 'x', source: 'own', certainty: 'own' }";

const ROOT = `export default method({
  id: 'root-length',
  ${ABOUT},
  options: { power: key('power', real({ above: 0, example: 0.5 }).default(0.5).describe('Of the length. Default 0.5.')) },
  create: ({ power }) => (tokens, { completions }) => 1 / (completions * tokens ** power),
});`;

async function open(...lines: readonly string[]): Promise<OpenedPlugins & { readonly stage: GrpoStageConfig }> {
  const text = ['task: sort_digits', 'max_steps: 3', ...lines].join('\n');
  const loaded = parseConfig(text, { file: 'my.yaml' });
  const opened = await openPlugins(loaded, { file: 'my.yaml', directory: 'runs/one', announce: () => {} });
  const [stage] = opened.config.stages;
  if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
  return { ...opened, stage };
}

const sizes = { completions: 4, lossTokens: 9, maxCompletionTokens: 9, microBatches: 1, microLossTokens: 9 };

describe('a method from a file', () => {
  it('takes its options, and is named from the run directory in the config that is kept', async () => {
    file('root', ROOT);
    const { stage, methods, modules, config } = await open('aggregation: {name: ./methods/root.ts, power: 2}');
    const { aggregation } = createMethods(stage, methods);
    expect(aggregation.id).toBe('root-length');
    expect(aggregation.part(3, sizes)).toBe(1 / 36);
    expect(Object.keys(modules)).toEqual(['../../methods/root.ts']);
    expect(resolvedYaml(config)).toContain('name: ../../methods/root.ts');
  });

  it('may be one of several exports', async () => {
    file('two', `${ROOT.replace('export default', 'export const root =')}\nexport const other = 1;`);
    const { stage, methods } = await open('aggregation: {name: ./methods/two.ts, export: root}');
    expect(createMethods(stage, methods).aggregation.part(4, sizes)).toBe(1 / 8);
  });

  it.each([
    [
      'aggregation: {name: ./methods/root.ts, pover: 2}',
      /my\.yaml:3 .*pover: 2 — no such option of root-length .*power/,
    ],
    ['aggregation: {name: ./methods/root.ts, power: -1}', /my\.yaml:3 .*power: -1 — must be greater than 0/],
    ['aggregation: ./methods/rot.ts', /my\.yaml:3 .*no such file .*root\.ts/],
    ['credit_steps: [./methods/empty.ts]', /my\.yaml:3 .*it lacks id, options, create; add what is missing/],
  ])('is refused with its line: %s', async (line, message) => {
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
    const apply = async (name: string): Promise<() => unknown> => {
      const { stage, methods } = await open(`credit_steps: [./methods/${name}.ts]`, 'reward_timeout: 0.2');
      const { creditSteps } = createMethods(stage, methods);
      return () => creditSteps[0].part.apply([], {} as never); // it looks at nothing
    };
    expect(await apply('throws')).toThrow('method "bad" (methods/throws.ts): apply failed: TypeError: no (line 3)');
    expect(await apply('hangs')).toThrow(/apply gave nothing within 0\.2 s — it hangs or is too slow/);
  });
});
