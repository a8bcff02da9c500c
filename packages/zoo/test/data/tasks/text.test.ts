import { describe, expect, it } from 'vitest';
import { constraints } from '../../../data/tasks/constraints/constraints.ts';
import { keepsAll, writtenFor } from '../../../data/tasks/constraints/writer.ts';
import { openRef } from '../../../data/tasks/open_ref/open_ref.ts';
import type { Instruction } from '../../../parsing/instruction.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { TEXT } from '../second_checkers/text.ts';

describeTasks(TEXT, {
  constraints: ['8c69d337', '1af80f24', '05a7f03f', 'b0b8c446'],
  open_ref: ['fa9ef74c', 'c9a19324', 'cce30069', '62d4f1a2'],
});

describe('constraints: the word lamo twice, three words at most', () => {
  const instructions: Instruction[] = [
    { kind: 'keyword', word: 'lamo', exactly: 2 },
    { kind: 'words', most: 3 },
  ];

  itScores(constraints, {
    problem: { instructions },
    1: ['lamo lamo', 'Lamo, so lamo.'],
    // biome-ignore format: a list
    0: [
      'lamo', 'lamolamo', 'lamo lamo lamo', 'we see lamo and lamo', 'write word lamo = 2; words <= 3', '', '...',
      'lamo l\u0430mo', 'I have kept to all instructions',
    ],
  });

  it('pays nothing for the instructions that are kept, but tells which', () => {
    const context = { finishReason: 'eos' } as const;
    const verdict = constraints.verify({ instructions }, 'lamo we see it', { instructions: 2, kinds: 'all' }, context);
    expect(verdict).toMatchObject({ score: 0, parts: { instructions: 0, keyword: 0, words: 0 } });
    const half = constraints.verify({ instructions }, 'lamo', { instructions: 2, kinds: 'all' }, context);
    expect(half).toMatchObject({ score: 0, parts: { instructions: 0.5, keyword: 0, words: 1 } });
  });
});

describe('open_ref: ana, a cook with a cat', () => {
  itScores(openRef, {
    problem: {
      people: [
        {
          name: 'ana',
          facts: [
            ['pet', 'cat'],
            ['job', 'cook'],
          ],
        },
      ],
      reference: [true],
    },
    1: ['ana the cook has a cat', 'ana is a cook and has a cat', 'ana has a cat and is a cook.'],
    // biome-ignore format: a list
    0: [
      '', 'ana has a cat', 'ana the cook has a dog', 'ana the cook is a cook and has a cat', 'ben the cook has a cat',
      'ana the cook has a cat and likes rice', 'ana job cook pet cat', 'the cook has a cat', 'ana the cook has a cat. ana the cook has a cat',
    ],
  });
});

describe('the writer', () => {
  it.each<readonly [string, Instruction[]]>(
    /* biome-ignore format: a table */ [
      ['small letters, and a comma nowhere', [{ kind: 'lowercase' }, { kind: 'no_commas' }]],
      ['five words in two sentences', [{ kind: 'words', exactly: 5 }, { kind: 'sentences', exactly: 2 }]],
      ['bullets and a postscript', [{ kind: 'bullets', exactly: 3 }, { kind: 'postscript', text: 'P.S.' }]],
      ['JSON with a word', [{ kind: 'json' }, { kind: 'keyword', word: 'lamo', least: 2 }]],
      ['a beginning and an end', [{ kind: 'starts_with', text: 'nito' }, { kind: 'ends_with', text: 'gepu' }]],
    ],
  )('keeps to %s', (_name, instructions) => {
    const text = writtenFor(instructions);
    expect(text !== undefined && keepsAll(text, instructions), text).toBe(true);
  });

  it('gives up what contradicts', () => {
    expect(writtenFor([{ kind: 'lowercase' }, { kind: 'uppercase' }])).toBeUndefined();
    expect(
      writtenFor([
        { kind: 'words', exactly: 2 },
        { kind: 'paragraphs', exactly: 4 },
      ]),
    ).toBeUndefined();
  });
});
