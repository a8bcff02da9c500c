import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RunControls } from '../process/controls.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What a promise has come to after the microtasks that are due. */
async function stateOf(promise: Promise<boolean>): Promise<boolean | 'waits'> {
  let state: boolean | 'waits' = 'waits';
  void promise.then((value) => {
    state = value;
  });
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return state;
}

describe('a run that nothing is asked of', () => {
  it('goes on at once', async () => {
    const controls = new RunControls();
    expect(controls.signal.aborted).toBe(false);
    expect(await controls.wantsEvaluation()).toBe(false);
    expect(controls.asked).toBe('nothing');
  });
});

it('a suspended process stops the clock, and one that was paused before leaves it standing', async () => {
  const controls = new RunControls();
  const start = controls.clock();
  controls.holdClock();
  vi.advanceTimersByTime(1000);
  controls.releaseClock();
  expect(controls.clock()).toBe(start);
  controls.togglePause();
  void controls.wantsEvaluation();
  controls.holdClock();
  vi.advanceTimersByTime(1000);
  controls.releaseClock();
  vi.advanceTimersByTime(1000);
  expect(controls.clock()).toBe(start);
});

describe('a paused run', () => {
  it('waits until it is let go, and its clock with it', async () => {
    const controls = new RunControls();
    controls.togglePause();
    expect(controls.asked).toBe('pause');
    const answer = controls.wantsEvaluation();
    expect(await stateOf(answer)).toBe('waits');
    expect(controls.asked).toBe('paused');
    const before = controls.clock();
    vi.advanceTimersByTime(60_000);
    expect(controls.clock()).toBe(before);
    controls.togglePause();
    expect(await stateOf(answer)).toBe(false);
    vi.advanceTimersByTime(500);
    expect(controls.clock()).toBe(before + 500);
  });

  it('can be evaluated, and rests again', async () => {
    const controls = new RunControls();
    controls.togglePause();
    const answer = controls.wantsEvaluation();
    controls.evaluate();
    expect(await stateOf(answer)).toBe(true);
    expect(controls.asked).toBe('evaluating');
    expect(await stateOf(controls.wantsEvaluation())).toBe('waits');
    expect(controls.asked).toBe('paused');
  });

  it('can be stopped', async () => {
    const controls = new RunControls();
    controls.togglePause();
    const answer = controls.wantsEvaluation();
    controls.stop();
    expect(await stateOf(answer)).toBe(false);
    expect(controls.signal.aborted).toBe(true);
  });
});

it('an evaluation asked for twice happens once', async () => {
  const controls = new RunControls();
  controls.evaluate();
  controls.evaluate();
  expect(await controls.wantsEvaluation()).toBe(true);
  expect(await controls.wantsEvaluation()).toBe(false);
});
