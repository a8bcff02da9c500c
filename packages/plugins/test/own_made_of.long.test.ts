/** What is made of a file of the user's: a task that asks another one again, and what a supervised stage shows. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { train } from '../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { ADDITION } from '../../../test/cli/own_files.ts';
import { configHash, openRun, parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { type OpenedPlugins, openPlugins } from '../open_plugins.node.ts';

eachInOwnFolder();

let opened: OpenedPlugins[] = [];
afterEach(async () => {
  for (const one of opened) await one.close();
  opened = [];
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function open(yaml: string, file = 'my.yaml', directory = 'runs/one'): Promise<OpenedPlugins> {
  const plugins = await openPlugins(parseConfig(yaml, { file }), { file, directory, announce: () => undefined });
  opened.push(plugins);
  return plugins;
}

const MODEL = 'model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}';

describe('retry of a task of a file', () => {
  const yaml = (of: string) => `task: {name: retry, of: ${of}, attempts: 2}\nmax_steps: 1\n${MODEL}\n`;

  it('asks its problems at its knobs, wherever the file lies, and is hashed with it', async () => {
    write('tasks/addition.ts', ADDITION);
    const { tasks, config, modules } = await open(yaml('{task: ./tasks/addition.ts, max: 9}'));
    const item = tasks.trainItem(0, 0);
    expect(item.prompt).toMatch(/^\d\+\d=$/);
    const { environment } = tasks;
    const start = environment.start(item, 's');
    const wrong = environment.step(item, start, '0', 's', { finishReason: 'eos' });
    const right = environment.step(item, wrong.next, item.answer, 's', { finishReason: 'eos' });
    expect([wrong.verdict, right.verdict?.score]).toEqual([undefined, 1]);
    expect(Object.keys(modules)).toEqual(['../../tasks/addition.ts']);
    expect(config.tasks[0].task.of).toEqual({ task: '../../tasks/addition.ts', max: 9 });
    // As a resume opens it, by the name that it has from the run directory.
    const again = await open(yaml('{task: ../../tasks/addition.ts, max: 9}'), 'runs/one/config.yaml');
    const prompts = (of: OpenedPlugins) => [0, 1, 2].map((i) => of.tasks.trainItem(0, i).prompt);
    expect(prompts(again)).toEqual([item.prompt, ...prompts(opened[0]).slice(1)]);
    expect(await configHash(again.config)).toBe(await configHash(config));
  });

  it.each([
    ['{task: ./tasks/none.ts}', /my.yaml:1 {2}task.of: .*none.ts.* — no such file/],
    ['{task: ./tasks/addition.ts, most: 9}', /most/],
  ])('of %s is refused with its line', async (of, message) => {
    write('tasks/addition.ts', ADDITION);
    await expect(open(yaml(of))).rejects.toThrow(message);
  });
});

describe('demonstrations of a file', () => {
  const SHOW = `import { LabelledTokens, method, TOKEN, severalTurns, key, integer } from 'rlvr-train/methods';
export default method({
  id: 'first-turn',
  about: { does: 'Shows what the expert says first.', formula: '-', source: 'own', certainty: 'own' },
  options: { times: key('times', integer({ min: 1, max: 4, example: 1 }).default(1).describe('How often.')) },
  uses: () => [severalTurns],
  create: ({ times }) => ({
    show({ prompt, episode, action }) {
      const { start, act } = episode(0);
      const text = new LabelledTokens();
      for (let i = 0; i < times; i++) text.add(action(act('expert', start())), TOKEN.reference);
      return text.after(prompt);
    },
  }),
});
`;
  const yaml = (demonstrations: string) => `task: {name: guess_number, max: 9, numbers: 5, turns: 3}
${MODEL}
stages:
  - {stage: sft, max_steps: 2, per_device_train_batch_size: 4, learning_rate: 1.0e-2, eval_strategy: "no", demonstrations: ${demonstrations}}
`;

  it('are what a supervised stage learns', async () => {
    write('methods/first_turn.ts', SHOW);
    const losses: number[][] = [];
    for (const times of [1, 2]) {
      const { config, tasks, methods } = await open(yaml(`{name: ./methods/first_turn.ts, times: ${times}}`));
      const run = await openRun(config, tasks, await wasmBackend({ inline: true }), { methods });
      const own: number[] = [];
      for await (const event of train(run)) if (event.type === 'step') own.push(Number(event.metrics.num_tokens));
      losses.push(own);
      await run.engine.policy.close();
    }
    expect(losses[0]).toHaveLength(2);
    expect(losses[1][0]).toBeGreaterThan(losses[0][0]);
  });

  it('that give no text are named', async () => {
    write('methods/first_turn.ts', SHOW.replace('return text.after(prompt)', 'return { prompt }'));
    const { config, tasks, methods } = await open(yaml('./methods/first_turn.ts'));
    const run = await openRun(config, tasks, await wasmBackend({ inline: true }), { methods });
    const steps = async () => {
      for await (const _ of train(run));
    };
    await expect(steps()).rejects.toThrow(
      'method "first-turn" (methods/first_turn.ts): show gave undefined at tokens — give a list',
    );
    await run.engine.policy.close();
  });

  it('beside data_files, or with an option that there is not, are refused', async () => {
    write('methods/first_turn.ts', SHOW);
    await expect(open(yaml('{name: ./methods/first_turn.ts, often: 2}'))).rejects.toThrow(/often/);
  });
});
