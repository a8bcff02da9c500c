/** Types of page_thread.mjs, for the tests. */
import type { Browser, Page } from 'playwright-core';

export interface ThreadTask {
  readonly wallMs: number;
  /** Processor time of the thread. */
  readonly cpuMs: number;
  readonly doing: string;
}
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts?: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: {
    readonly name?: string;
    readonly data?: { readonly functionName?: string; readonly url?: string; readonly processId?: number };
  };
}
export interface LongTasks {
  readonly long: number;
  readonly longestMs: number;
}
export interface TaskSummary {
  readonly count: number;
  readonly cpuMs: number;
  readonly wall: LongTasks;
  readonly cpu: LongTasks;
  readonly longest: readonly ThreadTask[];
}
export const LONG_MS: number;
export function traceThread(browser: Browser, page: Page): Promise<() => Promise<ThreadTask[]>>;
export function tasksOf(events: readonly TraceEvent[]): ThreadTask[];
export function summarizeTasks(tasks: readonly ThreadTask[]): TaskSummary;
