import { describe, expect, it } from 'vitest';
import { type Row, StepTrial } from '../../support/group_steps.ts';

const says = (text: string, score = 0, extra: Partial<NonNullable<Row['verdict']>> = {}): Row => ({
  parts: [score],
  text,
  verdict: { score, status: score === 1 ? 'correct' : 'incorrect', ...extra },
});
const invalid = (text: string): Row => says(text, 0, { status: 'invalid' });
const trial = (options = '') => new StepTrial(`{name: majority${options}}`, '[accuracy]');

describe('the majority', () => {
  it('is rewarded, right or wrong', () => {
    const { rewards, logged } = trial().apply([[says('7'), says('7'), says('8', 1), says('9')]]);
    expect(rewards).toEqual([[1, 1, 0, 0]]);
    expect(logged).toMatchObject({ 'majority/share': 0.5, 'majority/accuracy': 0.25, 'majority/label_accuracy': 0 });
  });

  it('of equally many votes is the answer that came first', () => {
    expect(trial().apply([[says('8'), says('7'), says('7'), says('8')]]).rewards).toEqual([[1, 0, 0, 1]]);
  });

  it('is of answers alone: what is invalid or cut off has no vote and no reward', () => {
    const cut = says('7', 0, { status: 'truncated' });
    const { rewards, groups } = trial().apply([
      [invalid('x'), invalid('x'), cut, says('7')],
      [invalid('x'), invalid('y')],
    ]);
    expect(rewards).toEqual([
      [0, 0, 0, 1],
      [0, 0],
    ]);
    expect(groups).toHaveLength(2);
  });

  it('counts answers by their normal form where the verdict has one, or by their text', () => {
    const rows = [
      says('1+2', 1, { canonical: '1+2' }),
      says('2+1', 1, { canonical: '1+2' }),
      says(' 4 '),
      says('4'),
      says('4'),
    ];
    expect(trial().apply([rows]).rewards).toEqual([[0, 0, 1, 1, 1]]);
    expect(trial().apply([rows.slice(0, 4)]).rewards).toEqual([[1, 1, 0, 0]]);
    expect(trial(', vote_by: text').apply([rows.slice(0, 4)]).rewards).toEqual([[0, 0, 1, 1]]);
  });

  it('may stand in the place of one reward, the others being added', () => {
    const two = new StepTrial('{name: majority, reward: accuracy}', '[accuracy, {name: lcs, weight: 0.5}]');
    const { rewards } = two.apply([
      [
        { ...says('7'), parts: [0, 1] },
        { ...says('7'), parts: [0, 0] },
        { ...says('8', 1), parts: [1, 1] },
      ],
    ]);
    expect(rewards).toEqual([[1.5, 1, 0.5]]);
  });
});

describe('the alarm of a collapse', () => {
  const good = [says('8', 1), says('8', 1), says('8', 1), says('7')];
  const collapsed = [says('0'), says('0'), says('0'), says('0')];

  it('is 0 while accuracy holds, and grows where all agree and accuracy falls', () => {
    const watched = trial();
    const alarms = [good, good, collapsed, collapsed, collapsed].map(
      (rows, step) => watched.apply([rows], step).logged['majority/collapse'],
    );
    expect(alarms.slice(0, 2)).toEqual([0, 0]);
    expect(alarms[2]).toBeCloseTo(0.75 - 0.675, 12);
    expect(alarms[4]).toBeGreaterThan(alarms[3]);
  });

  it('goes on after a checkpoint as if there had been none', () => {
    const [whole, first, second] = [trial(), trial(), trial()];
    for (const one of [whole, first]) one.apply([good]);
    second.state = first.state;
    expect(second.apply([collapsed], 1).logged).toEqual(whole.apply([collapsed], 1).logged);
    expect(whole.state).toEqual(second.state);
  });
});
