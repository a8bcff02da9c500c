/** What leaves with a model: where an answer ends, and a card whose lines of Python ask it. */

import { beforeAll, describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../src/grpo/run.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { Evaluation } from '../../src/methods/records.ts';
import { modelCard } from '../../src/run/model/model_card.ts';
import { exportModel, lastOrigin } from '../../src/run/model/model_export.ts';
import { weightsSha256 } from '../../src/run/model/model_files.ts';
import { memoryStore, type Store } from '../../src/run/store/store.ts';
import { openRun, parseConfig } from '../support/everything.ts';
import { createTasks } from '../support/tasks.ts';

const MODEL = 'model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}';
const right = { score: 1, status: 'correct', reason: 'sorted' } as const;
const wrong = { score: 0, status: 'incorrect', reason: 'not the sorted digits' } as const;
const share = (mean: number) => ({ mean, low: mean - 0.05, high: mean + 0.05, count: 400 });
const evaluation: Evaluation = {
  accuracy: share(0.6),
  meanAtK: share(0.5),
  samples: 4,
  passAtK: {},
  figures: {},
  meanLength: 3,
  examples: [
    { prompt: '31>', completion: '31', verdict: wrong },
    { prompt: '97>', completion: '79', verdict: right },
  ],
};

async function opened(task: string, keys = ''): Promise<TrainingRun> {
  const { config } = parseConfig(`task: ${task}\n${MODEL}\nmax_steps: 5\nseed: 3\n${keys}`, { file: 'inline' });
  return openRun(config, await createTasks(config, { heldOutSample: 4 }), await wasmBackend({ inline: true }));
}

async function exported(run: TrainingRun): Promise<{ store: Store; json: (name: string) => Promise<unknown> }> {
  const store = memoryStore();
  expect(await exportModel(store, 'model', run, lastOrigin(run))).toBe(await weightsSha256(run.engine.policy));
  return { store, json: async (name) => JSON.parse(new TextDecoder().decode(await store.read(`model/${name}`))) };
}

describe('generation_config.json', () => {
  it.each([
    ['where every answer has as many tokens', '{name: sort_digits, digits: 3}', '', 3],
    ['where the policy ends itself', 'reverse_text', 'max_completion_length: 7', 7],
  ])('ends an answer %s', async (_, task, keys, most) => {
    const run = await opened(task, keys);
    const { json } = await exported(run);
    const { eosTokenId, padTokenId } = run.engine.tasks.codec;
    await run.engine.policy.close();
    expect(await json('generation_config.json')).toEqual({
      do_sample: false,
      eos_token_id: eosTokenId,
      pad_token_id: padTokenId,
      max_new_tokens: most,
    });
    expect(await json('tokenizer_config.json')).toMatchObject({ model_input_names: ['input_ids', 'attention_mask'] });
  });
});

describe('the card', () => {
  let run: TrainingRun;
  beforeAll(async () => {
    run = await opened('{name: sort_digits, digits: 2}');
    return () => run.engine.policy.close();
  });
  const card = (changes: Partial<Evaluation> = {}): string => {
    const origin = { ...lastOrigin(run), step: 4, evaluation: { ...evaluation, ...changes } };
    return modelCard(run, origin, 'abc123');
  };

  it('says task, form of the prompts, accuracy with its interval, seed, step and hash', () => {
    expect(card()).toContain('- Task: `sort_digits: {"digits":2}`.');
    expect(card()).toContain('- Prompts: written like `97>`, at most 3 tokens of the 13 in its vocabulary.');
    expect(card()).toContain('60.0 % [55.0–65.0] greedy, 50.0 % [45.0–55.0] sampled (mean of 4), on 400 held-out');
    expect(card()).toContain('5 steps of grpo, seed 3; these are the weights of grpo step 4.');
    expect(card()).toContain('SHA-256 `abc123`');
    expect(card()).toMatch(/^---\nlibrary_name: transformers\n[\s\S]*?\n---\n/);
    expect(card()).toMatch(/## License\n\n.*write `license: …` into the head/);
  });

  it('asks with six lines of Python a problem that was answered right, and says what they print', () => {
    const [, script = ''] = /```python\n([\s\S]*?)\n```/.exec(card()) ?? [];
    expect(script.split('\n').filter((line) => line !== '')).toHaveLength(6);
    expect(script).toContain('tokenizer("97>", return_tensors="pt")');
    expect(card()).toContain('It prints `79`, which is right.');
  });

  it('of a policy that was right nowhere says so, and of one that was not evaluated gives a right answer', () => {
    expect(card({ examples: evaluation.examples.slice(0, 1) })).toContain(
      'It prints `31`, which is wrong (not the sorted digits).',
    );
    const [item] = run.engine.tasks.heldOutItems();
    const text = modelCard(run, lastOrigin(run), 'abc123');
    expect(text).toContain(`A right answer is \`${item?.answer}\`.`);
    expect(text).not.toMatch(/Accuracy|undefined/);
  });

  it('shows texts of others as they are, as code of one line', () => {
    const example = { prompt: '"`a``\n', completion: '`\u001b[2J ', verdict: right };
    const text = card({ examples: [example] });
    expect(text).toContain('written like ``` "`a``· ```');
    expect(text).toContain('tokenizer("\\"`a``\\n", return_tensors="pt")');
    expect(text).toContain('It prints `` `·[2J  ``, which is right.');
  });
});
