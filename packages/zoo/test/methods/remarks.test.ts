/** What methods say of each other before step 1: where it is shown, with which line, and that sound stages are silent. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { type Method, method } from '../../../../src/methods/method.ts';
import type { OwnMethods } from '../../../../src/methods/method_list.ts';
import type { CreditStep, GroupStep, PromptSource, RolloutStrategy } from '../../../../src/methods/points.ts';
import { missingCompanion } from '../../../../src/methods/remarks.ts';
import { METHOD_POINTS } from '../../../../src/methods/stage.ts';
import { key, number } from '../../../../src/options/keys.ts';
import { METHODS, openRun, parseConfig, remarksOn } from '../../../../test/support/everything.ts';
import { openSmallRun } from '../../../../test/support/small_runs.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { describeMethod } from '../../catalogue/catalogue.ts';

const HEAD = ['task: sort_digits', 'max_steps: 4'];

/** What is said of the stages of a config, a line each. */
function said(text: string, own: OwnMethods = {}): string[] {
  const { config, lineOf } = parseConfig(text, { file: 'my.yaml' });
  return config.stages.flatMap((stage, index) => {
    if (stage.stage !== 'grpo') return [];
    const remarks = remarksOn(stage, own);
    return remarks.map((remark) => `${remark.level} ${lineOf(index, remark)}`);
  });
}

/** Without what a method is meant to have beside it. */
const besidesCompanions = (lines: readonly string[]): string[] =>
  lines.filter((line) => !line.includes(' is meant to have '));

const of = (...lines: readonly string[]): string[] => said([...HEAD, ...lines].join('\n'));

