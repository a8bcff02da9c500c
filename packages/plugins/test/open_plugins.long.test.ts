import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../src/config/dump.ts';
import type { RewardBatch } from '../../../src/rewards/reward_function.ts';
import { ADDITION } from '../../../test/cli/own_files.ts';
import { getReward, parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { type OpenedPlugins, openPlugins } from '../open_plugins.node.ts';

let opened: OpenedPlugins | undefined;
let announced: string[];

eachInOwnFolder();
beforeEach(() => {
  announced = [];
});

afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const LENGTHS = `export default { score: ({ completions }) => completions.map((text) => text.length) };
export const scaled = ({ scale }) => ({ score: ({ completions }) => completions.map((text) => scale * text.length) });\n`;
const lengths = { completions: ['a', 'bbb'], trainerState: { step: 0, progress: 0 } } as unknown as RewardBatch;

async function open(yaml: string, overrides: readonly string[] = [], directory = 'runs/one'): Promise<OpenedPlugins> {
  const file = 'configs/my.yaml';
  const loaded = parseConfig(`max_steps: 3\n${yaml}`, { file }, overrides);
  opened = await openPlugins(loaded, { file, directory, announce: (name) => announced.push(name) });
  return opened;
}

async function scores({ config, rewards }: OpenedPlugins): Promise<unknown[]> {
  const stage = config.stages[0];
  if (stage?.stage !== 'grpo' || rewards === 'unused') throw new Error('expected rewards');
  return Promise.all(
    stage.rewards.map(({ name, weight: _, ...options }) => getReward(name, options, rewards).score(lengths)),
  );
}

describe('openPlugins', () => {
  it('finds files from the folder of the config, and names them from the run directory', async () => {
    write('configs/rewards/lengths.mjs', LENGTHS);
    const { config, modules } = await open('task: sort_digits\nreward_funcs: [./rewards/lengths.mjs]');
    expect(resolvedYaml(config)).toContain('name: ../../configs/rewards/lengths.mjs');
    expect(Object.entries(modules)).toEqual([
      ['../../configs/rewards/lengths.mjs', expect.stringMatching(/^[0-9a-f]{64}$/)],
    ]);
    expect(announced).toEqual(['configs/rewards/lengths.mjs']);
  });

  it('hashes what a file imports as well: it decides the run as the file does', async () => {
    write('configs/mine.ts', "import { score } from './lib/score.js';\nexport default { score };\n");
    write(
      'configs/lib/score.ts',
      "import factors from '../factors.json';\nexport const score = ({ completions }) => completions.map(() => factors[1]);\n",
    );
    write('configs/factors.json', '[1, 2]');
    write('configs/bystander.ts', 'export default 1;');
    const yaml = 'task: sort_digits\nreward_funcs: [./mine.ts]';
    const before = (await open(yaml)).modules;
    await opened?.close();
    write('configs/factors.json', '[1, 3]');
    const after = (await open(yaml)).modules;
    const named = ['mine.ts', 'factors.json', 'lib/score.ts'].map((name) => `../../configs/${name}`);
    expect(Object.keys(after)).toEqual(named);
    expect(named.map((name) => before[name] === after[name])).toEqual([true, false, true]);
    expect(announced).toEqual(['configs/mine.ts', 'configs/mine.ts']);
  });

  it('opens what config.yaml of the run names again, to the same config', async () => {
    write('configs/rewards/lengths.mjs', LENGTHS);
    const { config } = await open('task: sort_digits\nreward_funcs: [./rewards/lengths.mjs]');
    await opened?.close();
    const file = 'runs/one/config.yaml';
    const again = parseConfig(resolvedYaml(config), { file });
    opened = await openPlugins(again, { file, directory: 'runs/one', announce: () => {} });
    expect(opened.config).toEqual(config);
    expect(await scores(opened)).toEqual([[1, 3]]);
  });

  it('finds files that are typed behind --set from where they are typed', async () => {
    write('lengths.mjs', LENGTHS);
    const plugins = await open('task: sort_digits', ['reward_funcs=[./lengths.mjs]']);
    expect(await scores(plugins)).toEqual([[1, 3]]);
  });

  it('makes each reward from its own export and options', async () => {
    write('configs/lengths.mjs', LENGTHS);
    const scaled = '{name: ./lengths.mjs, export: scaled, scale: 10, weight: 0.5}';
    const plugins = await open(`task: sort_digits\nreward_funcs: [./lengths.mjs, ${scaled}]`);
    expect(await scores(plugins)).toEqual([
      [1, 3],
      [10, 30],
    ]);
    expect(announced).toHaveLength(1);
  });

  it('refuses two rewards that would have one name', async () => {
    expect(() => parseConfig('task: t\nmax_steps: 1\nreward_funcs: [./a/x.ts, ./b/x.ts]', { file: 'my.yaml' })).toThrow(
      'x is listed twice; keep one',
    );
  });

  it('binds a task from a file to its knobs', async () => {
    write('configs/tasks/addition.ts', ADDITION);
    const { tasks, config } = await open('task: {name: ./tasks/addition.ts, max: 9}');
    const item = tasks.trainItem(0, 0);
    expect(item.prompt).toMatch(/^\d\+\d=$/);
    expect(tasks.verify(item, item.answer, { finishReason: 'eos' }).score).toBe(1);
    expect(tasks.name).toBe('addition');
    expect(config.tasks).toEqual([{ task: { name: '../../configs/tasks/addition.ts', max: 9 }, weight: 1 }]);
  });

  it('opens several tasks, and says what is wrong with each on its line', async () => {
    write('configs/tasks/addition.ts', ADDITION);
    const { tasks } = await open(
      'tasks: [{name: ./tasks/addition.ts, max: 9, weight: 2}, {name: sort_digits, level: 0}]',
    );
    expect(tasks.name).toBe('addition + sort_digits');
    await opened?.close();
    await expect(open('tasks:\n  - {name: sort_digits, digit: 3}\n  - {name: reverse_text, level: 9}')).rejects.toThrow(
      /^configs\/my.yaml:3 {2}tasks\.0\.digit: 3 — no such knob of .*\nconfigs\/my.yaml:4 {2}tasks\.1\.level: 9 — reverse_text has levels 0 to 2/,
    );
    await expect(open('tasks: [countdown, sort_digits]')).rejects.toThrow(
      /^configs\/my.yaml:2 {2}tasks: countdown, sort_digits — their vocabularies cannot be one/,
    );
  });

  it('does not load rewards that are not used', async () => {
    const file = 'configs/my.yaml';
    const loaded = parseConfig('task: sort_digits\nmax_steps: 1\nreward_funcs: [./nowhere.ts]', { file });
    opened = await openPlugins(loaded, { file, announce: () => {}, rewards: 'unused' });
    expect(opened.rewards).toBe('unused');
  });

  it('says everything that is wrong at once, in the order of the file', async () => {
    const wrong = open('reward_funcs: [acuracy, ./nowhere.ts]\ntask: {name: sort_digits, digit: 3}');
    await expect(wrong).rejects.toMatchObject({ code: 'invalid-config' });
    await expect(wrong).rejects.toThrow(
      /^.*:2 {2}reward_funcs: "acuracy".*\n.*:2 {2}reward_funcs\.1: .*\n.*:3 {2}task\.digit: 3/,
    );
  });

  it("has the words of a method of the user's where a run only answers: its weights have a row for each", async () => {
    write(
      'configs/think.ts',
      `import { replies, words } from 'rlvr-train/methods';
       const about = { does: 'A.', formula: 'a', source: 'own', certainty: 'own' };
       const uses = () => [words({ '<think>': 'Think.' }), replies(1)];
       export default { id: 'think', about, options: {}, uses, create: () => ({ rollOut: (asked, next) => next(asked) }) };`,
    );
    const file = 'configs/my.yaml';
    const yaml = 'max_steps: 3\ntask: sort_digits\nrollout_strategies: [./think.ts]\nreward_funcs: [./gone.ts]';
    const vocabulary = async (): Promise<readonly string[]> => {
      const announce = (name: string): void => {
        announced.push(name);
      };
      const { tasks, close } = await openPlugins(parseConfig(yaml, { file }), { file, announce, rewards: 'unused' });
      await close();
      return Array.from({ length: tasks.codec.vocabSize }, (_, id) => tasks.codec.tokenText(id));
    };
    const all = await vocabulary();
    expect(all.at(-1)).toBe('<think>');
    expect(announced).toEqual(['configs/think.ts']);
    rmSync('configs/think.ts'); // without it, a run whose method adds no word is answered as ever
    expect(await vocabulary()).toEqual(all.slice(0, -1));
  });

  it('tells a method that still has needs what they are called now', async () => {
    write(
      'configs/old.mjs',
      "export default { id: 'old', about: {}, options: {}, needs: () => ({}), create: () => ({}) };",
    );
    await expect(open('reward_funcs: [accuracy]\ntask: sort_digits\ncredit_steps: [./old.mjs]')).rejects.toThrow(
      'its default export has needs, which are called uses now; write uses: () => [ledger()]',
    );
  });
});
