/** Environments with tools: how they are called, in a closed vocabulary and by pretrained models. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { takeKnobs } from '../../../../../src/data/knobs.ts';
import { environmentFor, playEpisode } from '../../../../../src/data/play.ts';
import type { AnyTaskDefinition, TaskItem } from '../../../../../src/data/task.ts';
import { type Codec, closedCodec } from '../../../../../src/text/codec.ts';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { fewOf } from '../../../../../test/support/budget.ts';
import { createTasks } from '../../../../../test/support/everything.ts';
import { pretrainedCodec } from '../../../../models/text/pretrained_codec.ts';
import { bindTask, taskSet } from '../../../../zoo/data/index.ts';
import { calculator } from '../../../../zoo/data/tasks/calculator/calculator.ts';
import { lookup } from '../../../../zoo/data/tasks/lookup/lookup.ts';
import { answersTo, playActions } from '../../../../zoo/test/support/play_actions.ts';

const golden = JSON.parse(readFileSync(new URL('../../../../../test/golden/text.json', import.meta.url), 'utf8'));

function codecOf(template: string): Codec {
  const files = {
    tokenizer: golden.tokenizers.smollm.tokenizer,
    config: { ...golden.tokens, eos_token: '<|im_end|>' },
    chatTemplate: golden.templates[template].template,
    eosTokenIds: [2],
    source: template,
  };
  return pretrainedCodec(files, { vocabSize: 512 });
}

const SUM = { numbers: [120, 456, 789, 101] };
const KNOBS = takeKnobs(calculator, {}) as Parameters<typeof calculator.prompt>[1];

describe('calculator', () => {
  it('computes what it is asked, and the sum wins', () => {
    expect(answersTo(calculator, SUM, KNOBS, ['<call>calc 120+456+789+101</call>', '1466'])).toEqual([
      '1466',
      '1: the right number',
    ]);
    expect(
      answersTo(calculator, SUM, KNOBS, ['<call>calc 120+456</call>', '<call>calc (2*3-4)/2</call>', '1']),
    ).toEqual(['576', '1', '0: not the right number']);
  });

  it('refuses what is no call of it; three of them end the episode', () => {
    const bad = ['<call>calc 1+</call>', '<call>calk 1+1</call>', '<call>calc</call>'];
    expect(answersTo(calculator, SUM, { ...KNOBS, calls: 8 }, bad)).toEqual(['?', '?', '0: 3 actions broke the rules']);
    expect(answersTo(calculator, SUM, KNOBS, ['<call>calc 1/3</call>', '<call>calc 1/0</call>'])).toEqual(['?', '?']);
  });

  it('has no tool where it is taken away', () => {
    const without = { ...KNOBS, tools: [] };
    expect(calculator.environment?.turnLimits(without)).toMatchObject({ maxTurns: 1 });
    expect(answersTo(calculator, SUM, without, ['1466'])).toEqual(['1: the right number']);
    expect(playActions(calculator, SUM, without, ['<call>calc 120+456+789+101</call>']).at(-1)?.verdict?.score).toBe(0);
  });

  it('cuts what does not fit, and answers several calls of a turn in one line', () => {
    expect(answersTo(calculator, SUM, KNOBS, ['<call>calc 999999*999999</call>'])).toEqual(['9999']);
    expect(answersTo(calculator, SUM, KNOBS, ['<call>calc 1</call><call>calc 2</call>'])).toEqual(['1 2']);
  });
});

describe('lookup', () => {
  const item = { friend: [1, 2, 0], mentor: [2, 2, 2], neighbour: [0, 0, 1], ages: [20, 35, 47], first: 0, way: 'fm' };
  const knobs = { ...takeKnobs(lookup, {}), people: 3 } as Parameters<typeof lookup.prompt>[1];

  it('is a way of facts, each of which has to be asked', () => {
    const actions = ['<call>ask A f</call>', '<call>ask B m</call>', '<call>ask C a</call>', '47'];
    expect(answersTo(lookup, item, knobs, actions)).toEqual(['B', 'C', '47', '1: the right number']);
    const steps = playActions(lookup, item, knobs, actions);
    expect(steps.map(({ potential }) => potential)).toEqual([0.25, 0.5, 0.75, undefined]);
  });

  it('knows nobody else, and nothing else', () => {
    expect(answersTo(lookup, item, knobs, ['<call>ask D f</call>', '<call>ask A x</call>'])).toEqual(['?', '?']);
  });
});

describe('asked of a pretrained model', () => {
  /** Binding plays hundreds of episodes through the template, for the room that they take: once is enough for all tests. */
  const bound = new Map<string, ReturnType<typeof bind>>();
  const opened = (template: string, given = {}) => {
    const name = `${template} ${JSON.stringify(given)}`;
    const known = bound.get(name) ?? bind(template, given);
    bound.set(name, known);
    return known;
  };
  const bind = (template: string, given: object) => {
    const codec = codecOf(template);
    const task = bindTask(
      calculator as unknown as AnyTaskDefinition,
      { examples: 1, ...given },
      { codec, heldOutSample: 8 },
    );
    return { codec, tasks: taskSet([{ task, weight: 1 }], codec), task };
  };

  it.each(fewOf(['qwen2.5', 'llama3.2', 'qwen3'], { quick: 1, all: 2 }))(
    'its template shows the tools: %s',
    (template) => {
      const { codec, tasks } = opened(template);
      const prompt = codec.decode(tasks.promptTokens(tasks.trainItem(0, 0)));
      expect(prompt).toContain('Computes an expression of whole numbers');
      expect(prompt).toContain('"expression"');
    },
    60_000,
  );

  it('a template without tools reads of them in a system message', () => {
    const { task } = opened('smollm2', { system: 'Be brief.' });
    const [system] = task.opening ?? [];
    expect(system).toEqual({
      role: 'system',
      content:
        'You can use tools: write a call alone, and you read what it gives before you answer.\n' +
        '<call>calc EXPRESSION</call>: Computes an expression of whole numbers, such as 12+34.\n\nBe brief.',
    });
    expect(opened('smollm2', { tools: [] }).task.opening?.[0].role).toBe('user');
  });

  it.each([
    ['qwen2.5', '<tool_call>\n{"name": "calc", "arguments": {"expression": "SUM"}}\n</tool_call>', 'tool'],
    ['llama3.2', '{"name": "calc", "parameters": {"expression": "SUM"}}', 'tool'],
    ['smollm2', '<call>calc SUM</call>', 'tool'],
  ])('an example is an episode, its call in the notation of the model: %s', (template, call, role) => {
    const { task } = opened(template);
    const turns = task.opening?.filter(({ role: who }) => who !== 'system') ?? [];
    const sum = turns[0].content.match(/\d+/g)?.join('+') ?? '';
    expect(turns.map((turn) => turn.role)).toEqual(['user', 'assistant', role, 'assistant']);
    expect(turns[1].content).toBe(call.replace('SUM', sum));
    expect(turns[3].content).toBe(turns[2].content);
  });

  it.each(['qwen2.5', 'llama3.2', 'smollm2'])('a demonstration has a loss on its calls alone: %s', (template) => {
    const { codec, tasks, task } = opened(template);
    const index = Array.from({ length: 40 }, (_, i) => i).find((i) => {
      const { turns = [], verdict } = task.demonstratedEpisode?.(tasks.trainItem(0, i), 0, i) ?? {};
      return turns.length === 3 && verdict?.score === 1;
    });
    const item = tasks.trainItem(0, index ?? -1);
    const { tokens, labels = new Uint8Array() } = tasks.demonstration(item, 0, index ?? -1);
    const said = codec.decode(tokens.filter((_, t) => labels[t] === TOKEN.reference));
    const [call, , sum] = task.demonstratedEpisode?.(item, 0, index ?? -1).turns.map(({ text }) => text) ?? [];
    const end = codec.tokenText(codec.eosTokenId);
    expect(said).toBe(`${call}${end}${sum}${end}`);
    expect(tokens.length).toBeLessThanOrEqual(tasks.maxCompletionTokens);
  });

  it('what cannot be answered is said, and has room', () => {
    const { tasks } = opened('qwen2.5');
    const item = tasks.trainItem(0, 0);
    const said = (action: string) => {
      const { environment } = tasks;
      const step = environment.step(item, environment.start(item, '0'), action, '0', { finishReason: 'eos' });
      expect(environment.observationTokens(item, step, 'eos').length).toBeGreaterThan(0);
      return [step.observation, step.illegal];
    };
    expect(said('<tool_call>{"name": "sum", "arguments": {}}</tool_call>')).toEqual([
      'error: no such tool; there is calc',
      true,
    ]);
    expect(said('<tool_call>{"name": "calc", "arguments": {"a": 1}}</tool_call>')).toEqual([
      'error: it has no parameter a',
      true,
    ]);
    expect(said('<tool_call>calc</tool_call>')).toEqual(['error: the call is no JSON', true]);
    expect(said('<tool_call>{"name": "calc", "arguments": {"expression": "x"}}</tool_call>')[0]).toBe(
      'error: no expression with a whole value',
    );
    expect(said(`<tool_call>{"name": "calc", "arguments": {"${'é'.repeat(400)}": 1}}</tool_call>`)[0]).toHaveLength(51);
    expect(said('a'.repeat(300))[0]).toBeUndefined();
  });
});

