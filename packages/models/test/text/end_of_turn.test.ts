/** What ends an answer where a base has the chat template of its instruct model, and files that name another end. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dialogueTokens } from '../../../../src/data/prompts/dialogue_tokens.ts';
import { turnEndNote } from '../../text/end_of_turn.ts';
import { pretrainedCodec, type TokenizerFiles } from '../../text/pretrained_codec.ts';

const golden = JSON.parse(readFileSync(new URL('../../../../test/golden/text.json', import.meta.url), 'utf8')) as {
  readonly tokenizers: Readonly<Record<'smollm', Pick<TokenizerFiles, 'tokenizer'>>>;
};

const CHATML =
  "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}" +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';

/** As of Qwen2.5's bases: id 0 ends a text, id 2 a turn. */
function filesOf(changes: Partial<TokenizerFiles> = {}): TokenizerFiles {
  const { tokenizer } = golden.tokenizers.smollm;
  const config = { eos_token: '<|endoftext|>' };
  return { tokenizer, config, chatTemplate: CHATML, eosTokenIds: [0], source: 'base', ...changes };
}

const codecOf = (files: TokenizerFiles) => pretrainedCodec(files, { vocabSize: 512 });

describe('a base whose template ends turns by another token than its files name', () => {
  const codec = codecOf(filesOf());

  it('stops at both, and learns the one that the template writes', () => {
    expect([...codec.stopIds].sort()).toEqual([0, 2]);
    expect(codec.eosTokenId).toBe(2);
    expect(codec.padTokenId).toBe(0);
  });

  it('learns no token between turns that the template does not write', () => {
    const turns = (['user', 'assistant', 'user', 'assistant'] as const).map((role, i) => ({ role, content: `${i}` }));
    const { prompt, tokens } = dialogueTokens(codec, turns, 'row 1');
    expect(`${codec.decode([...prompt, ...tokens])}\n`).toBe(codec.render(turns, 'answered'));
  });

  it('is told so before the first step', () => {
    expect(turnEndNote(filesOf(), codec)).toBe(
      'base: its chat template ends a turn with <|im_end|>, and its files name <|endoftext|> as the end. ' +
        'Answers are learned with <|im_end|>; both end an answer.',
    );
  });
});

it.each<[string, Partial<TokenizerFiles>, number]>([
  ['names the end of a turn too', { eosTokenIds: [0, 2] }, 2],
  ['has no template', { chatTemplate: undefined }, 0],
  ['has a template that ends no turn', { chatTemplate: "{% for m in messages %}{{ m['content'] }}{% endfor %}" }, 0],
  ['has a template that takes no such conversation', { chatTemplate: "{{ raise_exception('no') }}" }, 0],
])('a model that %s is told nothing', (_, changes, end) => {
  const files = filesOf(changes);
  expect(codecOf(files).eosTokenId).toBe(end);
  expect(turnEndNote(files, codecOf(files))).toBeUndefined();
});
