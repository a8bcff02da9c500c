/** What a page's thread did, read from a trace by hand. */
import { expect, it } from 'vitest';
import { summarizeTasks, type TraceEvent, tasksOf } from '../../../../bench/page_thread.mjs';

const THREAD = { name: 'thread_name', ph: 'M', pid: 7, tid: 7, args: { name: 'CrRendererMain' } };
const PAGE = {
  ...THREAD,
  name: 'FrameCommittedInBrowser',
  args: { data: { url: 'http://127.0.0.1:1/', processId: 7 } },
};
/** A part of the browser's own window, which is a page to it as well. */
const OWN = [
  { ...THREAD, pid: 9, tid: 9 },
  { ...PAGE, args: { data: { url: 'chrome://omnibox-popup.top-chrome/', processId: 9 } } },
];

/** An event of the page's thread: microseconds from, wall-clock, processor time. */
function event(name: string, ts: number, dur: number, tdur: number, functionName?: string): TraceEvent {
  return { name, ph: 'X', pid: 7, tid: 7, ts, dur, tdur, ...(functionName && { args: { data: { functionName } } }) };
}

it('a task that waited for a core is long by wall-clock only; its parts are named by what is their own', () => {
  const tasks = tasksOf([
    event('Layout', 2000, 20_000, 2000),
    THREAD,
    PAGE,
    ...OWN,
    event('RunTask', 0, 80_000, 6000),
    event('FunctionCall', 1000, 30_000, 5000, 'draw'),
    event('RunTask', 90_000, 60_000, 55_000),
    { ...event('RunTask', 0, 500_000, 500_000), tid: 8 },
    { ...event('RunTask', 0, 500_000, 500_000), pid: 9, tid: 9 },
  ]);
  expect(tasks).toEqual([
    { wallMs: 80, cpuMs: 6, doing: 'FunctionCall draw 3.0 ms, Layout 2.0 ms, the browser itself 1.0 ms' },
    { wallMs: 60, cpuMs: 55, doing: 'the browser itself 55.0 ms' },
  ]);
  const summary = summarizeTasks(tasks);
  expect(summary.wall).toEqual({ long: 2, longestMs: 80 });
  expect(summary.cpu).toEqual({ long: 1, longestMs: 55 });
  expect(summary.longest[0]).toBe(tasks[1]);
});

it('a trace without processor times is refused: it would pass for a thread at rest', () => {
  const { tdur: _, ...task } = event('RunTask', 0, 80_000, 0);
  expect(() => tasksOf([THREAD, PAGE, task])).toThrow(/no task of a page with its processor time/);
});
