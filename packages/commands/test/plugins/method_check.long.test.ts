/** `methods check`: what is said of methods that are wrong, and of such that teach nothing; built-in ones are neither. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { printed } from '../../../../test/cli/printed.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { eachInOwnFolder } from '../../../../test/support/folders.ts';
import { blockOf } from '../../../../test/support/page_blocks.ts';
import { checkMethodCommand } from '../../own_files/check_method.ts';

eachInOwnFolder(() => void mkdirSync('methods'));
afterEach(() => {
  process.exitCode = undefined;
});

/** Writes a method of this part and says what a config names it by. */
function write(part: string, name = 'mine'): string {
  const about = "{ does: 'Tries.', formula: 'x', source: 'own', certainty: 'own' }";
  writeFileSync(
    `methods/${name}.mjs`,
    `const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
     export default { id: 'mine', about: ${about}, options: {}, create: () => (${part}) };`,
  );
  return `./methods/${name}.mjs`;
}

interface Checked {
  readonly findings: readonly string[];
  readonly warnings: readonly string[];
  readonly examples: readonly { readonly given: string; readonly gives: string }[];
  readonly msPerCompletion?: number;
  readonly point: string;
}

async function checkEntry(entry: string): Promise<Checked> {
  return JSON.parse(await printed(() => checkMethodCommand(entry, { task: 'chain_sum', json: true })));
}

const check = (part: string): Promise<Checked> => checkEntry(write(part));

const BUILT_IN = [
  ...['rloo', 'greedy', 'majority', 'sequence', 'cispo', 'tis', 'entropy-bonus', 'kl-loss', 'lp-reg', 'seq-mean'],
  ...['pos-weight', 'truncation-mask', 'sequence_token', 'sapo'],
];
it.each(fewOf(BUILT_IN, { quick: 3 }))('finds nothing wrong with %s', async (id) => {
  const { findings, warnings } = await checkEntry(id);
  expect([findings, warnings]).toEqual([[], []]);
});

const OF_REWARDS = (advantages: string): string =>
  `{ estimate: (groups) => groups.map(({ rollouts }) => { const rewards = rollouts.map(({ reward }) => reward); return { advantages: ${advantages} }; }) }`;
/** Every reward less the mean of the group, and 0 where there is none. */
const CENTRED =
  'Float32Array.from(rewards, (reward) => reward === null ? 0 : reward - mean(rewards.filter((other) => other !== null)))';

describe('it is an error for', () => {
  const refused: readonly [string, string, string][] = [
    [
      'an estimator that divides by the spread of equal rewards',
      OF_REWARDS(
        'Float32Array.from(rewards, (reward) => (reward - mean(rewards)) / Math.max(...rewards.map((other) => Math.abs(other - mean(rewards)))))',
      ),
      'estimate gave NaN at \\[2\\]\\.advantages\\[0\\] — give a finite number',
    ],
    [
      'one that throws on null',
      OF_REWARDS('rewards.map((reward) => reward.valueOf())'),
      'estimate failed: TypeError: Cannot read properties of null .*— correct it',
    ],
    [
      'one that gives too few',
      OF_REWARDS('rewards.slice(1)'),
      'gave a list of 7 at \\[0\\]\\.advantages — give a list of 8',
    ],
    [
      'one that draws by Math.random',
      OF_REWARDS('rewards.map(() => Math.random())'),
      'gives something else when it is asked again from the beginning — let it depend on its arguments',
    ],
    [
      'one that remembers without a state',
      '(() => { let seen = 0; return { estimate: (groups) => groups.map(({ rollouts }) => ({ advantages: rollouts.map(() => seen++) })), state: () => 0, restore() { seen = 0; } }; })()',
      'gives something else after a resume — let state',
    ],
    [
      'a credit step that writes into its groups',
      '{ apply: (groups) => { groups[0].advantages[0] = 5; return groups; } }',
      'writes into what it is given',
    ],
    [
      'a group step that leaves a group out',
      "{ scope: 'batch', apply: (groups) => groups.slice(1) }",
      'gave a list of 3 — give a list of 4 groups, one for each',
    ],
    [
      'a surrogate that is not finite',
      '{ at({ advantage }, out) { out.loss = Math.log(advantage); } }',
      'at left .* — set finite numbers',
    ],
    [
      'an estimator that gives 0 to all',
      OF_REWARDS('new Float32Array(rewards.length)'),
      '10 generation batches in a row without a live group',
    ],
    [
      'an aggregation that divides by 0 for one token',
      '(tokens) => 1 / (tokens - 1)',
      'gave Infinity — give a finite number',
    ],
  ];
  it.each(fewOf(refused, { quick: 3, all: 5 }))('%s', async (_, part, says) => {
    const { findings } = await check(part);
    expect(findings.join('\n')).toMatch(new RegExp(says));
  });
});

