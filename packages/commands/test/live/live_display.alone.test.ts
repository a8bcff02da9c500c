/** The whole live display on an imagined terminal: its keys, a resume, and what is left when it goes. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import xterm from '@xterm/headless';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { parseConfig } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { LiveDisplay } from '../../display/live/live_display.ts';
import { RunControls } from '../../process/controls.ts';
import { evaluation, grpoStep, stage } from './events.ts';

// A test has no terminal of its own that it could be in front of.
vi.mock('../../display/live/foreground.ts', () => ({ isInForeground: () => true }));

const { config } = parseConfig(
  `task: {name: sort_digits, digits: 2}
stages:
  - {stage: sft, max_steps: 100, learning_rate: 1.0e-3}
  - {stage: grpo, max_steps: 200, learning_rate: 1.0e-3}`,
  { file: 'inline' },
);

let directory = '';
let now = 0;
let terminal: xterm.Terminal;
let controls: RunControls;
let display: LiveDisplay;
/** What was written to the terminal. */
let written: string[] = [];
const stdin = { isTTY: process.stdin.isTTY, setRawMode: process.stdin.setRawMode };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rlvr-live-'));
  now = 0;
  terminal = new xterm.Terminal({ cols: 80, rows: 24, convertEol: true, allowProposedApi: true });
  written = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    terminal.write(text);
    return true;
  });
  resize(80, 24);
  Object.assign(process.stdin, { isTTY: true, setRawMode: () => process.stdin });
  const run = {
    config,
    methods: config.stages.map(() => undefined),
    engine: { tasks: createTasks(config), policy: { capacity: { keptRows: 0 } } },
    journal: { state: { tokens: 0 }, clock: () => now },
  } as unknown as TrainingRun; // only what a display asks of a run
  controls = new RunControls();
  display = new LiveDisplay({ run, directory }, controls);
});
afterEach(() => {
  display.close();
  vi.restoreAllMocks();
  Object.assign(process.stdin, stdin);
  for (const name of ['columns', 'rows', 'isTTY']) Reflect.deleteProperty(process.stdout, name);
  rmSync(directory, { recursive: true });
});

/** As a terminal does it, before the process hears of it. */
function resize(columns: number, rows: number): void {
  terminal.resize(columns, rows);
  for (const [name, value] of Object.entries({ columns, rows, isTTY: true })) {
    Object.defineProperty(process.stdout, name, { value, configurable: true, writable: true });
  }
}

/** The rows of the screen and of what scrolled away, after the next frame. */
async function screen(): Promise<string[]> {
  process.stdout.emit('resize');
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise<void>((resolve) => terminal.write('', resolve));
  const { active } = terminal.buffer;
  const all = Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true) ?? '');
  return all.slice(0, all.findLastIndex((row) => row !== '') + 1);
}

function press(key: string): void {
  process.stdin.emit('data', Buffer.from(key));
}

/** The log of a grpo stage of so many steps, as a run leaves it. */
function writeLog(steps: number): void {
  const lines = Array.from({ length: steps }, (_, i) => {
    const event = grpoStep(i + 1);
    return event.type === 'step' ? JSON.stringify(event.metrics) : '';
  });
  const evaluated = { step: 50, stage: 'grpo', evaluation: 'periodic', eval_accuracy: 0.5, 'eval_mean@4': 0.25 };
  lines.splice(50, 0, JSON.stringify(evaluated));
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'metrics.jsonl'), `${lines.join('\n')}\n`);
}

it('after a resume, charts and clock go on from the log', async () => {
  writeLog(120);
  await display.handle({ type: 'resumed', checkpoint: 'grpo-120', wallSeconds: 90 });
  await display.handle(stage(1, 120));
  now = 5000;
  const rows = (await screen()).join('\n');
  expect(rows).toContain('1m 35s so far');
  expect(rows).toContain('reward 0.546');
  expect(rows).toContain('held-out █greedy 50.0 % ─sampled 25.0 %');
  expect(rows).toMatch(/^0\.545 .*▁▁▂▃▃▄▄▅/m);
});

it('the title of the window says how far the run is, and the one before comes back', async () => {
  const titles: string[] = [];
  terminal.onTitleChange((title) => titles.push(title));
  await screen();
  await display.handle(stage(1));
  await screen();
  await display.handle(grpoStep(7));
  await screen();
  await screen();
  const name = basename(directory);
  expect(titles).toEqual([name, `0 of 200 · ${name}`, `7 of 200 · ${name}`]);
  display.close();
  const texts = written.join('');
  expect(texts.split('\u001b[22;2t')).toHaveLength(2);
  expect(texts.split('\u001b[23;2t')).toHaveLength(2);
});

it('h shows help inside the region, again takes it away, and nothing of it scrolls away', async () => {
  await display.handle(stage(1));
  await display.handle(evaluation('baseline', 0, 0.3));
  const before = await screen();
  press('h');
  expect((await screen()).join('\n')).toContain('dead groups  share of prompts');
  press('H');
  expect(await screen()).toEqual(before);
});

it('p, e and q ask the run, and the region says so', async () => {
  await display.handle(stage(1));
  await screen(); // keys are read once the region is drawn
  const shown: [string, string, string][] = [
    ['p', 'pause', 'pausing after this step'],
    ['p', 'nothing', '0s so far'],
    ['e', 'evaluation', 'evaluating after this step'],
    ['q', 'stop', 'stopping and saving'],
  ];
  for (const [key, asked, notice] of shown) {
    press(key);
    expect(controls.asked).toBe(asked);
    expect((await screen()).join('\n')).toContain(notice);
  }
});

it('a resize leaves one whole region, below the lines that were finished', async () => {
  await display.handle(stage(1));
  for (const [columns, rows] of [
    [60, 20],
    [45, 24],
    [120, 40],
    [80, 24],
  ] as const) {
    resize(columns, rows);
    const shown = await screen();
    expect(shown.filter((row) => row.startsWith('p pause'))).toHaveLength(1);
    expect(shown.filter((row) => row.startsWith('━') || row.startsWith('──'))).toHaveLength(1);
    expect(shown[0]).toBe('grpo      200 steps');
  }
});

it('takes its region away when it closes, and prints what has not been printed yet', async () => {
  await display.handle(stage(1));
  await screen();
  display.say('the last word');
  display.close();
  expect(await screen()).toEqual(['grpo      200 steps', 'the last word']);
});
