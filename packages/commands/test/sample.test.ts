/** What `sample` asks, and what it answers, without a terminal. */

import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { withTasks } from '../../../src/grpo/engine.ts';
import { referenceBackend } from '../../../src/kernels/reference/engine.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { createTask, createTasks, getTaskDefinition } from '../../../test/support/tasks.ts';
import type { Inference } from '../../plugins/asked/open_for_inference.ts';
import { bindTask } from '../../zoo/data/index.ts';
import { type AnswerOptions, PromptAnswerer } from '../actions/answers.ts';
import { availableLines, choosePrompts, promptsOf } from '../actions/prompts.ts';
import { conversationLines } from '../display/conversation_lines.ts';
import { openForInference } from './support/inference.ts';

const YAML = `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
max_steps: 1`;
const GREEDY = { samples: 1, temperature: 0, seed: 0 };

async function openSmall(): Promise<Inference> {
  const { config } = parseConfig(YAML, { file: 'inline' });
  return openForInference(config, createTasks(config), referenceBackend, { prompts: 4, samples: 2 });
}

function answererOf({ config, engine }: Inference, options: AnswerOptions): PromptAnswerer {
  return new PromptAnswerer(engine, config.stages[0], options);
}

describe('an answer', () => {
  it('is judged where its prompt asks a problem, and says why not elsewhere', async () => {
    const run = await openSmall();
    const [problem, other] = await answererOf(run, GREEDY).answer(['321>', '32']);
    expect(problem).toMatchObject({ prompt: '321>', completions: [{ verdict: { score: 0 } }] });
    expect(problem).not.toHaveProperty('unjudged');
    expect(other?.completions[0]).not.toHaveProperty('verdict');
    expect(other?.unjudged).toMatch(/^no problem of sort_digits, which looks like \d{3}>$/);
  });

  it('to a prompt that cannot be asked is the mistake in it; the others get theirs', async () => {
    const run = await openSmall();
    const answers = await answererOf(run, GREEDY).answer(['3x1>', '', '321>', '12345>']);
    expect(answers.map(({ completions }) => completions.length)).toEqual([0, 0, 1, 0]);
    const [unknown, empty, , long] = answers.map(({ error }) => error?.message);
    expect(unknown).toContain('"x" in "3x1>"');
    expect(empty).toBe('prompt: "" — empty; give at least one token.');
    expect(long).toBe('prompt: "12345>" — 6 tokens; prompts of sort_digits have at most 4; shorten it.');
  });

  it('does not depend on what is asked with it; asked again, it is drawn anew', async () => {
    const drawn = { samples: 2, temperature: 1, seed: 3 };
    const together = await answererOf(await openSmall(), drawn).answer(['321>', '456>', '321>']);
    const alone = answererOf(await openSmall(), drawn);
    const apart = [];
    for (const prompt of ['321>', '456>', '321>']) apart.push(...(await alone.answer([prompt])));
    expect(apart).toEqual(together);
    expect(together[2]?.completions).not.toEqual(together[0]?.completions);
  });

  it('of a task that reads no prompts is judged where the prompt is one of its held-out problems', async () => {
    const { config } = parseConfig(YAML, { file: 'inline' });
    const { parse: _, ...silent } = getTaskDefinition('sort_digits');
    const task = bindTask(silent, { digits: 3 });
    const { engine } = await openSmall();
    const tasks = Object.assign(createTask({ name: 'sort_digits', digits: 3 }), { parse: task.parse.bind(task) });
    const answerer = new PromptAnswerer(withTasks(engine, tasks), config.stages[0], GREEDY);
    const [held = { prompt: '' }] = tasks.heldOutItems();
    const trained = tasks.trainItem(0, 0).prompt;
    const [known, unknown] = await answerer.answer([held.prompt, trained]);
    expect(known?.completions[0]?.verdict).toBeDefined();
    expect(unknown?.unjudged).toBe('sort_digits has no parse() to read prompts by');
  });
});

