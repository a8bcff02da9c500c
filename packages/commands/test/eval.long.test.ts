/** `eval`: of a run with other keys, of training's problems, with further figures, and of a mean of models. */
import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { messageOf, run } from '../../../test/cli/called.ts';
import { allInOneFolder } from '../../../test/support/folders.ts';
import { averagedWith } from '../runs/average_weights.ts';
import type { OpenedModel } from '../runs/open_trained.ts';

allInOneFolder();

const CONFIG = `
task: {name: sort_digits, digits: 2}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8, initializer_range: 0.3}
threads: 1
seed: 1
save_seconds: 0.001
save_total_limit: 9
stages:
  - {stage: sft, max_steps: 1, per_device_train_batch_size: 4, learning_rate: 3.0e-2, eval_strategy: "no"}
  - {stage: grpo, max_steps: 2, num_generations: 4, generation_batch_size: 16, learning_rate: 3.0e-2, reward_funcs: [positions],
     num_generations_eval: 1, eval_strategy: "no", evaluation_figures: [m-length]}
`;
const RUN = ['--run', 'runs/a', '--samples', '4'];
const EARLIER = 'runs/a/checkpoints/sft-1';
const TASK = '{name: sort_digits, digits: 2}';

beforeAll(async () => {
  writeFileSync('a.yaml', CONFIG);
  expect((await run('--config', 'a.yaml', '--output', 'runs/a', '--quiet')).error).toBeUndefined();
}, 60_000);

const figuresOf = async (...words: readonly string[]): Promise<Record<string, number>> => {
  const { error, out } = await run('eval', '--threads', '1', '--json', ...words);
  expect(error).toBeUndefined();
  return JSON.parse(out);
};

describe('a run is evaluated', () => {
  it('with further figures in the place of its own, by name, with an interval', async () => {
    const own = await figuresOf(...RUN);
    expect(own).toHaveProperty('eval_length/right');
    const further = await figuresOf(...RUN, '--figures', 'm-diversity, {name: maj-k, k: 3}');
    expect(further).toMatchObject({ 'eval_maj@3_low': expect.any(Number), eval_accuracy: own.eval_accuracy });
    expect(further).not.toHaveProperty('eval_length/right');
    const { out } = await run('eval', '--threads', '1', ...RUN, '--figures', 'm-diversity');
    expect(out).toMatch(/\n {2}distinct\S* +[\d.]+ \[[\d.]+–[\d.]+\]\n/);
  });

  it('with further figures also where all its stages are supervised, and as without them', async () => {
    writeFileSync('sft.yaml', CONFIG.replace(/ {2}- \{stage: grpo[^}]*\}\n/, ''));
    expect((await run('--config', 'sft.yaml', '--output', 'runs/sft', '--quiet')).error).toBeUndefined();
    const { eval_accuracy: accuracy } = await figuresOf('runs/sft', '--samples', '4');
    const further = await figuresOf('runs/sft', '--samples', '4', '--figures', '{name: maj-k, k: 3}');
    expect(further).toMatchObject({ 'eval_maj@3_low': expect.any(Number), eval_accuracy: accuracy });
    const said = await messageOf(['eval', 'runs/sft', '--figures', 'm-lenght']);
    expect(said).toMatch(/^--figures {2}.*m-lenght — no such method .*the nearest is m-length\.$/);
  });

  it('on another range of its task, and on as many problems as are typed', async () => {
    const { eval_problems: usual = 0 } = await figuresOf(...RUN);
    const { eval_problems: more = 0 } = await figuresOf(...RUN, '--set', 'task.digits=3');
    expect(more).toBeGreaterThan(usual);
    expect(await figuresOf(...RUN, '--set', 'eval_samples=3')).toMatchObject({ eval_problems: 3 });
  });

  it('on problems of training, each once', async () => {
    const held = await figuresOf(...RUN);
    const trained = await figuresOf(...RUN, '--split', 'train');
    expect(trained.eval_problems).toBeLessThanOrEqual(held.eval_problems ?? 0);
    const { out } = await run('eval', '--threads', '1', ...RUN, '--split', 'train');
    expect(out).toContain(`sort_digits, ${trained.eval_problems} problems of training`);
  });

  it('on problems of training that are not left out as too long, which are also those that are shown', async () => {
    const task =
      'task: {name: reverse_text, min_length: 2, max_length: 12}\nmax_prompt_length: 9\noverlong_prompts: drop';
    writeFileSync('b.yaml', CONFIG.replace(/task: .*/, task).replace('[positions]', '[lcs]'));
    expect((await run('--config', 'b.yaml', '--output', 'runs/b', '--quiet')).error).toBeUndefined();
    const { eval_problems: problems } = await figuresOf('--run', 'runs/b', '--samples', '1', '--split', 'train');
    expect(problems).toBeGreaterThan(0);
    const { error, out } = await run('data', 'show', '--config', 'b.yaml', '--count', '20', '--json');
    expect(error).toBeUndefined();
    const lengths = out
      .trim()
      .split('\n')
      .map((line) => Number(JSON.parse(line).promptTokens));
    expect([lengths.length, Math.max(...lengths)]).toEqual([20, 9]);
  });

  it.each([
    ['m-lenght', /^--figures {2}.*m-lenght — no such method .*the nearest is m-length\.$/],
    ['maj-k', /^--figures {2}.*\.k: missing/],
    ['rloo', /^--figures {2}.*rloo — not a method of this point; move it to advantage_estimator\.$/],
  ])('not with %s, which is said', async (figures, says) => {
    expect(await messageOf(['eval', ...RUN, '--figures', figures])).toMatch(says);
  });
});

describe('a mean of models', () => {
  it('of one and itself is that one, in any order the same, and other than each', async () => {
    const figures = async (model: string, ...others: readonly string[]) => {
      const average = others.flatMap((other) => ['--average', other]);
      return figuresOf('--model', model, '--task', TASK, '--samples', '8', ...average);
    };
    const [a, b] = [await figures('runs/a'), await figures(EARLIER)];
    expect(await figures('runs/a', 'runs/a')).toEqual(a);
    const mean = await figures('runs/a', EARLIER);
    expect(await figures(EARLIER, 'runs/a')).toEqual(mean);
    expect([a, b]).not.toContainEqual(mean);
    expect(await figuresOf(...RUN, '--average', EARLIER)).toHaveProperty('eval_accuracy');
  });

  it('closes what was opened where another one cannot be read', async () => {
    const close = vi.fn(async () => {});
    const opened = { model: { engine: { policy: { adapterParameters: [1] } } }, from: 'a', close };
    await expect(averagedWith(opened as unknown as OpenedModel, ['runs/c'])).rejects.toThrow('averages whole models');
    expect(close).toHaveBeenCalledOnce();
  });

  it('takes no model that is not there, or of another shape', async () => {
    const words = ['eval', '--threads', '1', ...RUN, '--average'];
    expect(await messageOf([...words, 'runs/c'])).toMatch(/runs\/c/);
    await run('--config', 'a.yaml', '--set', 'model.hidden_size=16', '--output', 'runs/wide', '--quiet');
    expect(await messageOf([...words, 'runs/wide'])).toMatch(/^runs\/wide.*\[.*16.*\]/);
  });
});