describe('a method is warned of', () => {
  const doubtful: readonly [string, string, string][] = [
    [
      'that reads null as 0',
      OF_REWARDS('Float32Array.from(rewards, (reward) => reward - mean(rewards))'),
      'gives an advantage to a completion without a reward (null)',
    ],
    [
      'that gives a list of numbers',
      OF_REWARDS(`[...${CENTRED}]`),
      'gives advantages as a list of numbers, where the types ask for a Float32Array',
    ],
    [
      'that turns advantages around',
      OF_REWARDS(`${CENTRED}.map((advantage) => -advantage)`),
      'gives a reward of 0 a larger advantage than one of 1 in the same group',
    ],
    [
      'whose slope is another than that of its loss',
      '{ at({ logRatio, advantage }, out) { out.loss = -Math.exp(logRatio) * advantage; out.slope = -advantage; } }',
      'sets a slope that is not the derivative of its loss by the log-ratio',
    ],
    [
      'that makes better completions less likely',
      '{ at({ logRatio, advantage }, out) { out.loss = Math.exp(logRatio) * advantage; out.slope = out.loss; } }',
      'makes better completions less likely: its loss rises with the ratio at an advantage of',
    ],
    [
      'whose term has a wrong derivative',
      "{ coupling: 'token', add: (all, gradients) => all.forEach(({ logprobs, coefficients }, i) => logprobs.forEach((logprob, t) => { gradients[i].losses[t] += coefficients[t] * logprob ** 2; gradients[i].dLogprobs[t] += coefficients[t] * logprob; })) }",
      'as dLogprobs where its loss has a slope of',
    ],
    [
      'whose term moves masked tokens',
      "{ coupling: 'token', add: (all, gradients) => all.forEach(({ logprobs }, i) => logprobs.forEach((logprob, t) => { gradients[i].losses[t] += logprob; gradients[i].dLogprobs[t] += 1; })) }",
      'adds to tokens whose coefficient is 0',
    ],
    [
      'whose ratio is not 1 on-policy',
      '{ measure: (_, out) => { out.fill(1); }, spread() {} }',
      'is not 1 where the policy is the one that sampled',
    ],
    ['whose weight turns a token around', '(tokens) => 2 - tokens', 'gives a weight of 0 or less'],
  ];
  it.each(fewOf(doubtful, { quick: 3, all: 5 }))('%s', async (_, part, says) => {
    const { findings, warnings } = await check(part);
    expect(findings).toEqual([]);
    expect(warnings.join('\n')).toContain(says);
  });
});

it('an estimator that keeps its contract is shown with null and equal rewards, and timed', async () => {
  const { findings, warnings, examples, msPerCompletion } = await check(OF_REWARDS(CENTRED));
  expect([findings, warnings]).toEqual([[], []]);
  expect(examples.map(({ given }) => given).join('\n')).toMatch(/1, 0\.25, 0[\s\S]*null[\s\S]*0\.5, 0\.5.*\(dead\)/);
  expect(msPerCompletion).toBeGreaterThan(0);
});