describe('a combination that works, but is biased or without effect, is told with its line:', () => {
  it.each(
    /* biome-ignore format: a table */ [
      [['top_p: 0.9'], /^warning my\.yaml:3 {2}top_p: 0\.9 — completions come from a part of the policy/],
      [['top_k: 5'], /^warning my\.yaml:3 {2}top_k: 5 — .*gradient is biased; set vllm_importance_sampling_correction/],
      [['min_p: 0.1'], /^warning my\.yaml:3 {2}min_p: 0\.1 — /],
      [['vllm_importance_sampling_correction: true'],
        /^note my\.yaml:3 {2}vllm_importance_sampling_correction: tis — .*nothing to correct; leave it out\.$/],
      [['controllers: [{name: ref-reset, every: 3}]'],
        /^warning my\.yaml:3 {2}controllers\.0: ref-reset — no term reads/],
      [['entropy_coef: 0.1', 'sync_ref_model: true'], /^warning my\.yaml:4 {2}sync_ref_model: ref-sync — no term reads/],
      [['off_policy_mask_threshold: 0.1'],
        /^note my\.yaml:3 {2}off_policy_mask_threshold: opsm — every step is on fresh/],
      [['advantage_estimator: w-reinforce'], /^warning my\.yaml:3 {2}advantage_estimator: w-reinforce — punishing alone/],
      [['advantage_estimator: nsr'], /^warning my\.yaml:3 {2}advantage_estimator: nsr — .*; set beta/],
      [['credit_steps: [pos-weight]'], /^warning my\.yaml:3 {2}credit_steps\.0: pos-weight — punishing alone/],
      [['credit_steps: [sample-sign]'], /^warning my\.yaml:3 {2}credit_steps\.0: sample-sign — punishing alone/],
      [['credit_steps: [self-certainty]'], /^note my\.yaml:3 {2}credit_steps\.0: self-certainty — no reward is learned/],
      [['token_weights: [icepop]'], /^warning my\.yaml:3 {2}token_weights\.0: icepop — .*set top_p, top_k or min_p/],
      [['importance_sampling_level: none', 'num_iterations: 2'],
        /^warning my\.yaml:3 {2}importance_sampling_level: none/],
      [['objective: reinforce', 'num_iterations: 2'],
        /^warning my\.yaml:3 {2}objective: reinforce — .*use ppo-clip or topr/],
      [['objective: dcpo-clip', 'importance_sampling_level: sequence', 'num_iterations: 2'],
        /^warning my\.yaml:3 .*of a single token/],
      [['objective: pacs', 'reward_funcs: [accuracy, positions]'],
        /^warning my\.yaml:3 .*pacs — takes rewards as labels.*to 2/],
      [['epsilon: 0.4'], /^note my\.yaml ?.*objective: ppo-clip — every step .*, so its options change nothing; only further steps/],
      [['objective: pacs', 'advantage_estimator: rloo'], /^note my\.yaml:3 .*pacs — reads rewards, not advantages/],
      [['objective: drpo', 'advantage_estimator: rloo'],
        /^note my\.yaml:3 .*drpo — reads which completions are solved, not/],
      ...['kl-cov', 'hinge-kl', 'kl-sampler'].map((term): [string[], RegExp] => [
        [`loss_terms: [${term}]`],
        new RegExp(`^note my\\.yaml:3 {2}loss_terms\\.0: ${term} — every step is on fresh completions`),
      ]),
      [['reward_funcs: [ternary]'], /^warning my\.yaml:3 {2}reward_funcs: ternary — divided by the deviation/],
    ],
  )('%j', (lines, line) => {
    const found = besidesCompanions(of(...lines));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(line);
  });

  it.each(
    /* biome-ignore format: a list */ [
      [[]], [['top_p: 0.9', 'vllm_importance_sampling_correction: true']], [['controllers: [ref-reset]', 'beta: 0.1']],
      [['off_policy_mask_threshold: 0.1', 'num_iterations: 2']], [['epsilon: 0.4', 'num_iterations: 2']],
      [['epsilon: 0.2', 'epsilon_high: 0.2']], [['objective: {name: cispo, epsilon_high: 0.28}']],
      [['objective: {name: topr, topr_negative_max: 0.5}']],
      [['advantage_estimator: nsr', 'beta: 0.1']], [['advantage_estimator: nsr', 'credit_steps: [kl-reward]']],
      [['advantage_estimator: {name: w-reinforce, solved_weight: 1}']], [['advantage_estimator: psr']],
      [['credit_steps: [{name: pos-weight, positive_weight: 1}, {name: self-certainty, outcome_weight: 1}]']],
      [['credit_steps: [sample-sign]', 'beta: 0.1']],
      [['credit_steps: [{name: sample-sign, kept_sign: positive}]', 'loss_terms: [m-ratio]']], [['min_p: 0']],
      [['reward_funcs: [ternary]', 'scale_rewards: none']], [['reward_funcs: [accuracy, {name: ternary, weight: 0}]']],
      [['objective: topr', 'num_iterations: 2']],
      [['objective: pacs', 'reward_funcs: [{name: accuracy, weight: 0.5}, {name: positions, weight: 0.5}]']],
      [['loss_terms: [kl-cov, hinge-kl, kl-sampler]', 'num_iterations: 2']],
    ],
  )('and %j gives no reason to', (lines) => {
    expect(besidesCompanions(of(...lines))).toEqual([]);
  });

  it.each([
    ...[
      'cispo',
      'sapo',
      'vespo',
      'reinforce',
      'topr',
      'dual-clip',
      'gmpo',
      'dcpo-clip',
      'dppo-tv',
      'sq-log-ratio',
      'p-div',
    ].map((id) => [`objective: ${id}`, 'ppo-clip']),
    ...['sequence', 'sequence_token', 'none'].map((id) => [`importance_sampling_level: ${id}`, 'token']),
  ])(
    'and %s is said to give what %s gives where every ratio is 1, and not where others have sampled',
    (line, usual) => {
      const same = (...lines: readonly string[]) =>
        of(line, ...lines).filter((text) => text.includes(`so it gives what ${usual}`));
      expect(same()).toHaveLength(1);
      expect(same('rollout_strategies: [inject-reference]', 'num_iterations: 2')).toEqual([]);
    },
  );

  const CLIPPED = 'token_weights: [{name: opsm, off_policy_mask_threshold: 0.1}]';
  const HINGED = 'loss_terms: [hinge-kl]';
  it.each([
    'inject-reference',
    'temperature-mix',
    'answer-conditioned',
    'refine-inject',
    'success-replay',
    '{name: hint-resample, trained: unhinted}',
    '{name: minimal-hint-replace, trained: unhinted}',
  ])('and what acts off-policy is not called idle beside %s', (strategy) => {
    expect(of(`rollout_strategies: [${strategy}]`, CLIPPED, HINGED).join('\n')).not.toContain('fresh completions');
  });

  it.each(['verifree', '{name: hint-resample, trained: hinted}', 'refill'])('but it is beside %s', (strategy) => {
    const lines = of(`rollout_strategies: [${strategy}]`, CLIPPED, HINGED);
    expect(lines.filter((line) => line.includes('fresh completions'))).toHaveLength(2);
  });

  it.each([
    ['importance_sampling_level: none', 'no ratio corrects for what they were sampled with; use token, or leave'],
    ['objective: reinforce', 'nothing corrects for what they were sampled with; use ppo-clip or topr, or leave'],
  ])('and %s says what is off-policy, and why', (line, text) => {
    expect(of('rollout_strategies: [inject-reference]', line)).toEqual([
      expect.stringContaining(
        `completions of inject-reference are not the policy's own, and ${text} inject-reference out`,
      ),
    ]);
    const both = of('rollout_strategies: [replay-buffer]', line, 'num_iterations: 2');
    expect(both).toHaveLength(2);
    expect(both[0]).toContain('several steps are taken on the same completions');
  });

  it.each([
    ['objective: dpo-pairs', false],
    ['advantage_estimator: {name: reinforce-pp, kl_reward_coef: 0.1}', false],
    ['credit_steps: [kl-reward]', false],
    ['group_steps: [reward-transform]', true],
  ])('and a reference is moved in vain where nothing reads it: %s', (line, isInVain) => {
    const found = of('controllers: [ref-reset]', line);
    expect(found.some((text) => text.includes('no term reads the reference'))).toBe(isInVain);
  });

  it('for the stage that it is about', () => {
    const stages = ['stages:', '  - {stage: sft, max_steps: 1}', '  - stage: grpo', '    top_k: 3'];
    const [line] = said([...HEAD, ...stages].join('\n'));
    expect(line).toMatch(/^warning my\.yaml:6 {2}stages\.1\.top_k: 3 — /);
  });
});

