/** Every key of a config is explained, by the command and on the page of all keys. */

import { readFileSync } from 'node:fs';
import { distance } from 'fastest-levenshtein';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../../../src/run/store/store.ts';
import { finish, metricsOf, YAML } from '../../../test/run/tiny_run.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { keyPlaces, knownKeys, refusedKeys } from '../../zoo/catalogue/key_facts.ts';
import { keysPage, metricsPage } from '../../zoo/catalogue/made_pages.ts';
import { METRIC_FACTS, metricFacts } from '../../zoo/catalogue/metric_facts.ts';
import { configJsonSchema } from '../../zoo/catalogue/schema.ts';
import { screenWord, screenWords } from '../../zoo/catalogue/screen_words.ts';
import { type TrlKeys, trlTable } from '../../zoo/catalogue/trl_table.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';
import { UNSUPPORTED_TRL_KEYS } from '../../zoo/elsewhere/trl_keys.ts';
import { explainCommand, nameFacts } from '../actions/explain.ts';

let out = '';
afterEach(() => {
  vi.restoreAllMocks();
  out = '';
});

function thrown(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function explained(...names: readonly string[]): string {
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  explainCommand(names, {});
  return out;
}

/** The texts that a pattern finds in a source, each with its `group`. */
function wordsIn(path: string, pattern: RegExp): string[] {
  const found = [...readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8').matchAll(pattern)];
  expect(found.length, path).toBeGreaterThan(2);
  return found.map(([, word]) => word);
}

/** What is printed or shown as the name of a figure, a part, a state or a column, as its source has it. */
function printedWords(): string[] {
  const live = 'packages/commands/display/live';
  const [head = ''] = wordsIn('packages/commands/actions/runs.ts', /const head = \[(.*)\]|print\((.*)\)/g);
  return [
    ...wordsIn(`${live}/frame.ts`, /figure\('([^']+)'/g),
    ...wordsIn(`${live}/frame.ts`, /^ {2}\w+: '([^']+)',$/gm),
    ...wordsIn(`${live}/help.ts`, /^ {2}'([a-z][a-z-]+(?: [a-z]+)?) {2,}/gm),
    ...[...head.matchAll(/'(\w+)'/g)].map(([, word]) => word),
    ...wordsIn('packages/commands/actions/runs.ts', /^ {2}(\w+): '(?:green|reset|yellow|red)'/gm),
    ...wordsIn('src/cli/display/reporter.ts', /colors\.bold\('(\w+)'\)/g),
    ...wordsIn('src/cli/display/reporter.ts', /(?:print\(`|return \[` {2})([a-z]+(?: it)?) {2,}/g),
    ...wordsIn('src/run/summary.ts', /^ {2}readonly (\w+): /gm),
    ...wordsIn('src/methods/records.ts', /^ {2}(sft|rollout|verify|update|eval): number;/gm),
    ...wordsIn('src/rewards/verdict.ts', /'(correct|incorrect|invalid|truncated)'/g),
    ...wordsIn('src/diagnostics/diagnostic.ts', /'(note|warning|stop|withdrawn)'/g),
    ...wordsIn('packages/report/page/panels.ts', /title: '([^']+)'/g),
    ...wordsIn('packages/report/fleet.ts', /figure\('([^']+)'/g),
    ...wordsIn('packages/report/said.ts', /'([A-Z][a-z]+(?: [a-z]+)+)'/g),
    ...wordsIn('packages/compare/compare.ts', /share\(['`]([^'`]+)['`]/g).map((name) => name.replace(/\$\{\w+\}/, '4')),
    ...METRIC_FACTS.map(({ name }) => name),
  ];
}

describe('explain', () => {
  it('knows every word that the screen, the pages and the messages print', () => {
    const words = [...new Set(printedWords())];
    expect(words.length).toBeGreaterThan(150);
    expect(words.filter((word) => nameFacts(word) === undefined)).toEqual([]);
  });

  it('explains each of its own words', () => {
    expect(screenWords().length).toBeGreaterThan(100);
    expect(screenWords().filter((word) => screenWord(word) === undefined)).toEqual([]);
  });

  it.each(['vlmm', 'MATHS', 'xgboost', 'l', 'wand'])('suggests for %s nothing farther than a third of it', (name) => {
    expect(() => explained(name)).toThrow(/no such key/);
    const [, near] = /did you mean "(.+)"\?/.exec(String(thrown(() => explained(name)))) ?? [];
    if (near !== undefined)
      expect(distance(near.toLowerCase(), name.toLowerCase())).toBeLessThanOrEqual(name.length / 3);
  });

  it('knows the words of the screen, and answers what it can before it asks about the rest', () => {
    expect(explained('dead groups')).toContain('Share of dead groups');
    expect(explained('dead')).toContain('frac_reward_zero_std');
    out = '';
    expect(() => explained('learnig_rate', 'epsilon_high')).toThrow('did you mean "learning_rate"?');
    expect(out).toContain('epsilon_high');
  });

  it('knows every key at the top of a config, and every option', () => {
    const { properties } = configJsonSchema() as { readonly properties: Readonly<Record<string, unknown>> };
    const own = Object.keys(properties).filter((key) => !['model', 'stages'].includes(key));
    expect(own.length).toBeGreaterThan(80);
    expect(knownKeys()).toEqual(expect.arrayContaining(own));
  });

  it('has a text for every key and every option, and a reason for each that is not here', () => {
    const { tasks, rewards, methods } = catalogue();
    const options = [...tasks, ...rewards, ...methods].flatMap((owner) => owner.options);
    for (const { name, text } of [...keyPlaces().flatMap(({ keys }) => keys), ...options]) {
      expect(text, name).toMatch(/\w{3,}.*\.$/s);
    }
    for (const { name, because } of refusedKeys()) expect(because, name).toMatch(/; |^environment/);
  });

  it('tells a key that two kinds of stages have of each', () => {
    const text = explained('learning_rate');
    expect(text).toMatch(/default 2e-5; for example 0\.002\n {2}In a stage with stage: sft\./);
    expect(text).toMatch(/default 1e-6; for example 0\.0003\n {2}In a stage with stage: grpo/);
  });

  it('tells an option that methods share with the stage once', () => {
    const text = explained('epsilon');
    expect(text.match(/clipped below/g)).toHaveLength(1);
    expect(text).toMatch(/In a stage with stage: grpo, or at the top .*\. Of the methods ppo-clip, dual-clip,/);
    expect(text).toContain('methods show ppo-clip');
  });

  it('tells a key of the config before an option of the same name', () => {
    const text = explained('beta');
    const [key, reward] = ['Of the method kl-loss', 'Of the reward op-curiosity'].map((of) => text.indexOf(of));
    expect(key).toBeGreaterThan(0);
    expect(reward).toBeGreaterThan(key);
  });

  it.each(['beta', 'until', 'eval_steps', 'kl_estimator'])('says of %s that it may stand at the top', (name) => {
    expect(explained(name)).toContain('In a stage with stage: grpo, or at the top of the file for all of them.');
  });

  it('says so truly', () => {
    const yaml = 'task: sort_digits\nmax_steps: 9\nbeta: 0.1\nuntil: reward >= 0.9\neval_steps: 7\nkl_estimator: k2\n';
    const { config } = parseConfig(`${yaml}stages: [{stage: grpo}, {stage: grpo}]`, { file: 'inline' });
    const alike = {
      evaluation: { evalSteps: 7 },
      methods: { controllers: [{ name: 'until' }], lossTerms: [{ name: 'kl-loss', beta: 0.1, kl_estimator: 'k2' }] },
    };
    expect(config.stages).toMatchObject([alike, alike]);
  });

  it('writes a default as a config would', () => {
    expect(explained('reward_funcs')).toContain('text or list; default [{name: accuracy}]; for example');
  });

  it("says why a key of TRL's is not here", () => {
    expect(explained('use_vllm')).toContain('not here: rollouts run in the same engine as the update');
  });

  it('knows every number that a run logs, and what logs the others', async () => {
    const store = memoryStore();
    const stages =
      'stages: [{stage: sft, max_steps: 1}, {stage: grpo, max_steps: 2, beta: 0.1, credit_steps: [kl-reward]}]';
    await finish({ store, yaml: YAML.replace('max_steps: 4', stages) });
    const logged = new Set((await metricsOf(store)).flatMap((line) => Object.keys(line as object)));
    expect(logged.size).toBeGreaterThan(45);
    const texts = [...logged].map((name) => (metricFacts(name) ? '' : explained(name)));
    const others = [...logged].filter((_, i) => texts[i] !== '');
    expect(others.filter((name) => !name.startsWith('kl-reward/'))).toEqual([]);
    expect(out).toContain('Logs it: npx --no-install rlvr-train methods show kl-reward');
  });

  it('says of no key that it is a metric, too, for looking like one', () => {
    expect(explained('eval_temperature')).not.toContain('metrics.jsonl');
    expect(explained('learning_rate')).toContain('In metrics.jsonl');
  });

  it('explains metrics, methods, tasks, rewards, points and diagnoses by their names', () => {
    expect(explained('reward_std')).toContain('In metrics.jsonl, steps of grpo: docs/reference/metrics.md');
    expect(explained('rewards/accuracy/mean')).toContain('as rewards/<reward>/mean');
    expect(explained('kl')).toContain('divergence from the reference');
    expect(explained('eval_pass@4_low')).toContain('Lower bound');
    expect(explained('eval_worst_of@4')).toContain('as eval_<figure>');
    expect(explained('eval_search/repeats')).toContain('m-search');
    expect(explained('cispo')).toContain('A method (objective): ');
    expect(explained('sort_digits')).toContain('tasks show sort_digits');
    expect(explained('soft_overlong')).toContain('A reward: ');
    expect(explained('all-dead')).toContain('docs/diagnostics.md#all-dead');
  });

  it('refuses a name that is no key, with the nearest', () => {
    expect(() => explained('epsilonhigh')).toThrow('epsilonhigh — no such key; did you mean "epsilon_high"?');
    expect(() => explained('reward_sdt')).toThrow('did you mean "reward_std"?');
    expect(() => explained('xyzzyplugh')).toThrow(
      'no such key, metric, method, reward or task; docs/reference/keys.md and',
    );
    expect(() => explained('RiskP0')).toThrow('did you mean "RiskPO"?');
    expect(() => explained('golden', 'gose')).toThrow('did you mean "Golden Goose"?');
  });

  it('says of a published system what it proposes, what of it is here, and lines of a config', () => {
    const text = explained('riskpo');
    expect(text).toMatch(
      /A method \(advantage_estimator\): [\s\S]*\n\nRiskPO {2}a published system, https:\/\/arxiv.org\/abs\/2510/,
    );
    expect(text).toContain('  run here: riskpo.');
    expect(text).toContain('\n\n    advantage_estimator: {name: riskpo, prompts_per_bundle: 5}\n');
    expect(text).toContain('--config systems/riskpo');
  });

  it('knows systems by each of their names, of one word or several, and methods by their other names', () => {
    expect(explained('golden', 'goose')).toContain('--config systems/golden-goose');
    expect(explained('brpo')).toContain('Writing-Zero / BRPO');
    expect(explained('tau2-bench')).toContain('  run here: state_db');
    expect(explained('spa-rl')).toContain('Missing: progress-head');
    expect(explained('dapo')).toContain('The method refill: ');
    expect(explained('REINFORCE++')).toContain('methods show reinforce-pp');
    expect(explained('TinyZero')).toContain('tasks show countdown');
    out = '';
    const byNumber = explained('https://arxiv.org/abs/2504.16084v3', '2510.00911');
    expect(byNumber).toContain('methods show majority');
    expect(byNumber).toContain('RiskPO  a published system');
    out = '';
    expect(explained('spark').match(/a published system/g)).toHaveLength(2);
    expect(explained('toolathlon')).toContain('Nothing to build: a benchmark of real apps.');
  });
});

const trl = JSON.parse(readFileSync(new URL('../../../test/golden/trl_keys.json', import.meta.url), 'utf8')) as TrlKeys; // written by make_trl_keys.py

it('the page of metrics has a row of each', () => {
  const page = metricsPage();
  expect(METRIC_FACTS.filter(({ name }) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});

it('the page of keys has a row of each, at each place where it may stand', () => {
  const page = keysPage(trl);
  for (const { title, keys } of keyPlaces()) {
    const [, rest = ''] = page.split(`\n## ${title}\n`);
    const [section] = rest.split('\n## ');
    expect(keys.filter(({ name }) => !section.includes(`| \`${name}\` |`))).toEqual([]);
  }
});

it("the page of keys has a row of every key of TRL's that a config may have", () => {
  const names = [trl.defaults, ...Object.values(trl.others), UNSUPPORTED_TRL_KEYS].flatMap(Object.keys);
  const rows = trlTable(trl).split('\n');
  expect(names.filter((name) => !rows.some((row) => row.startsWith(`| \`${name}\` |`)))).toEqual([]);
  expect(rows.find((row) => row.startsWith('| `epsilon` |'))).toContain('| the same: ');
  expect(rows.find((row) => row.startsWith('| `eval_steps` |'))).toContain('sft: Default 500');
  expect(rows.find((row) => row.startsWith('| `save_steps` |'))).toContain('use save_seconds');
});