describe('the command', () => {
  it('finds nothing wrong with the estimator that docs/own_method.md writes, which centres each group on its median', async () => {
    writeFileSync('methods/median.ts', blockOf('docs/own_method.md', '// methods/median.ts'));
    const text = await printed(() => checkMethodCommand('./methods/median.ts', { task: 'chain_sum', json: true }));
    const { findings, warnings, point, examples } = JSON.parse(text);
    expect([findings, warnings, point]).toEqual([[], [], 'advantage_estimator']);
    // Of 1, 0.25, 0, 0.5, 0.75, 1, 0.25, 0: the median is (0.25 + 0.5) / 2.
    expect(examples[0].gives).toBe('advantages 0.625, -0.125, -0.375, 0.125, 0.375, 0.625, -0.125, -0.375');
    const scaled = JSON.stringify({ name: './methods/median.ts', scale: 2 });
    const twice = await printed(() => checkMethodCommand(scaled, { task: 'chain_sum', json: true }));
    expect(JSON.parse(twice).examples[0].gives).toMatch(/^advantages 1\.25, -0\.25,/);
  });

  it('tells the point by the part, tries it in four steps of a policy, and prints what it gives', async () => {
    const text = await printed(() => checkMethodCommand(write(OF_REWARDS(CENTRED)), { task: 'chain_sum' }));
    expect(text).toMatch(
      /^advantage_estimator {2}in 4 steps of a small policy on chain_sum\n {2}rewards 1, .* → {2}advantages 0\./,
    );
    expect(text).toMatch(/\n {2}reward [\d.]+, loss -?[\d.e-]+/);
    expect(text).toMatch(/mine\.mjs keeps what a method keeps; [\d.]+ µs per completion\n$/);
    expect(process.exitCode).toBeUndefined();
  });

  it.each<[string, string, string]>([
    [
      'prompt_source',
      '{ next: async (count, draw) => (await draw(count)).slice(1) }',
      'next gave a list of 3 — give a list of 4 problems',
    ],
    ['rollout_strategies', '{ rollOut: (requests, next) => next(requests) }', ''],
    ['rollout_strategies', '{ rollOut: () => 1 }', 'rollOut gave 1 — give a list of groups'],
    ['token_controls', '{ after: () => undefined }', ''],
    ['controllers', '{ afterStep: async () => { throw new Error("no"); } }', 'afterStep failed: Error: no'],
    ['evaluation_figures', '{ name: "solved", of: () => ({ mean: 0, low: 0, high: 1, count: 4 }) }', ''],
    ['evaluation_figures', '{ name: "solved", of: () => 1 }', 'of gave 1 — give {mean, low, high}'],
    ['token_weights', "{ coupling: 'token', weigh() {} }", ''],
    ['group_steps', "{ scope: 'group', apply: (groups) => groups }", ''],
  ])('at %s, what needs a policy is tried in a run: %s', async (point, part, says) => {
    const text = await printed(() => checkMethodCommand(write(part), { task: 'chain_sum', json: true }).catch(String));
    const result = JSON.parse(text || 'null');
    expect(result?.point).toBe(point);
    expect(result.findings.join('\n')).toContain(says);
    expect(process.exitCode).toBe(says === '' ? undefined : 1);
  });

  it('knows built-in methods by their ids, and refuses what is of no point', async () => {
    expect(await printed(() => checkMethodCommand('rloo', { task: 'gcd' }))).toContain(
      'rloo keeps what a method keeps',
    );
    await expect(checkMethodCommand('rlooo', { task: 'gcd' })).rejects.toThrow('no such method');
    await expect(checkMethodCommand(write('{ other: 1 }', 'other'), { task: 'gcd' })).rejects.toThrow(
      'create() gave an object with other — give a part as rlvr-train/methods has them',
    );
  });
});
