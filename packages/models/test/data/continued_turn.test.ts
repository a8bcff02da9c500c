/** A prompt that ends with words of the assistant is continued, as TRL's `maybe_apply_chat_template` renders it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Message, promptOf } from '../../../../src/text/codec.ts';
import { pretrainedCodec } from '../../text/pretrained_codec.ts';

const golden = JSON.parse(readFileSync(new URL('../../../../test/golden/text.json', import.meta.url), 'utf8'));

const templateOf = (content: string): string =>
  `{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ ${content} }}<|im_end|>\n{% endfor %}` +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';

function promptText(content: string, template = templateOf("m['content']")): string {
  const { tokenizer } = golden.tokenizers.smollm;
  const files = { tokenizer, config: golden.tokens, chatTemplate: template, eosTokenIds: [], source: 'model' };
  const messages: readonly Message[] = [
    { role: 'user', content: 'What is 0+1?' },
    { role: 'assistant', content },
  ];
  return promptOf(pretrainedCodec(files, { vocabSize: 512 }), messages);
}

const ASKED = '<|im_start|>user\nWhat is 0+1?<|im_end|>\n<|im_start|>assistant\n';

it.each([
  ['It is', `${ASKED}It is`],
  ['It is ', `${ASKED}It is `],
  ['What is 0+1?', `${ASKED}What is 0+1?`],
])('%j is not closed, and no second turn is opened', (content, text) => {
  expect(promptText(content)).toBe(text);
});

it('ends where the template ends it, if that strips blanks', () => {
  expect(promptText('It is \n', templateOf("m['content'].strip()"))).toBe(`${ASKED}It is`);
});

it('is refused where the template writes something else', () => {
  expect(() => promptText('It is', templateOf("m['content'] | upper"))).toThrow(
    'the chat template does not write the last message as it is, so it cannot be continued; end the prompt with the question.',
  );
});

it('a prompt that ends with a question is answered by a new turn', () => {
  const { tokenizer } = golden.tokenizers.smollm;
  const chatTemplate = templateOf("m['content']");
  const files = { tokenizer, config: golden.tokens, chatTemplate, eosTokenIds: [], source: 'model' };
  const codec = pretrainedCodec(files, { vocabSize: 512 });
  expect(promptOf(codec, [{ role: 'user', content: 'What is 0+1?' }])).toBe(ASKED);
});