describe('a problem that is played in turns', () => {
  const opened = async () => {
    const yaml = YAML.replace('sort_digits, digits: 3', 'guess_number, max: 9, numbers: 5, turns: 3');
    const { config } = parseConfig(yaml, { file: 'inline' });
    return openForInference(config, createTasks(config), referenceBackend, { prompts: 4, samples: 2 });
  };
  const drawn = { samples: 2, temperature: 1, seed: 3 };

  it('is answered by whole episodes, with who said what', async () => {
    const run = await opened();
    const [item] = run.engine.tasks.heldOutItems();
    const [answer, typed] = await answererOf(run, drawn).answer([item, item.prompt]);
    for (const { completions } of [answer, typed]) {
      expect(completions).toHaveLength(2);
      for (const { turns = [], verdict } of completions) {
        expect(turns[0]?.label).toBe('policy');
        expect(turns.some(({ label }, i) => label !== (i % 2 === 0 ? 'policy' : 'environment'))).toBe(false);
        expect(verdict?.status).toBeDefined();
      }
    }
  });

  it('is shown to a watcher turn by turn while it is played, and plays as it does unwatched', async () => {
    const run = await opened();
    const asked = run.engine.tasks.heldOutItems().slice(0, 3);
    const unwatched = await answererOf(run, drawn).answer(asked);
    const seen: string[] = [];
    let isOver = true;
    const answers = await answererOf(run, drawn).answer(asked, {
      begin(prompt) {
        seen.push(`plays ${prompt}`);
        isOver = false;
      },
      turn({ label, text }) {
        expect(isOver).toBe(false);
        seen.push(`${label} ${text.trim()}`);
      },
      end({ reason }) {
        seen.push(reason);
        isOver = true;
      },
    });
    expect(answers).toEqual(unwatched.map((answer) => ({ ...answer, watched: true })));
    const expected = answers.flatMap(({ prompt, completions }) =>
      completions.flatMap(({ turns = [], verdict }) => [
        `plays ${prompt}`,
        ...turns.map(({ label, text }) => `${label} ${text.trim()}`),
        verdict?.reason,
      ]),
    );
    expect(seen).toEqual(expected);
  });

  it('does not depend on what is asked with it', async () => {
    const run = await opened();
    const [first, second] = run.engine.tasks.heldOutItems();
    const asked = [first, '9 9>', second];
    const together = await answererOf(run, drawn).answer(asked);
    const alone = answererOf(await opened(), drawn);
    const apart = [];
    for (const each of asked) apart.push(...(await alone.answer([each])));
    expect(apart).toEqual(together);
    expect(together[1]?.unjudged).toBe(
      'guess_number is played in turns, and no held-out problem has this prompt: this is a first turn',
    );
  });
});

it('a conversation has a line a turn', () => {
  const turns = [
    { label: 'policy', text: '<call>calc 1+1</call>' },
    { label: 'calc', text: '\n2\n' },
    { label: 'policy', text: '2' },
  ];
  expect(conversationLines(turns).map((line) => line.trim())).toEqual([
    'policy  <call>calc 1+1</call>',
    'calc    2',
    'policy  2',
  ]);
});

describe('prompts', () => {
  const countdown = createTask({ name: 'countdown', numbers: 3 });

  it('are one per argument; a problem typed without quotes is one', () => {
    expect(promptsOf(['3 7 2 = 13 ?', '1 2 3 = 6 ?'], countdown)).toEqual(['3 7 2 = 13 ?', '1 2 3 = 6 ?']);
    expect(promptsOf(['3', '7', '2', '=', '13', '?'], countdown)).toEqual(['3 7 2 = 13 ?']);
    expect(promptsOf(['3', '7', '2'], countdown)).toEqual(['3', '7', '2']);
  });

  it.each([
    [['a'], { isTerminal: true }, 'words'],
    [['-'], { isTerminal: false }, 'pipe'],
    [['a'], { isTerminal: true, interactive: true }, 'keyboard'],
  ] as const)('%j at %j come from %s', (words, place, source) => {
    expect(choosePrompts(words, place)).toBe(source);
  });

  it('come from a pipe as they arrive, as many together as there are, without empty lines', async () => {
    const input = new PassThrough();
    const lines = availableLines(input, 2);
    input.write('a\r\n\nb\nc\nd');
    expect(await lines.next()).toEqual({ done: false, value: ['a', 'b'] });
    expect(await lines.next()).toEqual({ done: false, value: ['c'] });
    const last = lines.next();
    input.end();
    expect(await last).toEqual({ done: false, value: ['d'] });
    expect((await lines.next()).done).toBe(true);
  });
});