const configs = readdirSync(new URL('../../../../configs', import.meta.url)).filter((file) => file.endsWith('.yaml'));

it.each(configs)('nothing is said of configs/%s', (file) => {
  expect(said(readFileSync(new URL(`../../../../configs/${file}`, import.meta.url), 'utf8'))).toEqual([]);
});

const picky: Method<unknown> = method({
  id: 'picky',
  about: { does: 'Tries.', formula: 'x', source: 'own', certainty: 'own' },
  options: {},
  conflict: (_, __, { batch }) =>
    batch.numGenerations % 2 === 1 ? 'halves a group; use an even num_generations' : undefined,
  warn: (_, { lossTerms }) => (lossTerms.length === 0 ? ['nothing holds the policy; set beta', 'second'] : undefined),
  create: (): CreditStep => ({ apply: (groups) => groups }),
});

const SMALL = `
task: {name: reverse_text, min_length: 2, max_length: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}
max_steps: 2
eval_strategy: "no"
credit_steps: [./picky.ts]
`;

describe("a user's method speaks as those of the package", () => {
  const methods = { './picky.ts': picky };

  it('in an event before step 1, in the metrics and in the summary: each text by itself', async () => {
    const run = await openSmallRun(await wasmBackend({ inline: true }), { yaml: SMALL, methods });
    const events: string[] = [];
    for await (const event of train(run)) {
      if (event.type === 'evaluation') break;
      if (event.type === 'diagnosis') events.push(`${event.diagnosis.code} ${event.diagnosis.message}`);
    }
    expect(events.slice(0, 2)).toEqual([
      'combination credit_steps: picky — nothing holds the policy; set beta.',
      'combination credit_steps: picky — second.',
    ]);
    const { watch } = run.journal.state;
    expect(watch.said.filter(({ code }) => code === 'combination')).toHaveLength(2);
    await run.engine.policy.close();
  });

  it('without the line of its file in the logs: a resume reads another file, and writes the same', async () => {
    const { config, lineOf } = parseConfig(SMALL, { file: 'my.yaml' });
    const run = await openRun(config, createTasks(config), await wasmBackend({ inline: true }), { methods, lineOf });
    expect(run.remarks[0].message).toMatch(/^my\.yaml:6 {2}credit_steps\.0: picky — nothing holds/);
    let said = '';
    for await (const event of train(run)) {
      if (event.type !== 'diagnosis') continue;
      said = event.diagnosis.message;
      break;
    }
    expect(said).toBe('credit_steps: picky — nothing holds the policy; set beta.');
    await run.engine.policy.close();
  });

  it('and refuses what it cannot do, when the run is opened', async () => {
    const odd = { yaml: `${SMALL}num_generations: 3\n`, methods };
    await expect(openSmallRun(await wasmBackend({ inline: true }), odd)).rejects.toThrow(
      'credit_steps: picky — halves a group; use an even num_generations.',
    );
  });
});

