import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dialogueTokens } from '../../../../src/data/prompts/dialogue_tokens.ts';
import { byteTokenizer } from '../../../../src/text/byte_tokenizer.ts';
import { type Codec, closedCodec, type Message } from '../../../../src/text/codec.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { pretrainedCodec } from '../../text/pretrained_codec.ts';

const golden = JSON.parse(readFileSync(new URL('../../../../test/golden/text.json', import.meta.url), 'utf8'));

function codecOf(template: string, chatTemplateKwargs: Record<string, unknown> = {}): Codec {
  const files = {
    tokenizer: golden.tokenizers.smollm.tokenizer,
    config: golden.tokens,
    chatTemplate: golden.templates[template].template,
    eosTokenIds: [2],
    source: template,
  };
  return pretrainedCodec(files, { vocabSize: 512, chatTemplateKwargs });
}

const TURNS: readonly Message[] = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: '1 + 1?' },
  { role: 'assistant', content: '2' },
  { role: 'user', content: 'And 1 more?' },
  { role: 'assistant', content: 'Three, 漢😀.' },
];

/** What is learned, turn by turn. */
function learned(codec: Codec, turns: readonly Message[]): string[] {
  const { tokens, labels = new Uint8Array() } = dialogueTokens(codec, turns, 'q.jsonl:3');
  const parts: number[][] = [[]];
  tokens.forEach((token, i) => {
    if (labels[i] === TOKEN.reference) parts[parts.length - 1].push(token);
    else if (parts[parts.length - 1].length > 0) parts.push([]);
  });
  return parts.filter(({ length }) => length > 0).map((part) => codec.decode(part));
}

describe('a conversation', () => {
  it.each(['smollm2', 'qwen2.5'])('has a loss on the assistant’s turns, each with its end: %s', (template) => {
    const codec = codecOf(template);
    expect(learned(codec, TURNS)).toEqual(['2<|im_end|>', 'Three, 漢😀.<|im_end|>']);
  });

  it.each(['smollm2', 'qwen2.5'])('is written as the template writes it: %s', (template) => {
    const codec = codecOf(template);
    const { prompt, tokens } = dialogueTokens(codec, TURNS, 'q.jsonl:3');
    expect(codec.decode(prompt)).toBe(codec.render(TURNS.slice(0, 2)));
    expect(codec.decode([...prompt, ...tokens])).toBe(codec.render(TURNS, 'answered').trimEnd());
  });

  it('has the prompt and the answer that sampling has, where it is one question', () => {
    const codec = codecOf('smollm2');
    const { prompt, tokens, labels } = dialogueTokens(codec, TURNS.slice(0, 3), 'q.jsonl:3');
    expect(prompt).toEqual(codec.encode(codec.render(TURNS.slice(0, 2))));
    expect([...tokens]).toEqual([...codec.encode('2'), codec.eosTokenId]);
    expect(labels?.every((label) => label === TOKEN.reference)).toBe(true);
  });

  it('in bytes is its texts one behind the other, with an end behind each answer', () => {
    const codec = closedCodec(byteTokenizer);
    expect(learned(codec, TURNS)).toEqual(['2<eos>', 'Three, 漢😀.<eos>']);
    expect(codec.decode(dialogueTokens(codec, TURNS, '').prompt)).toBe('Be short.1 + 1?');
  });

  it('is refused with its row where the template takes back what it wrote', () => {
    const thought: Message = { role: 'assistant', content: '<think>\none and one\n</think>\n\n2' };
    const turns = [TURNS[1], thought, TURNS[3], TURNS[4]];
    expect(() => dialogueTokens(codecOf('qwen3'), turns, 'q.jsonl:3')).toThrow(
      'q.jsonl:3  the chat template rewrites what precedes turn 4, so its answers cannot be learned in one pass; give ' +
        'conversations of one answer each, or chat_template_kwargs that keep former turns.',
    );
    expect(learned(codecOf('qwen3'), turns.slice(0, 2))).toEqual(['<think>\none and one\n</think>\n\n2<|im_end|>']);
  });
});