describe('max_tool_calling_iterations', () => {
  const { environment } = calculator as unknown as AnyTaskDefinition;
  const bounded = environmentFor(environment as NonNullable<typeof environment>, undefined, 1);

  it('limits the turns with calls, after which one more may answer', () => {
    expect(bounded.turnLimits({ ...KNOBS, calls: 5 }).maxTurns).toBe(2);
    expect(environmentFor(bounded, undefined, 9).turnLimits(KNOBS).maxTurns).toBe(2);
  });

  it('is part of what memory is planned for', () => {
    const completion = (limit?: number) =>
      bindTask(calculator as unknown as AnyTaskDefinition, { calls: 5 }, { maxToolCallingIterations: limit }).language
        .completionTokens;
    expect(completion(1)).toBeLessThan(completion() / 2);
  });

  it('ends an episode whose last turn calls again, as in TRL: nobody answers it', async () => {
    const tasks = await createTasks({
      tasks: [{ task: { name: 'calculator' }, weight: 1 }],
      maxToolCallingIterations: 1,
    });
    const item: TaskItem = tasks.trainItem(0, 0);
    const { verdict, turns } = playEpisode(tasks.environment, item, '0', () => '<call>calc 1+1</call>');
    expect(turns.map(({ from }) => from)).toEqual(['policy', 'calc', 'policy']);
    expect(verdict.reason).toBe('not won within 2 turns');
  });
});

it('a limit of calls is refused where nothing can be called', async () => {
  const opened = createTasks({ tasks: [{ task: { name: 'countdown' }, weight: 1 }], maxToolCallingIterations: 3 });
  await expect(opened).rejects.toThrow('max_tool_calling_iterations: 3 — no task of this run has tools; leave it out.');
});

it('an unknown tool in the config is refused with its place', async () => {
  const opened = (tools: unknown) =>
    createTasks({ tasks: [{ task: { name: 'calculator', tools } as never, weight: 1 }] });
  await expect(opened(['calk'])).rejects.toThrow(
    'task.tools.0: "calk" — no tool of this task; the nearest of calc is calc',
  );
  await expect(opened('calc')).rejects.toThrow(
    'task.tools: "calc" — must be a list of its tools; for example [calc], or [] for none',
  );
});

it('a closed vocabulary has what calls are written with', () => {
  const codec = closedCodec(calculator.tokenizer(KNOBS));
  expect(codec.decode(codec.encode('<call>calc 1+2</call>'))).toBe('<call>calc 1+2</call>');
});
