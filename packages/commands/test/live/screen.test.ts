/** The bytes that a screen writes, as a terminal understands them. */
import xterm from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { Screen } from '../../display/live/screen.ts';

interface Fixture {
  readonly screen: Screen;
  /** Everything written so far. */
  readonly written: () => string;
  /** What another program writes. */
  readonly type: (text: string) => void;
  readonly resize: (columns: number) => Promise<void>;
  /** Rows of the screen and of what scrolled away, as text. */
  readonly rows: () => Promise<string[]>;
}

function open(columns: number, rows = 12): Fixture {
  const terminal = new xterm.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true });
  let written = '';
  const write = (text: string): void => {
    written += text;
    terminal.write(text);
  };
  const settled = (): Promise<void> => new Promise((resolve) => terminal.write('', resolve));
  const screen = new Screen({
    get columns() {
      return terminal.cols;
    },
    write,
  });
  return {
    screen,
    written: () => written,
    type: (text) => terminal.write(text),
    resize: async (to) => {
      await settled();
      terminal.resize(to, rows);
    },
    rows: async () => {
      await settled();
      const { active } = terminal.buffer;
      const all = Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true) ?? '');
      return all.slice(0, all.findLastIndex((row) => row !== '') + 1);
    },
  };
}

const REGION = ['━━━━━━━━━━━━━━━━━━', 'step 1 of 9', 'p pause'];

describe('a screen', () => {
  it('redraws its region in place', async () => {
    const { screen, rows } = open(20);
    screen.draw(REGION);
    screen.draw(['━━━━━━━━━━━━━━━━━━', 'step 2', 'p pause']);
    expect(await rows()).toEqual(['━━━━━━━━━━━━━━━━━━', 'step 2', 'p pause']);
  });

  it('prints finished lines above it, also where they wrap, and lets them scroll away', async () => {
    const { screen, rows } = open(20, 8);
    screen.draw(REGION);
    screen.print('a line of twenty-nine columns.');
    for (let line = 1; line <= 6; line++) screen.print(`finished ${line}`);
    const finished = Array.from({ length: 6 }, (_, i) => `finished ${i + 1}`);
    expect(await rows()).toEqual(['a line of twenty-nin', 'e columns.', ...finished, ...REGION]);
  });

  it('grows and shrinks without leaving a row behind', async () => {
    const { screen, rows } = open(20);
    screen.print('finished');
    screen.draw(REGION);
    screen.draw(['one']);
    expect(await rows()).toEqual(['finished', 'one']);
    screen.draw(REGION);
    expect(await rows()).toEqual(['finished', ...REGION]);
  });

  it('leaves nothing of the wider region behind when the terminal becomes narrower', async () => {
    const { screen, resize, rows } = open(20);
    screen.print('finished');
    screen.draw(REGION);
    await resize(7);
    const narrow = ['━━━━━━', 'step 1', 'p'];
    screen.draw(narrow);
    expect((await rows()).slice(-5)).toEqual(['finishe', 'd', ...narrow]);
    await resize(30);
    screen.draw(REGION);
    expect((await rows()).slice(-4)).toEqual(['finished', ...REGION]);
  });

  it('writes nothing for a frame that is the same, and only the lines that differ for another', () => {
    const { screen, written } = open(20);
    screen.draw(REGION);
    const before = written().length;
    screen.draw([...REGION]);
    expect(written().length).toBe(before);
    screen.draw(['━━━━━━━━━━━━━━━━━━', 'step 2', 'p pause']);
    expect(written().slice(before)).toContain('step 2');
    expect(written().slice(before)).not.toContain('pause');
  });

  it('prints finished lines and redraws its region in one frame', async () => {
    const { screen, written, rows } = open(20);
    screen.draw(REGION);
    const before = written().length;
    screen.draw(REGION, 'finished\n');
    expect(written().slice(before).split('\u001b[?2026h')).toHaveLength(2);
    expect(await rows()).toEqual(['finished', ...REGION]);
  });

  it('leaves no torn region when the terminal is made narrower, shorter and wider by turns', async () => {
    const { screen, rows, resize } = open(80, 24);
    for (let line = 1; line <= 5; line++) screen.print(`finished ${line}`);
    for (const columns of [80, 60, 45, 61, 33, 80]) {
      await resize(columns);
      const region = ['━'.repeat(columns - 1), `step ${columns}`, '█'.repeat(columns - 1), 'p pause'];
      screen.draw(region);
      const shown = await rows();
      expect(shown.slice(-4)).toEqual(region);
      expect(shown.slice(0, -4)).toEqual([1, 2, 3, 4, 5].map((line) => `finished ${line}`));
    }
  });

  it('begins a new region where another program has left the cursor', async () => {
    const { screen, rows, type } = open(20);
    screen.draw(REGION);
    screen.forget();
    type('$ jobs\n');
    screen.draw(['again']);
    expect(await rows()).toEqual([...REGION, '$ jobs', 'again']);
  });

  it('without a region prints plain text: nothing that moves a cursor which may be at work elsewhere', () => {
    const { screen, written } = open(20);
    screen.print('in the background');
    screen.clear();
    expect(written()).toBe('in the background\n');
  });

  it('goes without a trace, and shows the cursor again', async () => {
    const { screen, rows, written } = open(20);
    screen.print('finished');
    screen.draw(REGION);
    expect(written()).toContain('\u001b[?25l');
    screen.clear();
    expect(await rows()).toEqual(['finished']);
    expect(written().endsWith('\u001b[?25h')).toBe(true);
  });
});
