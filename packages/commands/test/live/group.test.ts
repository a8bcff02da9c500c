/** Completions on the screen, and episodes of several turns among them. */
import { expect, it } from 'vitest';
import { colors } from '../../../../src/cli/display/colors.ts';
import { groupLines, type ShownGroup } from '../../display/live/group.ts';

const shown = (completion: string, provenance: ShownGroup['entries'][number]['provenance']): string => {
  const verdict = { status: 'correct', score: 1, reason: '' } as const;
  const entry = { completion, verdict, reward: 1, advantage: 0.5, times: 1, provenance };
  const [, line = ''] = groupLines(
    [{ step: 7, prompt: '0 99>', size: 1, dead: false, entries: [entry] }],
    100,
    2,
    colors,
  );
  return line.trimEnd();
};

it('what others said in an episode is between marks, without the ends of lines, a tool by its name', () => {
  const turns = [
    { label: 'policy', text: '50', tokens: 3 },
    { label: 'environment', text: '\n<\n', tokens: 1 },
    { label: 'policy', text: '25', tokens: 3 },
    { label: 'calculator', text: ' 12\n', tokens: 3 },
    { label: 'policy', text: '12\u001b[2J', tokens: 3 },
  ];
  expect(shown('50\n<\n25 12\n12', { turns })).toBe('✓   1.00      +0.50     50 ‹<› 25 ‹calculator: 12› 12·[2J');
});

it('what was put into a completion of one turn is between marks', () => {
  expect(shown('abc', { marks: [[1, 2, 'given']] })).toBe('✓   1.00      +0.50     a‹b›c');
});
