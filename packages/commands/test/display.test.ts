import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Shown } from '../../../src/cli/display/display.ts';
import { evaluationShare } from '../../../src/cli/display/reporter.ts';
import type { TrainEvent } from '../../../src/grpo/events.ts';
import type { TrainingRun } from '../../../src/grpo/run.ts';
import { resumeCommand } from '../../../src/run/resume_command.ts';
import type { SessionEvent } from '../../../src/run/session.ts';
import { createTask } from '../../../test/support/tasks.ts';
import { isLive, openDisplay } from '../display/open_display.ts';
import { RunControls } from '../process/controls.ts';
import { evaluation, grpoStep, rollouts, stage } from './live/events.ts';

describe('isLive', () => {
  const terminal = { isTTY: true };
  it.each([
    [terminal, { TERM: 'xterm-256color' }, true],
    [terminal, { TERM: 'xterm', NO_COLOR: '1' }, true],
    [terminal, { TERM: 'xterm', CI: 'false' }, true],
    [terminal, { TERM: 'dumb' }, false],
    [terminal, { TERM: 'xterm', CI: 'true' }, false],
    [{}, { TERM: 'xterm' }, false],
  ])('%j with %j: %s', (stdout, env, live) => {
    expect(isLive(stdout, env)).toBe(live);
  });
});

it('the command to go on quotes a directory that the shell would take apart', () => {
  expect(resumeCommand('runs/countdown-2')).toBe('npx --no-install rlvr-train --resume --output runs/countdown-2');
  expect(resumeCommand("my runs/it's")).toBe("npx --no-install rlvr-train --resume --output 'my runs/it'\\''s'");
});

const shown: Shown = {
  // Only what a display asks of a run.
  run: {
    engine: { tasks: createTask({ name: 'sort_digits', digits: 2 }) },
    journal: { state: { tokens: 0, baseline: undefined, final: undefined }, clock: () => 0 },
  } as unknown as TrainingRun,
  directory: 'runs/a',
};
const EVENTS: readonly SessionEvent[] = [
  stage(1),
  rollouts('1 2', '12'),
  {
    type: 'diagnosis',
    stage: 'grpo',
    step: 1,
    diagnosis: { code: 'all-dead', level: 'warning', message: 'all groups are dead.' },
  },
  evaluation('periodic', 1, 0.25),
  grpoStep(1),
  { type: 'checkpoint', name: 'grpo-1' },
  { type: 'resumed', checkpoint: 'grpo-1', wallSeconds: 12.5 },
  { type: 'note', message: 'a note.' },
  { type: 'stopped', step: 1, isSaved: true, again: 'step' },
];

