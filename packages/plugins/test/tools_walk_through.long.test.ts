/** The files of docs/environments.md as they are written there, through check, config and run; and classes that are not as they should be. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type AnyEnvironment, bindEnvironment, playEpisode } from '../../../src/data/play.ts';
import type { AnyTaskDefinition, TaskItem } from '../../../src/data/task.ts';
import { completeItems } from '../../../src/grpo/rollout/complete.ts';
import { samplingKey } from '../../../src/grpo/run.ts';
import { train } from '../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { wholeVocabulary } from '../../../src/model/sampling/generation.ts';
import { openRun, parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { blockOf } from '../../../test/support/page_blocks.ts';
import { checkTask, findingText, type TaskDefinition } from '../../zoo/data/index.ts';
import { environmentFactory } from '../../zoo/data/tools/environment_factory.ts';
import { importExport, moduleReference } from '../module.node.ts';
import { openPlugins } from '../open_plugins.node.ts';
import { requireExport, watchedExport } from '../watched.node.ts';

const FILES = {
  higher: blockOf('docs/environments.md', '// tasks/higher.ts'),
  prices: blockOf('docs/environments.md', '// tasks/prices.ts'),
  counter: blockOf('docs/environments.md', '// tasks/counter.ts'),
};

eachInOwnFolder(() => {
  mkdirSync('tasks');
  for (const [name, text] of Object.entries(FILES)) writeFileSync(`tasks/${name}.ts`, text);
});

describe.each(Object.entries(FILES))('tasks/%s.ts', (name, text) => {
  it('has fewer than 50 lines', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThan(50);
  });

  it('keeps the rules that tasks check knows', async () => {
    const definition = (await importExport(moduleReference(`./tasks/${name}.ts`, undefined, '.'))) as AnyTaskDefinition;
    expect(checkTask(definition, { items: 20 }).findings.map(findingText)).toEqual([]);
  });

  it('is warm-started and played by a policy', async () => {
    const yaml = `task: ./tasks/${name}.ts
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}
stages: [{stage: sft, max_steps: 2, per_device_train_batch_size: 4, eval_strategy: "no"}]
`;
    const loaded = parseConfig(yaml, { file: 'my.yaml' });
    const opened = await openPlugins(loaded, { file: 'my.yaml', announce: () => {} });
    const { config, tasks } = opened;
    const run = await openRun(config, tasks, await wasmBackend({ inline: true }), { lineOf: loaded.lineOf });
    let steps = 0;
    for await (const event of train(run)) if (event.type === 'step') steps++;
    const settings = {
      samples: 2,
      sampling: wholeVocabulary(1),
      samplingKey: samplingKey(1, 'played'),
      stage: config.stages[0],
    };
    const items = tasks.heldOutItems().slice(0, 2);
    const completed = await completeItems(run.engine, items, settings);
    await run.engine.policy.close();
    await opened.close();
    expect(steps).toBe(2);
    expect(completed.flat().every((completion) => 'turns' in completion)).toBe(true);
  });
});

it('a config that names a tool which is none, or limits what cannot be called, is refused with its line', async () => {
  const opened = (yaml: string) =>
    openPlugins(parseConfig(yaml, { file: 'my.yaml' }), { file: 'my.yaml', announce: () => {} });
  await expect(opened('max_steps: 1\ntask: {name: ./tasks/prices.ts, tools: [cost]}')).rejects.toThrow(
    'my.yaml:2  task.tools.0: "cost" — no tool of this task; use price.',
  );
  await expect(opened('task: sort_digits\nmax_steps: 1\nmax_tool_calling_iterations: 2')).rejects.toThrow(
    'my.yaml:3  max_tool_calling_iterations: 2 — no task of this run has tools; leave it out.',
  );
});

class Counter {
  static readonly tools = { add: { description: 'Adds.', parameters: { number: { type: 'integer' } } } } as const;
  count = 0;
  reset(_row: { readonly prompt: string }): unknown {
    return undefined;
  }
  add({ number }: { readonly number: number }): unknown {
    this.count += number;
    return this.count;
  }
  get_reward(): number {
    return this.count === 3 ? 1 : 0;
  }
}

/** Plays some calls of a changed class, watched as a user's file is. */
function play(changes: Partial<Counter>, actions = ['<call>add 1</call>', '<call>add 2</call>', 'done']) {
  const Class = class extends Counter {};
  // Of the class itself: what it inherits is no tool of it.
  for (const name of ['reset', 'add', 'get_reward'] as const) Class.prototype[name] = Counter.prototype[name] as never;
  Object.assign(Class.prototype, changes);
  const definition = environmentFactory(Class, { name: 'counter', rows: [{ prompt: 'Count.' }] });
  const callee = {
    kind: 'task' as const,
    name: 'task "counter" (tasks/counter.ts)',
    path: 'tasks/counter.ts',
    limitSeconds: 0.3,
  };
  const own = requireExport(definition.environment, 'its environment', 'environment');
  const watched = watchedExport(own, 'environment', callee, 'environment.') as unknown as AnyEnvironment;
  const item = { identity: { prompt: 'Count.' }, key: 'one' } as unknown as TaskItem;
  return playEpisode(bindEnvironment(watched, 'counter', {}), item, '0', (_, turn) => actions[turn]);
}

