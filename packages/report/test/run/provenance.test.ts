import { describe, expect, it } from 'vitest';
import type { Rollout } from '../../../../src/methods/records.ts';
import type { JsonObject } from '../../../../src/run/json.ts';
import { provenanceOf } from '../../../../src/run/logs/provenance.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { rolloutOf } from '../../../../test/support/rollouts.ts';
import { originWords, piecesOf, promptWords, readProvenance, spokenTurns } from '../../provenance.ts';

/** Token 0 ends a text and writes nothing; the others write words, with spaces between. */
const textOf = (tokens: Int32Array): string => [...tokens].filter((id) => id > 0).join(' ');

/** `1 2 3 4`, of which the first two were given and the last is a reference. */
const rollout: Rollout = {
  ...rolloutOf(5, 1),
  tokens: Int32Array.of(1, 2, 3, 4, 0),
  labels: Uint8Array.of(TOKEN.given, TOKEN.given, TOKEN.sampled, TOKEN.reference, TOKEN.sampled),
  text: '1 2 3 4',
};

describe('how a completion came to be', () => {
  it('is nothing where it was sampled plainly', () => {
    expect(provenanceOf(rolloutOf(3, 1), textOf)).toEqual({});
    expect(readProvenance({ completion: 'x', reward: 1 })).toBeUndefined();
  });

  it('says what was put in, and where that stands in the text', () => {
    const found = provenanceOf(rollout, textOf);
    expect(found).toEqual({
      given: '1 2',
      reference: '4',
      marks: [
        [0, 3, 'given'],
        [5, 7, 'reference'],
      ],
    });
    expect(piecesOf(rollout.text, found.marks)).toEqual([
      { text: '1 2', kind: 'given' },
      { text: ' 3' },
      { text: ' 4', kind: 'reference' },
    ]);
  });

  it('says who wrote what in a completion of several turns', () => {
    const turns = [
      { tokens: rollout.tokens.subarray(0, 2), label: 'environment', text: '1 2' },
      { tokens: rollout.tokens.subarray(2), label: 'policy', text: ' 3 4' },
    ];
    expect(provenanceOf({ ...rollout, turns }, textOf)).toMatchObject({
      turns: [
        { label: 'environment', text: '1 2', tokens: 2 },
        { label: 'policy', text: ' 3 4', tokens: 3 },
      ],
    });
  });

  it('reads turns as far as a page shows them, and passes over what is none', () => {
    const action = { label: 'policy', text: '44', tokens: 3, reward: 0.5, potential: 0.25 };
    const long = { label: 'calculator', text: 'x'.repeat(3000), tokens: 9 };
    const read = readProvenance({
      marks: [],
      turns: [action, { label: 'policy' }, 7, long, { ...action, reward: '1' }],
    });
    expect(read).toEqual({
      turns: [action, { ...long, text: 'x'.repeat(1998) }, { label: 'policy', text: '', tokens: 3, potential: 0.25 }],
    });
    expect(spokenTurns([{ label: 'environment', text: '\n<\n', tokens: 1 }, action])).toEqual([
      { label: 'environment', text: '<', tokens: 1, isPolicy: false },
      { ...action, isPolicy: true },
    ]);
  });

  it('leaves the places out where the text cannot be cut: half of a character says nothing', () => {
    const broken = (tokens: Int32Array): string => (tokens.length === 5 ? rollout.text : '\ufffd');
    expect(provenanceOf(rollout, broken)).toEqual({ given: '\ufffd', reference: '\ufffd' });
  });

  it('names the origin, its age, and both prompts', () => {
    const [prompt, sampledUnder] = [Int32Array.of(7), Int32Array.of(7, 8)];
    const replay = provenanceOf({ ...rolloutOf(2, 1), origin: 'replay', age: 12, sampledUnder }, textOf);
    expect(replay).toEqual({ origin: 'replay', age: 12, sampled_under: '7 8' });
    expect([originWords(replay), promptWords(replay)]).toEqual(['replay, 12 steps old', ['sampled under: 7 8']]);
    const hinted = provenanceOf({ ...rolloutOf(2, 1), origin: 'hinted', prompt }, textOf);
    expect([originWords(hinted), promptWords(hinted)]).toEqual(['hinted', ['sampled and trained under: 7']]);
    const both = provenanceOf({ ...rolloutOf(2, 1), prompt, sampledUnder }, textOf);
    expect(promptWords(both)).toEqual(['sampled under: 7 8', 'trained under: 7']);
  });

  it('comes back from completions.jsonl, and only what has its form', () => {
    const line = JSON.parse(JSON.stringify({ ...provenanceOf(rollout, textOf), origin: 'hinted' })) as JsonObject;
    expect(readProvenance(line)).toEqual({ origin: 'hinted', marks: line.marks });
    expect(readProvenance({ origin: 7, age: 'old', marks: [[0, 1, 'x'], [0, 'a', 'given'], 3] })).toBeUndefined();
    for (const marks of [[[2, 1]], [[0, 99]], [[-1, 1]]]) {
      expect(
        piecesOf(
          'abc',
          marks.map(([from, to]) => [from, to, 'given'] as const),
        ),
      ).toEqual([{ text: 'abc' }]);
    }
  });
});