describe('what is printed', () => {
  const written = { out: '', err: '' };
  const { log } = console;
  beforeEach(() => {
    written.out = '';
    written.err = '';
    const into = (stream: 'out' | 'err') => (text: string | Uint8Array) => {
      written[stream] += String(text);
      return true;
    };
    vi.spyOn(process.stdout, 'write').mockImplementation(into('out'));
    vi.spyOn(process.stderr, 'write').mockImplementation(into('err'));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    console.log = log;
  });

  async function show(options: Parameters<typeof openDisplay>[2]): Promise<void> {
    const display = await openDisplay(shown, new RunControls(), options);
    for (const event of EVENTS) display.handle(event);
    display.close();
  }

  it('plain: lines without escape sequences', async () => {
    await show({});
    expect(written.out).not.toContain('\u001b');
    expect(written.out.match(/all groups are dead/g)).toHaveLength(1);
    expect(written.out).toContain('step 1    greedy 25.0 % [21–29]');
    expect(written.out).toContain('Resume with: npx --no-install rlvr-train --resume --output runs/a\n');
  });

  it('plain: a step on the rollouts of an earlier one has its reward, and what is not known is no NaN', async () => {
    const first = grpoStep(1);
    const reused = { ...first, metrics: { step: 2, stage: 'grpo', loss: 0.1, num_tokens: 77_000, step_time: 0.5 } };
    let now = 0;
    const clocked = { ...shown, run: { ...shown.run, journal: { ...shown.run.journal, clock: () => now } } };
    const display = await openDisplay(clocked, new RunControls(), {});
    for (const event of [stage(1), reused, first, reused] as readonly SessionEvent[]) {
      now += 6000;
      display.handle(event);
    }
    const rewards = written.out.match(/reward \S+ {2}entropy \S+/g);
    expect(rewards).toEqual(['reward –  entropy –', 'reward 0.207  entropy 0.894', 'reward 0.207  entropy 0.894']);
    expect(written.out).not.toContain('NaN');
  });

  it('plain: the figures of a step are means over all batches that were drawn for it', async () => {
    const dead = { step: 1, stage: 'grpo', batch: 'dead', reward: 0, frac_reward_zero_std: 1 };
    const clocked = { ...shown, run: { ...shown.run, journal: { ...shown.run.journal, clock: () => 6000 } } };
    const display = await openDisplay(clocked, new RunControls(), {});
    display.handle(stage(1));
    display.handle({ type: 'batch', stage: 'grpo', step: 1, metrics: dead });
    display.handle(grpoStep(1));
    expect(written.out).toContain('reward 0.103  entropy 0.894  length 12.0  dead 59.4 %');
  });

  it('plain: the end has greedy, sampled and pass@K before and after, and whether it solves more or is surer', async () => {
    const at = (greedy: number) =>
      (evaluation('final', 1, greedy) as Extract<TrainEvent, { type: 'evaluation' }>).evaluation;
    const state = { ...shown.run.journal.state, baseline: at(0.5), final: at(0.6) };
    const run = {
      ...shown.run,
      journal: { ...shown.run.journal, state },
      config: { tasks: [] },
    } as unknown as TrainingRun;
    const summary = { model: 'last', rise: 'surer', diagnoses: [], split: {}, wallSeconds: 1, tokensPerSecond: 1 };
    const display = await openDisplay({ ...shown, run }, new RunControls(), {});
    display.handle({ type: 'finished', summary } as unknown as SessionEvent);
    const lines = written.out.split('\n').filter((line) => /^(greedy|sampled|pass@4|so) /.test(line));
    expect(lines).toEqual([
      'greedy   50.0 % → 60.0 % [56–64]',
      'sampled  40.0 % → 48.0 % [44–52]',
      'pass@4   60.0 % → 72.0 % [68–76]',
      'so       it is surer and solves no more: it is right more often where its best guess, or one of several tries, was before',
    ]);
  });

  it('plain: of several tasks each by itself at the end, before and after', async () => {
    const estimate = (mean: number) => ({ mean, low: mean - 0.04, high: mean + 0.04, count: 100 });
    const reached = (gcd: number, lcm: number) => {
      const { evaluation: all } = evaluation('final', 1, 0.5) as Extract<TrainEvent, { type: 'evaluation' }>;
      const of = (mean: number) => ({ accuracy: estimate(mean), meanAtK: estimate(mean / 2) });
      return { ...all, byTask: { gcd: of(gcd), 'lcm#2': of(lcm) } };
    };
    const state = { ...shown.run.journal.state, baseline: reached(0.1, 0.2), final: reached(0.9, 0.3) };
    const config = { tasks: [{ task: { name: 'gcd', level: 1 } }, { task: { name: 'lcm' } }] };
    const run = { ...shown.run, journal: { ...shown.run.journal, state }, config } as unknown as TrainingRun;
    const summary = { model: 'last', diagnoses: [], split: {}, wallSeconds: 1, tokensPerSecond: 1 };
    const display = await openDisplay({ ...shown, run }, new RunControls(), {});
    display.handle({ type: 'finished', summary } as unknown as SessionEvent);
    expect(written.out.split('\n').filter((line) => /gcd|lcm/.test(line))).toEqual([
      '  gcd level 1  greedy 10.0 % → 90.0 % [86–94]   sampled  5.0 % → 45.0 % [41–49]',
      '  lcm#2        greedy 20.0 % → 30.0 % [26–34]   sampled 10.0 % → 15.0 % [11–19]',
    ]);
  });

  it('--json: one object per event, each with its name, and nothing else', async () => {
    await show({ json: true });
    const events = written.out.trimEnd().split('\n');
    expect(events.map((line) => JSON.parse(line).event)).toEqual(
      /* biome-ignore format: a list */ [
        'stage', 'rollouts', 'diagnosis', 'evaluation', 'step', 'checkpoint', 'resumed', 'note', 'stopped',
      ],
    );
    expect(JSON.parse(events[3]!)).toMatchObject({ moment: 'periodic', eval_accuracy: 0.25, 'eval_mean@4': 0.2 });
    expect(JSON.parse(events[4]!)).toMatchObject({ step: 1, 'completions/mean_length': 12 });
    expect(JSON.parse(events[6]!)).toEqual({ event: 'resumed', checkpoint: 'grpo-1', wall_seconds: 12.5 });
    expect(JSON.parse(events[8]!).resume).toBe('npx --no-install rlvr-train --resume --output runs/a');
  });

  it('--json: what a reward function logs does not get into the stream', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await show({ json: true });
    console.log('debugging');
    expect(logged).toHaveBeenCalledWith('debugging');
    expect(written.out).not.toContain('debugging');
  });

  it('--quiet: problems on standard error, and no word on standard output before the summary', async () => {
    await show({ quiet: true });
    expect(written.out).toBe('');
    expect(written.err).toContain('all groups are dead.');
    expect(written.err).toContain('a note.');
    const display = await openDisplay(shown, new RunControls(), { quiet: true });
    display.handle({
      type: 'finished',
      summary: { seed: 7 } as Extract<SessionEvent, { type: 'finished' }>['summary'],
    });
    expect(written.out).toBe('{"seed":7}\n');
  });
});

it('what evaluations took is said where it is more than a third of the time', () => {
  const split = { sft: 0, rollout: 5, verify: 1, update: 4, eval: 40 };
  expect(evaluationShare(split)).toMatch(/^evaluations took 80 % of the time: eval_samples asks fewer/);
  expect(evaluationShare({ ...split, rollout: 90 })).toBeUndefined();
  expect(evaluationShare({ ...split, eval: 9 })).toBeUndefined();
});