describe("a class of TRL's form", () => {
  it('is played by its methods', () => {
    const { turns, verdict } = play({});
    expect(turns.map(({ text }) => text)).toEqual(['<call>add 1</call>', '1', '<call>add 2</call>', '3', 'done']);
    expect(verdict.score).toBe(1);
  });

  it('answers what a method throws, as TRL does', () => {
    const add = () => {
      throw new Error('not now');
    };
    expect(play({ add }).turns.map(({ text }) => text)).toContain('?');
  });

  it.each<[string, Partial<Counter>, RegExp]>([
    [
      'has a mistake',
      { add: () => (undefined as unknown as string).length },
      /task "counter" \(tasks\/counter.ts\): environment.step failed for state .* and action '<call>add 1<\/call>': .*undefined/,
    ],
    [
      'hangs',
      {
        add: () => {
          for (;;);
        },
      },
      /environment.step gave nothing within 0.3 s/,
    ],
    [
      'hangs where it is paid',
      {
        get_reward: () => {
          for (;;);
        },
      },
      /environment.step gave nothing within 0.3 s/,
    ],
    ['gives nothing', { add: () => undefined }, /add\(\) gave undefined; give a text, or what JSON can hold/],
    ['is asynchronous', { add: async () => 1 }, /add\(\) gave a Promise; give a text/],
    [
      'is not paid by a number',
      { get_reward: () => Number.NaN },
      /get_reward\(\) of counter gave NaN; give a number from 0 to 1/,
    ],
    ['begins with a number', { reset: () => 7 }, /reset\(\) gave a value of type number; give a text, or nothing/],
  ])('that %s stops the run with its name', (_, changes, message) => {
    expect(() => play(changes)).toThrow(message);
  });

  it.each<[unknown, RegExp]>([
    [new Counter(), /environmentFactory of c: it takes a class/],
    [
      class {
        static tools = {};
        reset() {}
      },
      /its class lacks get_reward\(\); add it/,
    ],
    [
      class {
        static tools = {};
        reset() {}
        get_reward() {}
        add() {}
      },
      /says nothing of the method add\(\); add \{description, parameters\}/,
    ],
    [
      class {
        static tools = { add: {} };
        reset() {}
        get_reward() {}
      },
      /static tools names add, which is no public method/,
    ],
  ])('is refused where it is none: %#', (Class, message) => {
    expect(() => environmentFactory(Class as never, { name: 'c', rows: [] })).toThrow(message);
  });

  it('without an expert has no example to learn from, and says so by chanceDecides', () => {
    const definition: TaskDefinition<never, never> = environmentFactory(Counter, {
      name: 'c',
      rows: [{ prompt: '?' }],
    }) as never;
    expect(definition.environment?.chanceDecides?.({})).toBe(true);
    expect(definition.environment?.expert({ identity: {}, results: [] }, {}, undefined as never)).toBe('');
  });
});
