import pc from 'picocolors';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type FrameOptions, frame } from '../../display/live/frame.ts';
import { HELP } from '../../display/live/help.ts';
import { type LiveState, reduce, startState } from '../../display/live/state.ts';
import {
  evaluation,
  grpoStep,
  MIDDLE,
  rolloutGroups,
  rollouts,
  stage,
  stateAfter,
  textOf,
  WARM_START,
  WORK,
} from './events.ts';

const plain = pc.createColors(false);

function drawn(state: LiveState, options: Partial<FrameOptions> = {}): string[] {
  return frame(state, { columns: 80, rows: 24, colors: plain, asked: 'nothing', keys: true, ...options });
}

const text = (lines: readonly string[]): string => `\n${lines.map((line) => line.trimEnd()).join('\n')}\n`;

describe('a frame', () => {
  it('in the middle of reinforcement, at 80 columns', () => {
    expect(text(drawn(stateAfter(MIDDLE)))).toMatchInlineSnapshot(`
      "
      ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━────────────────────  63 %, about 44s left
      grpo   step 120 of 200   14,000 tokens/s   1m 18s so far
      reward 0.546                            held-out █greedy 43.2 % ─sampled 34.6 %
      0.545               ▁▁▂▃▃▄▄▅▅▆▆▆▇▇▇███  47 %                 ▁▁▁▁▂▂▂▃▃▃▃▄▄
                  ▁▃▄▄▅▆▇███████████████████        ▄▄▄▅▅▅▆▆▆▇▇▇────────────────
      0.207 ▁▂▄▅▇███████████████████████████  24 %  ▔▔▔▔▔▔▔▔▔▔▔▔████████████████
      entropy 0.404   length 12.0   cut off  1.3 %   dead groups 18.8 %
      ✓ 5 5 2 = 20 ? 5 + 5 = 10 , 10 * 2 = 20
      p pause   e evaluate now   q save and quit   h help
      "
    `);
  });

  it('in the middle of reinforcement, at 120 columns', () => {
    expect(text(drawn(stateAfter(MIDDLE), { columns: 120 }))).toMatchInlineSnapshot(`
      "
      ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━──────────────────────────────────  63 %, about 44s left
      grpo   step 120 of 200   14,000 tokens/s   1m 18s so far
      reward 0.546                                                held-out   █ greedy 43.2 %   ─ sampled 34.6 %
      0.545                        ▁▁▁▂▂▃▃▃▄▄▄▅▅▅▅▆▆▆▆▆▇▇▇▇▇████  47 %                           ▁▁▁▁▁▂▂▂▂▂▂▃▃▃▃▃▄▄▄
                     ▁▁▂▃▃▄▅▅▆▆▇▇███████████████████████████████        ▄▄▄▄▅▅▅▅▅▆▆▆▆▆▆▇▇▇▇▇────────────────────────
      0.207 ▁▂▃▄▅▅▆▇████████████████████████████████████████████  24 %  ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔████████████████████████
      entropy 0.404   length 12.0   cut off  1.3 %   dead groups 18.8 %   grad norm 0.31   learning rate 3.0e-4
      ✓ 5 5 2 = 20 ? 5 + 5 = 10 , 10 * 2 = 20
      p pause   e evaluate now   q save and quit   h help
      "
    `);
  });

  it('in the supervised stage', () => {
    expect(text(drawn(stateAfter(WARM_START.slice(0, 40))))).toMatchInlineSnapshot(`
      "
      ━━────────────────────────────────────────────────────   3 %, about 1m 50s left
      sft   step  39 of 100    7,000 tokens/s   4s so far
      loss 0.818                              held-out not evaluated yet
      2.90   █▆▅▄▃▂▁
             ████████▇▆▅▄▃▂▂▁
      0.818  █████████████████▇▇▆▆▅▅▄▄▃▃▂▂▁▁
      entropy 0.943   grad norm 1.25   learning rate 2.0e-3
      p pause   e evaluate now   q save and quit   h help
      "
    `);
  });

  it('before the first stage, and in a terminal of few rows', () => {
    expect(text(drawn(startState(WORK, 0, textOf)))).toMatchInlineSnapshot(`
      "
      ──────────────────────────────────────────────────────   0 %
      starting   0s so far
      entropy –   grad norm –   learning rate –
      p pause   e evaluate now   q save and quit   h help
      "
    `);
    expect(text(drawn(stateAfter(MIDDLE), { rows: 12 }))).toMatchInlineSnapshot(`
      "
      ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━────────────────────  63 %, about 44s left
      grpo   step 120 of 200   14,000 tokens/s   1m 18s so far
      entropy 0.404   length 12.0   cut off  1.3 %   dead groups 18.8 %
      ✓ 5 5 2 = 20 ? 5 + 5 = 10 , 10 * 2 = 20
      p pause   e evaluate now   q save and quit   h help
      "
    `);
  });

  it('keeps its figures in their columns as they grow', () => {
    const columnsOf = (step: number): number[] => {
      const steps = [step - 1, step].map((each) => ({ event: grpoStep(each), after: step }));
      const [progress = '', place = ''] = drawn(stateAfter([...WARM_START, { event: stage(1), after: 0 }, ...steps]));
      return [progress.indexOf(' '), place.indexOf(' tokens/s')];
    };
    expect(columnsOf(9)).toEqual(columnsOf(120));
  });

  it.each([
    ['evaluation', 'evaluating after this step'],
    ['evaluating', 'evaluating'],
    ['pause', 'pausing after this step'],
    ['paused', 'paused'],
    ['stop', 'stopping and saving'],
  ] as const)('says that %s was asked for', (asked, notice) => {
    expect(drawn(stateAfter(MIDDLE), { asked })[1]).toContain(`   ${notice}   `);
  });

  it('offers p to go on while the run rests, and Ctrl-C where keys cannot be read', () => {
    expect(drawn(stateAfter(MIDDLE), { asked: 'paused' }).at(-1)).toMatch(/^p continue /);
    expect(drawn(stateAfter(MIDDLE), { keys: false }).at(-1)).toBe('Ctrl-C saves and quits');
  });
});

