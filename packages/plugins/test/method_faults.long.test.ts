/**
 * Methods of a user's that are wrong, at each point, from a file and through a run: the message names method, file and what
 * was wrong, with the line where it threw, and the run has kept the step before.
 */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../../src/run/store/store.ts';
import { finish, YAML } from '../../../test/run/tiny_run.ts';
import { fewOf } from '../../../test/support/budget.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { openPlugins } from '../open_plugins.node.ts';

eachInOwnFolder();

/** Step 3 is the first that is wrong; `late` says whether it has come. */
const fileOf = (part: string): string => `let late = false;
export default {
  id: 'mine', about: { does: 'Tries.', formula: 'x', source: 'own', certainty: 'own' }, options: {},
  create: () => (${part}),
};`;

interface Failed {
  readonly message: string;
  readonly checkpoints: readonly string[];
}

/** Runs a config with one line that names the file; reward_timeout is short where the part hangs, so that it ends soon. */
async function failing(line: string, part: string, says: string): Promise<Failed> {
  writeFileSync('mine.mjs', fileOf(part));
  const yaml = `${YAML}\nreward_timeout: ${says.includes('nothing within') ? 1 : 60}\n${line}`;
  const loaded = parseConfig(yaml.replace('[mine]', '[accuracy]'), { file: 'my.yaml' });
  Object.assign(globalThis, { mineCalls: Number.NEGATIVE_INFINITY }); // nothing is wrong while it is tried before step 1
  const opened = await openPlugins(loaded, { file: 'my.yaml', announce: () => {} });
  Object.assign(globalThis, { mineCalls: 0 });
  const [method] = Object.values(opened.methods);
  const store = memoryStore();
  try {
    await finish({ store, yaml, methods: { './mine.mjs': method } });
    return { message: 'nothing was said', checkpoints: [] };
  } catch (error) {
    return { message: (error as Error).message, checkpoints: await store.list('checkpoints') };
  } finally {
    await opened.close();
  }
}

const STEP = 'late = step >= 2;';
const NAMED = 'method "mine" (mine.mjs): ';