describe("a user's method is known by what it declares", () => {
  const about = { does: 'Tries.', formula: 'x', source: 'own', certainty: 'own' } as const;
  const heats: Method<unknown> = method({
    id: 'heats',
    about,
    options: { heat: key('heat', number({ min: 0, example: 1 }).default(0).describe('Heat.')) },
    samplesOffPolicy: ({ heat }) => heat > 0,
    create: (): RolloutStrategy => ({ rollOut: (requests, next) => next(requests) }),
  });
  const totals: Method<unknown> = method({
    id: 'totals',
    about,
    options: {},
    pays: { does: 'makes' },
    create: (): GroupStep => ({ scope: 'group', apply: (groups) => groups }),
  });
  const again: Method<unknown> = method({
    id: 'again',
    about,
    options: {},
    repeatsProblems: true,
    create: (): PromptSource => ({ next: (count, draw) => draw(count) }),
  });
  const guards: Method<unknown> = method({
    id: 'guards',
    about,
    options: {},
    holdsPolicy: true,
    create: (): CreditStep => ({ apply: (groups) => groups }),
  });
  const own = { './heats.ts': heats, './totals.ts': totals, './again.ts': again, './guards.ts': guards };
  const remarksWith = (...lines: readonly string[]) => said([...HEAD, ...lines].join('\n'), own);

  it.each([
    [['rollout_strategies: [./heats.ts]', 'off_policy_mask_threshold: 0.1'], /every step is on fresh/],
    [['rollout_strategies: [{name: ./heats.ts, heat: 1}]', 'importance_sampling_level: none'], /completions of heats/],
    [['group_steps: [./totals.ts, {name: reward-transform, reward: accuracy}]'], /which undoes totals before it/],
    [['advantage_estimator: sas'], /add few-shot-data or prefilter/],
    [['advantage_estimator: nsr'], /nothing holds it/],
  ])('%j is remarked on', (lines, text) => {
    expect(remarksWith(...lines)).toEqual([expect.stringMatching(text)]);
  });

  it.each([
    [['rollout_strategies: [{name: ./heats.ts, heat: 1}]', 'off_policy_mask_threshold: 0.1']],
    [['group_steps: [{name: reward-transform, reward: accuracy}, ./totals.ts]']],
    [['advantage_estimator: sas', 'prompt_source: ./again.ts']],
    [['advantage_estimator: nsr', 'credit_steps: [./guards.ts]']],
  ])('%j is not', (lines) => {
    expect(remarksWith(...lines)).toEqual([]);
  });
});

describe("keys of TRL's that change nothing here", () => {
  it('are taken, and noted with their line and the reason', () => {
    const { notes } = parseConfig([...HEAD, 'logging_steps: 10', 'bf16: true', 'run_name: null'].join('\n'), {
      file: 'trl.yaml',
    });
    expect(notes).toEqual([
      { place: 'trl.yaml:3', path: 'logging_steps', value: 10, text: 'every step is logged in the run directory' },
      { place: 'trl.yaml:4', path: 'bf16', value: true, text: 'all arithmetic is float32' },
    ]);
  });

  it('are refused where they ask for something else', () => {
    expect(() => parseConfig([...HEAD, 'fp16: true'].join('\n'), { file: 'trl.yaml' })).toThrow('trl.yaml:3  fp16');
  });
});

describe('what a method is meant to have beside it', () => {
  const all = METHOD_POINTS.flatMap((point) => METHODS[point].map((one: Method<unknown>) => ({ point, one })));
  const meant = all.flatMap(({ point, one }) => (one.companions ?? []).map((companion) => ({ point, one, companion })));
  const lineFor = (point: (typeof METHOD_POINTS)[number], one: Method<unknown>): string =>
    describeMethod(point, one).yaml[0];

  it.each(meant.map(({ point, one, companion }) => [one.id, companion.line, { point, one, companion }] as const))(
    '%s is said to be without %s, until that line is there',
    (_, line, { point, one, companion }) => {
      const own = lineFor(point, one);
      const lines = ['loss_type: null', own];
      const text = missingCompanion(companion);
      expect(of(...lines).filter((found) => found.includes(text))).toHaveLength(1);
      expect(of(...lines, line).filter((found) => found.includes(text))).toHaveLength(0);
      for (const id of companion.ids) expect(all.map(({ one: { id } }) => id)).toContain(id);
    },
  );
});
