/** Files of users that declare options as version 0.1 did: they work, and a note says what to write. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { optionsOf, START } from '../../../src/methods/settings.ts';
import { integer, number, optional } from '../../../src/options/keys.ts';
import { zodOf } from '../../../src/options/schemas.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { real, unset, whole } from '../../zoo/options/old_spellings.ts';
import { oldSpellingNotes } from '../module.node.ts';
import { openPlugins } from '../open_plugins.node.ts';

eachInOwnFolder();

describe('an option declared the old way', () => {
  it('reads values as the new spelling does', () => {
    const pairs = [
      [whole({ least: 1, most: 9, example: 2 }), integer({ min: 1, max: 9, example: 2 })],
      [real({ least: 0, below: 9, example: 2 }), number({ min: 0, below: 9, example: 2 })],
      [unset(whole({ least: 1, example: 2 })), optional(integer({ min: 1, example: 2 }))],
    ];
    for (const [old, now] of pairs) {
      for (const value of [-1, 0, 0.5, 1, 9, 10, null, 'x']) {
        expect(JSON.stringify(zodOf(old).safeParse(value))).toBe(JSON.stringify(zodOf(now).safeParse(value)));
      }
    }
  });
});

const METHOD = `import { key, method, unset,
  whole } from 'rlvr-train/methods';
export default method({
  id: 'root-length',
  about: { does: 'Tries.', formula: 'x', source: 'own', certainty: 'own' },
  options: {
    power: key('power', whole({ least: 1, most: 3, example: 2 }).default(2).describe('Of the length.')),
    most: key('most', unset(whole({ least: 1, example: 2 })).describe('Unused.')),
  },
  create: ({ power }) => (tokens, { completions }) => 1 / (completions * tokens ** power),
});`;

const PLACES =
  'write integer for whole (line 2), optional for unset (line 1), min for least (line 7), max for most (line 7)';
const NOTE = `root.ts spells options the old way, which the next version no longer takes: ${PLACES}`;

describe('a method of a user that spells options the old way', () => {
  const open = (option: string) => {
    writeFileSync('root.ts', METHOD);
    const yaml = `task: sort_digits\nmax_steps: 3\naggregation: {name: ./root.ts, power: ${option}}`;
    return openPlugins(parseConfig(yaml, { file: 'my.yaml' }), { file: 'my.yaml', announce: () => {} });
  };

  it('works, with one note that says what to write', async () => {
    const { notes, close } = await open('3');
    await close();
    expect(notes).toEqual([NOTE]);
  });

  it('still has its bounds', async () => {
    await expect(open('4')).rejects.toThrow(/my\.yaml:3 .*power: 4 — must be from 1 to 3/);
  });
});

describe('old spellings in a file', () => {
  const notesOn = async (text: string): Promise<readonly string[]> => {
    writeFileSync('mine.mjs', text);
    return oldSpellingNotes(join(process.cwd(), 'mine.mjs'));
  };

  it('are found behind a namespace, in a range of the new names, and in files that it imports', async () => {
    writeFileSync('shared.mjs', "const { real } = await import('rlvr-train/tasks');");
    const text =
      "import './shared.mjs';\nimport * as m from 'rlvr-train/rewards';\nm.whole({});\nm.integer({ most: 3 });";
    const start = 'spells options the old way, which the next version no longer takes: write';
    expect(await notesOn(text)).toEqual([
      `mine.mjs ${start} integer for whole (line 3), max for most (line 4)`,
      `shared.mjs ${start} number for real (line 1)`,
    ]);
  });

  it.each([
    ["import { integer } from 'rlvr-train/tasks';\nconst whole = (x) => x;\nwhole({ parts: 3 });"],
    ["import { whole } from './numbers.mjs';\nwhole({ least: 1 });"],
    ["import { wholeNumber } from 'rlvr-train/tasks';"],
    ["import { options } from 'rlvr-train/tasks';\noptions({ least: 3, most: 4 });"],
  ])('are not: %j', async (text) => {
    expect(await notesOn(text)).toEqual([]);
  });
});

describe('an option of a method that was renamed', () => {
  const strategy = (option: string) =>
    parseConfig(`task: sort_digits\nmax_steps: 3\nrollout_strategies: [{name: mcts, ${option}}]`, { file: 'my.yaml' });
  const weightIn = (option: string) => {
    const [stage] = strategy(option).config.stages;
    return stage?.stage === 'grpo' ? stage.methods.rolloutStrategies[0] : undefined;
  };

  it('is read by its old name, which the config keeps, so that its hash is what it was', () => {
    expect(weightIn('uncertainty_weight: 0.7')).toMatchObject({ uncertainty_weight: 0.7 });
    expect(weightIn('uncertainty_weight: 0.7')).not.toHaveProperty('entropy_weight');
    expect(weightIn('entropy_weight: 0.7')).toMatchObject({ entropy_weight: 0.7 });
    expect(weightIn('width: 2')).toMatchObject({ entropy_weight: 0.4 });
  });

  it('means the same by both names, and a note says which to write', async () => {
    const weights = ['uncertainty_weight', 'entropy_weight'].map((name) => {
      const { config, registries } = strategy(`${name}: 0.7`);
      const [stage] = config.stages;
      if (stage?.stage !== 'grpo') throw new RangeError('a stage of GRPO');
      return optionsOf(registries.methods, 'rolloutStrategies', stage.methods.rolloutStrategies[0]).at(START);
    });
    expect(weights[0]).toEqual(weights[1]);
    expect(weights[0]).toMatchObject({ entropyWeight: 0.7 });
    const { notes, close } = await openPlugins(strategy('uncertainty_weight: 0.7'), {
      file: 'my.yaml',
      announce: () => {},
    });
    await close();
    const remedy = 'is the old name, which the next version no longer takes: write entropy_weight';
    expect(notes).toEqual([`rollout_strategies.0.uncertainty_weight ${remedy}`]);
  });

  it('is refused under both names at once, and with a value out of its range', () => {
    expect(() => strategy('uncertainty_weight: 0.7, entropy_weight: 0.2')).toThrow('no such option of mcts');
    expect(() => strategy('uncertainty_weight: -1')).toThrow('rollout_strategies.0.uncertainty_weight: -1');
  });
});