/** At each point: the line of the config, the fault, the part, and what is said of it. */
// biome-ignore format: a table
const FAULTS: readonly (readonly [line: string, fault: string, part: string, says: string])[] = [
  ['advantage_estimator: ./mine.mjs', 'gives NaN',
    `{ estimate(groups, { step }) { ${STEP} return groups.map(() => ({ advantages: [late ? NaN : 1, -1] })); } }`,
    'estimate gave NaN at [0].advantages[0] — give a finite number'],
  ['advantage_estimator: ./mine.mjs', 'gives a wrong length',
    `{ estimate(groups, { step }) { ${STEP} return groups.map(() => ({ advantages: late ? [1] : [1, -1] })); } }`,
    'estimate gave a list of 1 at [0].advantages — give a list of 2'],
  ['advantage_estimator: ./mine.mjs', 'has no end',
    `{ estimate(groups, { step }) { ${STEP} while (late); return groups.map(() => ({ advantages: [1, -1] })); } }`,
    'estimate gave nothing within 1 s — it hangs or is too slow'],
  ['advantage_estimator: ./mine.mjs', 'throws',
    `{ estimate(groups, { step }) { ${STEP}\n if (late) undefined.x;\n return groups.map(() => ({ advantages: [1, -1] })); } }`,
    "estimate failed: TypeError: Cannot read properties of undefined (reading 'x') (line 5)"],
  ['group_steps: [./mine.mjs]', 'gives a reward that is no number',
    `{ scope: 'batch', apply(groups, { step }) { ${STEP} return !late ? groups : groups.map((group) => ({ ...group, rollouts: group.rollouts.map((one) => ({ ...one, reward: NaN })) })); } }`,
    'apply gave NaN at [0].rollouts[0].reward — give a finite number or null'],
  ['group_steps: [./mine.mjs]', 'loses groups',
    `{ scope: 'batch', apply(groups, { step }) { ${STEP} return late ? groups.slice(1) : groups; } }`,
    'apply gave a list of 1 — give a list of 2 groups, one for each'],
  ['group_steps: [./mine.mjs]', 'throws',
    `{ scope: 'group', apply(groups, { step }) { ${STEP}\n if (late) throw new Error('no'); return groups; } }`,
    'apply failed: Error: no (line 5)'],
  ['credit_steps: [./mine.mjs]', 'has no end', `{ apply(groups, { step }) { ${STEP} while (late); return groups; } }`,
    'apply gave nothing within 1 s'],
  ['importance_sampling_level: ./mine.mjs', 'writes no number',
    `{ measure(_, logRatios, context) { logRatios.fill(calls++ > 8 ? NaN : 0); }, spread(_, slopes, out) { slopes.forEach((x, t) => { out[t] += x; }); } }`.replace(
      'calls++',
      'globalThis.mineCalls++',
    ),
    'measure left NaN at [0] — leave a finite number'],
  ['objective: ./mine.mjs', 'leaves no number',
    '{ at({ logprob }, out) { out.loss = 0; out.slope = globalThis.mineCalls++ > 30 ? NaN : 0; out.logprobSlope = 0; } }',
    'at left { loss: 0, slope: NaN, logprobSlope: 0 } for {'],
  ['objective: ./mine.mjs', 'has no end',
    '{ at(point, out) { while (globalThis.mineCalls++ > 30); out.loss = 0; out.slope = 1; out.logprobSlope = 0; } }',
    'at gave nothing within 1 s'],
  ['token_weights: [./mine.mjs]', 'turns the loss around',
    `{ coupling: 'token', weigh(sequences, all, { step }) { ${STEP} if (late) all[1].weights[0] = -1; } }`,
    'weigh left -1 at [1].weights[0] — leave a number of 0 or more'],
  ['loss_terms: [./mine.mjs]', 'adds no number',
    `{ coupling: 'token', add(sequences, gradients, { step }) { ${STEP} if (late) gradients[0].dLogprobs[1] = Infinity; } }`,
    'add left Infinity at [0].dLogprobs[1] — leave a finite number'],
  ['loss_terms: [./mine.mjs]', 'throws',
    `{ coupling: 'token', add(sequences, gradients, { step }) { ${STEP}\n if (late) throw new Error('no'); } }`,
    'add failed: Error: no (line 5)'],
  ['aggregation: ./mine.mjs', 'gives no number', '(tokens) => (globalThis.mineCalls++ > 6 ? NaN : 1 / tokens)',
    'create() gave NaN — give a finite number'],
  ['token_controls: [./mine.mjs]', 'throws',
    "{\n after(tokens) { if (globalThis.mineCalls++ > 30) throw new Error('no'); } }",
    'after failed: Error: no (line 5)'],
];

describe("a user's method", () => {
  it.each(fewOf(FAULTS, { quick: 4, all: 8 }))(
    'at %s that %s is named, and the run is saved',
    async (line, _, part, says) => {
      const { message, checkpoints } = await failing(line, part, says);
      expect(message).toContain(NAMED + says);
      expect(checkpoints).toHaveLength(1);
    },
  );

  it.each([
    ['99', "99 — give 'stop', or a list of token ids from 0 to"],
    ['-1', '-1 — give'],
    ['0.5', '0.5 — give'],
  ])('that puts in the token %s, which there is not, is named before it is read', async (token, says) => {
    const { message } = await failing('token_controls: [./mine.mjs]', `{ after: () => [${token}] }`, says);
    expect(message).toContain(`method "mine": after gave ${says}`);
  });

  it.each(
    /* biome-ignore format: a table */ [
      ['throws', "{ async afterStep(_, { step }) {\n if (step === 3) throw new Error('no'); } }",
        'afterStep failed: Error: no (line 5)'],
      ['waits for what never comes',
        '{ afterStep: (_, { step }) => step < 3 ? Promise.resolve() : new Promise(() => {}) }',
        'afterStep gave nothing within 1 s'],
      ['has no end', '{ async afterStep(_, { step }) { while (step === 3); } }', 'afterStep gave nothing within 1 s'],
      ['sets what there is not', "{ async afterStep(_, levers) { levers.set('momentum', 1); } }",
        'afterStep failed: RangeError: '],
    ],
  )('as a controller that %s is named; its run goes on from the last checkpoint', async (_, part, says) => {
    const { message } = await failing('controllers: [./mine.mjs]', part, says);
    expect(message).toContain(NAMED + says);
  });
});