describe('a taller terminal', () => {
  it('has larger charts and groups, whose height stays', () => {
    const state = stateAfter(MIDDLE);
    expect(text(drawn(state, { columns: 100, rows: 40 }))).toMatchInlineSnapshot(`
      "
      ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━───────────────────────────  63 %, about 44s left
      grpo   step 120 of 200   14,000 tokens/s   1m 18s so far
      reward 0.546                                      held-out   █ greedy 43.2 %   ─ sampled 34.6 %
      0.545                              ▁▂▃▃▄▄▅▆▆▇▇██  47 %
                                 ▁▃▄▅▆▇▇██████████████                                 ▁▁▂▃▃▄▄▅▅▆▇
                           ▂▃▅▆▇██████████████████████                   ▁▁▂▃▃▄▄▅▅▆▆▇█████████████
                      ▁▃▅▆████████████████████████████        ▃▃▄▅▅▆▆▇▇██████████████████████─────
                  ▁▃▅▇████████████████████████████████        █████████████─────────▔▔▔▔▔▔▔▔▔█████
               ▁▄▆████████████████████████████████████        ───▔▔▔▔▔▔▔▔▔▔███████████████████████
      0.207 ▁▃▆███████████████████████████████████████  24 %  ████████████████████████████████████
      entropy 0.404   length 12.0   cut off  1.3 %   dead groups 18.8 %   grad norm 0.31
        reward  advantage     5 5 2 = 20 ?  step 1, 1 completion
      ✓      –       0.00     5 + 5 = 10 , 10 * 2 = 20






      p pause   e evaluate now   q save and quit   h help
      "
    `);
    const fuller = reduce(state, rolloutGroups(['a', 'b', 'c']), state.now + 9000);
    for (const rows of [30, 44, 60]) {
      expect(drawn(fuller, { rows }).length).toBe(drawn(state, { rows }).length);
      expect(drawn(state, { rows }).length).toBeLessThanOrEqual(rows / 2 + 2);
    }
  });

  it('shows a group for long enough to be read, and completions that are alike as one', () => {
    const group = rolloutGroups(['right', 'wrong', 'right', 'right']);
    const state = reduce(stateAfter(MIDDLE), group, 1e6);
    const shown = drawn(state, { rows: 44 });
    const at = shown.findIndex((line) => line.includes('reward  advantage'));
    expect(shown.slice(at, at + 3).map((line) => line.trimEnd())).toEqual([
      '  reward  advantage     1 2 3 = 6 ?  step 1, 4 completions',
      '✓   1.00      +0.50  ×3 right',
      '✗   0.00      −1.50     wrong  19 is not 20',
    ]);
    const replay = rolloutGroups(['5 4 3'], {
      tokens: Int32Array.of(5, 4, 3),
      labels: Uint8Array.of(1, 1, 0),
      origin: 'replay',
      age: 3,
      prompt: Int32Array.of(9, 8),
    });
    const marked = drawn(reduce(state, replay, 2e6), { rows: 44, columns: 120 });
    expect(marked[at + 1]?.trimEnd()).toBe(
      '✗   0.00      −1.50     replay, 3 steps old: ‹5 4› 3  19 is not 20  sampled and trained under: 9 8',
    );
    expect(reduce(state, rollouts('next', 'x'), 1e6 + 7900).groups).toBe(state.groups);
    expect(reduce(state, rollouts('next', 'x'), 1e6 + 8100).groups?.shown[0]?.prompt).toBe('next');
  });
});

