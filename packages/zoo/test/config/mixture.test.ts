/** A mixture is another way to write several tasks; its mistakes are shown where they are written. */
import { expect, it } from 'vitest';
import { resolvedYaml } from '../../../../src/config/dump.ts';
import { parseConfig } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';

const of = (task: string) => parseConfig(`max_steps: 1\ntask: ${task}\n`, { file: 'run.yaml' }).config;

const MIXTURE =
  '{name: mixture, parts: [{task: chain_sum, level: 1, weight: 2}, {task: gcd}, lcm, {task: ./mine.ts, max: 9}]}';

it('a mixture is its parts, each with its level, knobs and weight', () => {
  const { tasks } = of(MIXTURE);
  expect(tasks).toEqual([
    { task: { name: 'chain_sum', level: 1 }, weight: 2 },
    { task: { name: 'gcd' }, weight: 1 },
    { task: { name: 'lcm' }, weight: 1 },
    { task: { name: './mine.ts', max: 9 }, weight: 1 },
  ]);
  const written =
    'tasks: [{name: chain_sum, level: 1, weight: 2}, gcd, lcm, {name: ./mine.ts, max: 9}]\nmax_steps: 1\n';
  expect(parseConfig(written, { file: 'run.yaml' }).config.tasks).toEqual(tasks);
  expect(parseConfig(resolvedYaml(of(MIXTURE)), { file: 'again.yaml' }).config).toEqual(of(MIXTURE));
});

it('its parts have one vocabulary, share the split of a family, and are drawn as their weights say', () => {
  const mixed = createTasks(of('{name: mixture, parts: [{task: chain_sum, weight: 3}, {task: gcd, level: 2}]}'));
  const drawn = Array.from({ length: 2000 }, (_, index) => mixed.trainItem(7, index));
  const sums = drawn.filter(({ task }) => task === 'chain_sum').length;
  expect(Math.abs(sums - 1500)).toBeLessThan(4 * Math.sqrt(2000 * 0.75 * 0.25));
  for (const item of drawn.slice(0, 50)) {
    expect(mixed.codec.decode(mixed.promptTokens(item))).toBe(item.prompt);
    expect(mixed.verify(item, item.answer, { finishReason: 'eos' }).score).toBe(1);
    expect(item.level).toBe(item.task === 'gcd' ? 2 : undefined);
  }
  expect(mixed.trainItem(7, 1234)).toEqual(drawn[1234]);
});

it('a problem of a family is held out of every part, at whatever level', () => {
  const mixed = createTasks(of('{name: mixture, parts: [{task: gcd, level: 0}, {task: gcd, level: 1}]}'));
  const heldOut = new Set(mixed.heldOutItems().map(({ key }) => key));
  for (let index = 0; index < 2000; index++) expect(heldOut.has(mixed.trainItem(0, index).key)).toBe(false);
  expect(mixed.shares.map(({ label }) => label)).toEqual(['gcd#1', 'gcd#2']);
});

/** With a mistake beside it, so that knobs are looked at before the tasks are opened. */
const withMistake = (task: string) => parseConfig(`max_step: 1\ntask: ${task}\n`, { file: 'run.yaml' }).config;

it.each(
  /* biome-ignore format: a table */ [
    ['{name: mixture, parts: []}',
      'run.yaml:2  task.parts: [] — a mixture has two parts or more; a single task is named by itself: task: {name: gcd}.'],
    ['{name: mixture, parts: [gcd]}',
      'run.yaml:2  task.parts: [ gcd ] — a mixture has two parts or more; a single task is named by itself: task: {name: gcd}.'],
    ['{name: mixture}',
      'run.yaml:2  task.parts: missing — must be a list of parts; for example [{task: gcd, level: 1, weight: 2}, {task: lcm}].'],
    ['{name: mixture, parts: [{task: gcd, weight: 0}, lcm]}',
      'run.yaml:2  task.parts.0.weight: 0 — must be greater than 0; for example 1.'],
    ['{name: mixture, parts: [{task: gcd, weight: -1}, lcm]}',
      'run.yaml:2  task.parts.0.weight: -1 — must be greater than 0; for example 1.'],
    ['{name: mixture, parts: [{name: gcd}, lcm]}',
      'run.yaml:2  task.parts.0.task: missing — must be a non-empty text; for example gcd.'],
    ['{name: mixture, parts: [gcd, {task: mixture, parts: [gcd, lcm]}]}',
      'run.yaml:2  task.parts.1.task: mixture — a part is one task; write the parts of that mixture here.'],
    ['{name: mixture, level: 2, parts: [gcd, lcm]}',
      'run.yaml:2  task.level: 2 — not a key of a mixture, which has parts alone; move it to a part: {task: gcd, level: 1, weight: 2}.'],
    ['{name: mixture, parts: [lcm, {task: gcd, level: 9}]}',
      'run.yaml:2  task.parts.1.level: 9 — gcd has levels 0 to 3; use one of them.'],
    ['{name: mixture, parts: [lcm, {task: gcd, numbr: 3}]}',
      'run.yaml:2  task.parts.1.numbr: 3 — no such knob of gcd (it takes max, numbers); the nearest is numbers.'],
  ],
)('%s is refused', (task, message) => {
  expect(() => withMistake(task)).toThrow(message);
});

it('a mixture within a list of tasks is refused', () => {
  const text = 'max_steps: 1\ntasks: [gcd, {name: mixture, parts: [gcd, lcm]}]\n';
  expect(() => parseConfig(text, { file: 'run.yaml' })).toThrow(
    'run.yaml:2  tasks.1.name: mixture — this list is a mixture already; write its parts here.',
  );
});

it('parts whose vocabularies do not join are refused by their names', () => {
  expect(() => createTasks(of('{name: mixture, parts: [countdown, gcd]}'))).toThrow(
    'tasks: countdown, gcd — their vocabularies cannot be one, as some are made of words and some of characters, or of their own kind; train them apart.',
  );
});
