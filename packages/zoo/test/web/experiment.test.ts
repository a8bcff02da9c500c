/** Links and YAML of the page: what a link carries is what the command line reads. */
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { RunConfig } from '../../../../src/config/run_config.ts';
import { parseConfig } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { linkOf, ofLink, ofPreset, PRESETS, readLink, yamlOf } from '../../../../web/src/experiment.ts';
import type { Recording } from '../../../web/recording.ts';
import { catalogue } from '../../catalogue/whole_catalogue.ts';

/** Those of the package's tasks: a visitor's own is no job of the command line. */
const PACKAGED = Object.keys(PRESETS).filter((name) => ofPreset(name).task !== 'yours');

describe.each(PACKAGED)('the preset %s', (name) => {
  it('is a job that the command line reads', () => {
    const { config } = parseConfig(yamlOf(ofPreset(name)), { file: name });
    expect(createTasks(config).name).toBe(ofPreset(name).task);
    expect(config.stages.at(-1)?.optimizer.maxSteps).toBe(ofPreset(name).steps);
  });

  it('shows an example that its task calls right', () => {
    const [prompt, answer] = PRESETS[name].example;
    const { config } = parseConfig(yamlOf(ofPreset(name)), { file: name });
    const { codec: tokenizer } = createTasks(config);
    expect(tokenizer.decode(tokenizer.encode(prompt))).toBe(prompt);
    expect(tokenizer.decode(tokenizer.encode(answer))).toBe(answer);
  });

  it('names a reward that fits its task', () => {
    const task = catalogue().tasks.find((candidate) => candidate.name === ofPreset(name).task);
    expect(task?.rewards).toContain(ofPreset(name).reward);
  });
});

it.each(Object.keys(PRESETS))('the preset %s is a link of one word, and comes back from it', (name) => {
  expect(linkOf(ofPreset(name))).toBe(`preset=${name}`);
  expect(ofLink(`#preset=${name}`)).toEqual(ofPreset(name));
});

/** Without what a run is watched by: how often, and on how many completions, it is evaluated. */
function trained(config: RunConfig) {
  const stages = config.stages.map((stage) => {
    const { evaluation: _, ...rest } = stage;
    return rest;
  });
  return { ...config, stages };
}

it.each(PACKAGED.filter((name) => existsSync(`configs/${name}.yaml`)))(
  'the preset %s trains as the config of that name does',
  (name) => {
    const file = `configs/${name}.yaml`;
    const shipped = parseConfig(readFileSync(file, 'utf8'), { file });
    expect(trained(parseConfig(yamlOf(ofPreset(name)), { file: name }).config)).toEqual(trained(shipped.config));
  },
);

const RECORDED = Object.entries(PRESETS).flatMap(([name, { recording }]) =>
  recording === undefined ? [] : [[name, recording] as const],
);

it.each(RECORDED)('the recording of %s is of its task, and small', (name, url) => {
  const bytes = readFileSync(url);
  const { task, seed, prompts, moments }: Recording & { readonly task: object } = JSON.parse(bytes.toString());
  expect(task).toMatchObject({ name: ofPreset(name).task, ...ofPreset(name).knobs });
  expect(seed).toBe(ofPreset(name).seed);
  expect(gzipSync(bytes).length).toBeLessThan(25_000);
  expect(prompts.length).toBeGreaterThanOrEqual(6);
  expect(moments.length).toBeGreaterThan(2);
  const seconds = moments.map((moment) => moment.seconds);
  expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
  for (const { answers } of moments) {
    expect(answers).toHaveLength(prompts.length);
    for (const { text, isRight, search } of answers) {
      expect(search?.tries.every(({ from, to }) => from < to && to <= text.length)).toBe(true);
      if (isRight) expect(search?.solution).toBeDefined();
    }
  }
});

it('a link carries every value that differs, and the seed', () => {
  const mine = { ...ofPreset('sort-digits'), seed: 7, rate: 3e-4, reward: 'accuracy', width: 96 };
  expect(ofLink(`#${linkOf(mine)}`)).toEqual(mine);
});

it('a link carries what is moved within the run, and when; what cannot be moved is left out, in words', () => {
  const moved = [
    { step: 0, settings: { temperature: 0.8 } },
    { step: 120, settings: { learning_rate: 3e-4, entropy_coef: 0 } },
  ];
  const mine = { ...ofPreset('sort-digits'), moved };
  expect(linkOf(mine)).toBe(
    'preset=sort-digits&at.0.temperature=0.8&at.120.learning_rate=0.0003&at.120.entropy_coef=0',
  );
  expect(ofLink(`#${linkOf(mine)}`)).toEqual(mine);
  for (const wrong of [
    'at.1.seed=3',
    'at.x.temperature=1',
    'at.1.temperature=',
    'at.1.temperature=-1',
    'at.1.max_steps=9',
  ]) {
    const { experiment, problems } = readLink(`#preset=sort-digits&${wrong}`);
    expect(experiment).toEqual(ofPreset('sort-digits'));
    expect(problems).toEqual([expect.stringContaining(wrong)]);
  }
});

it('a link carries the knobs that differ, of any type, and one of before its digits', () => {
  const mine = {
    ...ofPreset('countdown'),
    knobs: { ...ofPreset('countdown').knobs, answer: 'expression', allow_equals: true },
  };
  expect(linkOf(mine)).toBe('preset=countdown&knob.answer=expression&knob.allow_equals=true');
  expect(ofLink(`#${linkOf(mine)}`)).toEqual(mine);
  expect(ofLink('#preset=sort-digits&digits=3').knobs).toEqual({ digits: 3 });
  expect(parseConfig(yamlOf(mine), { file: 'link' }).config.tasks[0].task).toMatchObject(mine.knobs);
});

it('a link with nonsense in it is the preset', () => {
  expect(ofLink('#preset=nothing&steps=many&colour=blue&task=chess')).toEqual(ofPreset('sort-digits'));
});