it('shows help in the place of charts, and takes it away again', () => {
  const state = stateAfter(MIDDLE);
  const help = drawn(state, { help: true });
  expect(help).toHaveLength(11);
  expect(help.join('\n')).toContain(HELP.join('\n'));
  expect(help.at(-1)).toMatch(/h back$/);
  expect(drawn(state, { help: true, rows: 8 }).at(-1)).toMatch(/^p pause/);
  const narrow = drawn(state, { help: true, columns: 60, rows: 40 }).map((line) => line.trim());
  expect(narrow.join(' ')).toContain('dead groups  share of prompts whose completions all got the same reward');
});

it('an axis is no narrower than the interval of an evaluation: its noise does not look like a fall', () => {
  const begun = [...WARM_START, { event: stage(1), after: 0 }];
  const flat = [0.992, 0.99, 0.993].map((greedy, i) => ({ event: evaluation('periodic', 50 * i, greedy), after: 2 }));
  const rows = drawn(stateAfter([...begun, ...flat])).slice(3, 6);
  // 99.0 to 99.3 %, each within 4 points: the blocks stay level, and the axis spans the interval.
  expect(rows[0]).toMatch(/ 103 % (?:▆+|▅+)$/);
  expect(rows[2]).toMatch(/ 75 % {2}\S/);
});

describe('no line wraps', () => {
  const long = rollouts('長い問題 '.repeat(20), '🙂 답 '.repeat(40));
  const states = [
    startState(WORK, 0, textOf),
    stateAfter(WARM_START),
    stateAfter(MIDDLE),
    reduce(stateAfter(WARM_START), long, 1e6),
  ];

  it.each(Array.from({ length: 40 }, (_, i) => 1 + 4 * i))('at %i columns', (columns) => {
    for (const state of states) {
      for (const [rows, help] of [3, 10, 24, 30, 60].flatMap((some) => [
        [some, false] as const,
        [some, true] as const,
      ])) {
        const lines = drawn(state, { columns, rows, help });
        const most = help ? rows - 2 : rows <= 24 ? 10 : rows / 2 + 2;
        expect(lines.length).toBeLessThanOrEqual(Math.min(rows - 2, most));
        for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(Math.max(1, columns - 1));
      }
    }
  });

  it('in the help, at 80 columns', () => {
    expect(Math.max(...HELP.map((line) => line.length))).toBeLessThan(80);
  });
});

it('has the same text with colours as without', () => {
  const painted = drawn(stateAfter(MIDDLE), { colors: pc.createColors(true) });
  expect(painted.join('\n')).toContain('\u001b[');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
  expect(painted.map((line) => line.replace(/\u001b\[[\d;]*m/g, ''))).toEqual(drawn(stateAfter(MIDDLE)));
});

it('shows no control character of a model: none can move the cursor or end the line', () => {
  const state = reduce(stateAfter(WARM_START), rollouts('2\u001b[2J3', 'a\nb\r\u0007\u202e\u009bK'), 1e6);
  expect(drawn(state).join('')).toContain('2·[2J3 a·b····K');
});

it('draws the line of sampled accuracy on the blocks of greedy accuracy, not through them', () => {
  const lines = drawn(stateAfter(MIDDLE), { colors: pc.createColors(true) }).slice(3, 6);
  const [yellow, magenta, end] = ['\u001b[33m', '\u001b[45m', '\u001b[49m'];
  expect(lines[1]).toContain(`${magenta}${yellow}${'─'.repeat(16)}\u001b[39m${end}`);
});
