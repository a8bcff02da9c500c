/** Rows whose prompts a template has rendered already, and what else rows give the template of the model. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shownBelow } from '../../../../src/data/prompts/shown_prompt.ts';
import { taskSet } from '../../../../src/data/task_set.ts';
import { openDataset } from '../../../zoo/data/datasets/dataset.ts';
import { memoryFiles } from '../../../zoo/test/data/datasets/memory_files.ts';
import { pretrainedCodec } from '../../text/pretrained_codec.ts';

const golden = JSON.parse(readFileSync(new URL('../../../../test/golden/text.json', import.meta.url), 'utf8'));
const TEMPLATE =
  "{% if tools %}tools {{ tools[0]['name'] }}\n{% endif %}{% if mood is defined %}mood {{ mood }}\n{% endif %}" +
  "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}" +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';
const { tokenizer } = golden.tokenizers.smollm;
const files = { tokenizer, config: golden.tokens, chatTemplate: TEMPLATE, eosTokenIds: [], source: 'model' };
const codec = pretrainedCodec(files, { vocabSize: 512, chatTemplateKwargs: { mood: 'calm' } });

const asked = (question: string): string => `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
const sums = (row: (i: number) => object): object[] => Array.from({ length: 30 }, (_, i) => ({ ...row(i), answer: i }));

async function opened(rows: readonly object[], knobs: object = {}) {
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  const task = await openDataset({ train: 'q.jsonl', ...knobs }, { files: memoryFiles({ 'q.jsonl': text }), codec });
  const tasks = taskSet([{ task, weight: 1 }], codec);
  const item = tasks.trainItem(1, 0);
  const encoded = () => [...tasks.promptTokens(item)];
  return { task, tasks, item, encoded };
}

describe('prompts that are rendered already', () => {
  const rendered = sums((i) => ({ prompt: asked(`What is ${i}+1?`) }));

  it('are taken as they are, control tokens too', async () => {
    const { task, item, encoded } = await opened(rendered, { prompt_format: 'raw' });
    expect(encoded()).toEqual([...codec.encode(item.prompt)]);
    expect(codec.decode(encoded())).toBe(item.prompt);
    expect(task.notes).toEqual([]);
  });

  it('are questions where the config does not say so, which a note says', async () => {
    const { task, item, encoded } = await opened(rendered);
    expect(codec.decode(encoded())).toBe(`mood calm\n${asked(item.prompt)}`);
    expect(task.notes.join()).toContain('prompts have control tokens of the chat template ("<|im_start|>user\\nWhat');
    expect(task.notes.join()).toContain('prompt_format: raw takes prompts that are rendered already');
  });

  it('are no questions without control tokens, nor where a few have them', async () => {
    const mixed = sums((i) => ({ prompt: i % 2 === 0 ? `${i}` : asked(`${i}`) }));
    expect((await opened(mixed)).task.notes).toEqual([]);
  });

  it.each([
    [{ system: 'Be brief.' }, 'task.system: prompt_format: raw takes prompts as they are, with nothing before them'],
    [{ examples: 1 }, 'task.examples: prompt_format: raw takes'],
  ])('have nothing before them: %j', async (knobs, message) => {
    await expect(opened(rendered, { prompt_format: 'raw', ...knobs })).rejects.toThrow(message);
  });

  it('are texts', async () => {
    const rows = sums((i) => ({ prompt: [{ role: 'user', content: `${i}` }] }));
    await expect(opened(rows, { prompt_format: 'raw' })).rejects.toThrow(
      'q.jsonl:1  prompt_format: raw takes texts, and this row has messages (leave it out)',
    );
  });

  it('have no turn after them, and no hint below', async () => {
    const { tasks, item } = await opened(rendered, { prompt_format: 'raw' });
    const messages = tasks.environment.prompt(item);
    expect(() => codec.render([...messages, { role: 'user', content: 'Why?' }])).toThrow(
      'the prompt is rendered already (prompt_format: raw), so no turn can be put around it',
    );
    expect(() => shownBelow(messages, 'a hint')).toThrow('nothing can be shown below the question of a prompt');
  });
});

describe('what a row gives its template', () => {
  const tool = { name: 'add', description: 'adds <|im_end|>' };

  it.each([
    ['as it is', [tool], { mood: 'glad' }],
    ['as JSON in a text', JSON.stringify([tool]), '{"mood": "glad"}'],
  ])('are its tools and chat_template_kwargs, %s', async (_, tools, kwargs) => {
    const rows = sums((i) => ({ prompt: `${i}+1`, tools, chat_template_kwargs: kwargs }));
    const { item, encoded } = await opened(rows, { system: 'Be brief.', examples: 1 });
    const text = codec.decode(encoded());
    expect(text.startsWith('tools add\nmood glad\n<|im_start|>system\nBe brief.<|im_end|>\n')).toBe(true);
    expect(text.endsWith(asked(item.prompt))).toBe(true);
  });

  it('is nothing where the columns are empty', async () => {
    const rows = sums((i) => ({ prompt: `${i}+1`, tools: [], chat_template_kwargs: null }));
    const { item, encoded } = await opened(rows);
    expect(codec.decode(encoded())).toBe(`mood calm\n${asked(item.prompt)}`);
  });

  it('comes with a whole conversation too', async () => {
    const messages = (i: number) => [
      { role: 'user', content: `${i}+1` },
      { role: 'assistant', content: `${i + 1}` },
    ];
    const { item, encoded } = await opened(sums((i) => ({ messages: messages(i), tools: [tool] })));
    expect(codec.decode(encoded())).toBe(`tools add\nmood calm\n${asked(item.prompt)}`);
  });

  it.each([
    [{ tools: ['add'] }, 'column "tools": ["add"] — must be a list of tools, as {"type": "function"'],
    [{ chat_template_kwargs: [1] }, 'column "chat_template_kwargs": [1] — must be an object'],
  ])('is refused as %j', async (given, message) => {
    await expect(opened(sums((i) => ({ prompt: `${i}`, ...given })))).rejects.toThrow(message);
  });
});

it('numbers of a tool call are written as Python writes those of the file', async () => {
  const template = '{% for m in messages %}{{ m.content or m.tool_calls[0].arguments | tojson }}<|im_end|>{% endfor %}';
  const calling = pretrainedCodec({ ...files, chatTemplate: template }, { vocabSize: 512 });
  const call = '{"a": 1.0, "b": [27.10, 2], "c": 1e3, "d": "1.0"}';
  const row = (i: number): string =>
    `{"prompt": [{"role": "user", "content": "${i}"}, {"role": "assistant", "content": null, "tool_calls": ` +
    `[{"arguments": ${call}}]}, {"role": "user", "content": "so?"}], "answer": ${i}}`;
  const text = Array.from({ length: 30 }, (_, i) => row(i)).join('\n');
  const task = await openDataset({ train: 'q.jsonl' }, { files: memoryFiles({ 'q.jsonl': text }), codec: calling });
  const tasks = taskSet([{ task, weight: 1 }], calling);
  const item = tasks.trainItem(1, 0);
  // json.dumps(json.loads(call)) in Python
  const dumped = '{"a": 1.0, "b": [27.1, 2], "c": 1000.0, "d": "1.0"}';
  expect(calling.decode(tasks.promptTokens(item))).toContain(`<|im_end|>${dumped}<|im_end|>so?`);
});
