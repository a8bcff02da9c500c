import { afterEach, describe, expect, it, vi } from 'vitest';
import { POINT_KEYS } from '../../../src/config/keys/method_keys.ts';
import { METHOD_POINTS } from '../../../src/methods/stage.ts';
import {
  builtInRewards,
  DEMONSTRATIONS,
  METHODS,
  parseConfig,
  registeredTasks,
} from '../../../test/support/everything.ts';
import { type Catalogue, EXAMPLE_REWARDS } from '../../zoo/catalogue/catalogue.ts';
import { cataloguePage } from '../../zoo/catalogue/catalogue_page.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';
import { listCommand } from '../actions/list.ts';

function listed(name?: string, options: Parameters<typeof listCommand>[1] = {}): string {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  listCommand(name, options);
  return text;
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('the list names every task, reward and method, and each of their options', () => {
  const { tasks, rewards, methods } = catalogue();
  expect(tasks.map(({ name }) => name)).toEqual([...Object.keys(registeredTasks), 'openenv', 'dataset', 'sessions']);
  expect(rewards.map(({ name }) => name)).toEqual(Object.keys(builtInRewards));
  const known = [...Object.values(METHODS).flat(), ...DEMONSTRATIONS];
  expect(methods.map(({ name }) => name)).toEqual(known.map(({ id }) => id));
  const page = cataloguePage(catalogue());
  for (const { name, options } of [...tasks, ...rewards]) {
    expect(page).toContain(`### ${name}\n`);
    for (const option of options) expect(page).toContain(`| \`${option.name}\` |`);
  }
  for (const { name } of methods) expect(page).toContain(`| [${name}](methods/${name}.md) |`);
});

describe('the YAML that is listed', () => {
  const { tasks, rewards, methods } = catalogue();
  const read = (...lines: string[]) => parseConfig([...lines, 'max_steps: 10'].join('\n'), { file: 'a' }).config;

  it.each(tasks.flatMap(({ name, yaml }) => yaml.map((line) => ({ name, line }))))(
    'asks for $name: $line',
    ({ name, line }) => {
      expect(read(line).tasks.map(({ task }) => task.name)).toEqual([name]);
    },
  );

  it.each(rewards.flatMap(({ name, yaml }) => yaml.map((line) => ({ name, line }))))(
    'asks for $name: $line',
    ({ name, line }) => {
      const [stage] = read('task: countdown', line).stages;
      expect(stage).toMatchObject({ rewards: [{ name }] });
    },
  );

  const lines = methods.flatMap((method) => method.yaml.map((line) => ({ ...method, line })));
  it.each(lines.filter(({ stage }) => stage === 'sft'))('asks for $name: $line', ({ name, point, line }) => {
    const [stage] = read('task: guess_number', `stages: [{stage: sft, max_steps: 2, ${line}}]`).stages;
    expect(stage).toMatchObject({ [point]: { name } });
  });

  it.each(lines.filter(({ stage }) => stage === 'grpo'))('asks for $name: $line', ({ name, point, line }) => {
    const [stage] = read('task: countdown', line, EXAMPLE_REWARDS).stages;
    const its = METHOD_POINTS.find((one) => POINT_KEYS[one].yaml === point) ?? '';
    expect(stage).toMatchObject({ methods: { [its]: [expect.objectContaining({ name })] } });
  });

  it('says which method a stage has that names none', () => {
    const [stage] = read('task: countdown').stages;
    const usual = methods.filter(({ isDefault }) => isDefault).map(({ name }) => name);
    const used = Object.values(stage.stage === 'grpo' ? stage.methods : {}).flatMap((some) =>
      some.map(({ name }) => name),
    );
    expect(used).toEqual(usual);
  });
});

describe('rlvr-train list', () => {
  it('shows a task with its example, levels, and knobs, what they take and their defaults', () => {
    const text = listed('countdown');
    expect(text).toContain('numbers  How many numbers. (whole number from 2 to 4; default 3)');
    expect(text).toContain('train_max_number');
    expect(text).toContain('may be left out');
    expect(text).toContain('level 0  numbers: 2\n  level 1  the defaults\n  level 2  numbers: 4\n');
    expect(text).toContain('task: {name: countdown, level: 0}');
    expect(text).not.toContain('sort_digits');
  });

  it("shows a method with its point, formula, source, options, and the YAML to write, TRL's too", () => {
    expect(listed('length-mask')).toContain('credit_steps: [{name: length-mask, max_tokens: 24}]\n');
    expect(listed('kl-loss')).toMatch(
      / {2}YAML, one of\n {4}loss_terms: \[\{name: kl-loss, beta: 0\.001\}\]\n {4}loss_terms: \[\{.*kl_estimator: k3.*\n {4}beta: 0\.001\n/,
    );
    expect(listed('cispo')).toContain('loss_type: cispo');
    expect(listed('cispo')).toContain('options, also as keys of the stage');
    expect(listed('cispo')).toContain('formula  −sg(min(r, epsilon_high))·A·log π\n  source   arXiv:2506.13585\n');
    expect(listed('ref-reset')).toContain('after arXiv:2505.24864');
    expect(listed('stream')).toContain('point    prompt_source, whose default it is');
  });

  it('shows all names alone, and the options of a group or of a point by name', () => {
    expect(listed()).toContain('soft_overlong');
    expect(listed()).not.toContain('takes max_tokens');
    expect(listed('rewards')).toContain('takes max_tokens, cache');
    expect(listed('tasks')).toContain('algorithmic; tier 1; levels 0 to 2; takes digits');
    expect(listed('methods')).toContain('the default; takes epsilon, epsilon_high, delta');
    expect(listed('credit_steps')).toContain('length-mask');
    expect(listed('credit_steps')).not.toContain('cispo');
  });

  it('breaks lines between words where the terminal is narrow', () => {
    const { columns } = process.stdout;
    process.stdout.columns = 60;
    try {
      for (const line of listed('countdown').split('\n')) expect(line.length, line).toBeLessThanOrEqual(60);
    } finally {
      process.stdout.columns = columns;
    }
  });

  it('gives as JSON what it shows', () => {
    const json = (name?: string): Catalogue => JSON.parse(listed(name, { json: true }));
    expect(json()).toEqual(JSON.parse(JSON.stringify(catalogue())));
    const [cispo] = json('cispo').methods;
    expect(cispo).toMatchObject({ name: 'cispo', point: 'objective', certainty: 'paper', isDefault: false });
    expect(json('cispo')).toMatchObject({ tasks: [], rewards: [] });
  });

  it('refuses another name with the nearest one', () => {
    expect(() => listed('contdown')).toThrow('contdown — no such task, reward or method; did you mean "countdown"?');
  });
});
