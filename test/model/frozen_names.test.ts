/** Words that name tensors: whole parts of their names, and ranges of layers. */
import { describe, expect, it } from 'vitest';
import { isNamedBy } from '../../src/model/frozen_names.ts';
import { requireNamed } from '../../src/run/check_frozen.ts';

const NAMES = [
  'model.embed_tokens.weight',
  ...[0, 1, 2, 10].flatMap((layer) => [
    `model.layers.${layer}.input_layernorm.weight`,
    `model.layers.${layer}.self_attn.q_proj.weight`,
    `model.layers.${layer}.mlp.up_proj.weight`,
  ]),
  'model.norm.weight',
  'lm_head.weight',
];
const named = (...words: string[]): string[] => NAMES.filter((name) => isNamedBy(words, name));

describe('a word names', () => {
  it.each([
    ['embed_tokens', ['model.embed_tokens.weight']],
    ['lm_head', ['lm_head.weight']],
    ['norm', ['model.norm.weight']],
    ['layers.1', NAMES.filter((name) => name.includes('layers.1.'))],
    ['layers.1-10', NAMES.filter((name) => /layers\.(1|2|10)\./.test(name))],
    ['mlp', NAMES.filter((name) => name.includes('.mlp.'))],
    ['layers.0-1.self_attn', ['model.layers.0.self_attn.q_proj.weight', 'model.layers.1.self_attn.q_proj.weight']],
    ['model.layers.2.mlp.up_proj.weight', ['model.layers.2.mlp.up_proj.weight']],
    ['layers.3', []],
    ['layer', []],
  ])('%s', (word, names) => {
    expect(named(word)).toEqual(names);
  });
});

it('several words name what any of them does, and one that names nothing is refused with the parts that there are', () => {
  expect(named('embed_tokens', 'norm')).toEqual(['model.embed_tokens.weight', 'model.norm.weight']);
  expect(() => requireNamed(['mlp', 'layers.0-10'], NAMES)).not.toThrow();
  expect(() => requireNamed(['mlp', 'attention'], NAMES)).toThrow(
    'freeze: "attention" — no tensor has this in its name; use parts of names: model, embed_tokens, layers, input_layernorm, self_attn, q_proj, mlp, up_proj, norm, lm_head, layers.0-3.',
  );
});
