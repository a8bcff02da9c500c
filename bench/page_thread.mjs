/**
 * What a page's own thread does, from the browser's trace: every task with its wall-clock and the processor time of the
 * thread, and what it spent that on.
 *
 * On a busy machine, or one whose hypervisor withholds its cores, most of a task's wall-clock is waiting for a core.
 * Only its processor time is the page's own doing. Where much is withheld, even that has lumps of 100 ms now and
 * then, in any part of a task: probably the hypervisor's pauses.
 */

/** A task of so many milliseconds is one that a visitor may feel. */
export const LONG_MS = 50;
/** Events of a trace in which a task's parts are named: scripts, style, layout, paint, garbage collection. */
const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline'];
const TASK = 'RunTask';
/** Parts of a task that are reported. */
const MOST_PARTS = 3;

/** Starts a trace of a page's thread. @returns stops it, and gives the tasks of the time between, oldest first */
export async function traceThread(browser, page) {
  await browser.startTracing(page, { categories: CATEGORIES });
  return async () => tasksOf(JSON.parse((await browser.stopTracing()).toString()).traceEvents);
}

/** [{wallMs, cpuMs, doing}]; @throws Error where the trace has no tasks, or no processor times */
export function tasksOf(events) {
  const threadOf = ({ pid, tid }) => `${pid} ${tid}`;
  const processes = processesOf(events);
  const threads = new Set(
    events
      .filter(({ name, args, pid }) => name === 'thread_name' && args.name === 'CrRendererMain' && processes.has(pid))
      .map(threadOf),
  );
  const own = events
    .filter((event) => event.ph === 'X' && event.tdur !== undefined && threads.has(threadOf(event)))
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const tasks = [];
  for (const event of own) {
    if (event.name === TASK) tasks.push({ event, parts: [] });
    else tasks.at(-1)?.parts.push(event);
  }
  if (tasks.length === 0) throw new Error('the trace has no task of a page with its processor time');
  return tasks.map(({ event, parts }) => ({
    wallMs: event.dur / 1000,
    cpuMs: event.tdur / 1000,
    doing: doing(event, parts),
  }));
}

/** Those that show a page of a server: Chromium draws parts of its own window as pages too. */
function processesOf(events) {
  const frames = events.flatMap(({ name, args }) => {
    if (name === 'FrameCommittedInBrowser') return [args.data];
    return name === 'TracingStartedInBrowser' ? (args.data.frames ?? []) : [];
  });
  return new Set(frames.filter(({ url }) => /^https?:/.test(url)).map(({ processId }) => processId));
}

/** `Paint 3.1 ms, Layout 1.2 ms`: the parts of a task by the processor time that is theirs and no inner part's. */
function doing(task, parts) {
  const own = new Map();
  const add = (name, time) => own.set(name, (own.get(name) ?? 0) + time);
  const open = [task];
  for (const part of parts) {
    while (open.length > 1 && open.at(-1).ts + open.at(-1).dur <= part.ts) open.pop();
    add(nameOf(open.at(-1)), -part.tdur);
    add(nameOf(part), part.tdur);
    open.push(part);
  }
  add(nameOf(task), task.tdur);
  return [...own]
    .filter(([, time]) => time >= 100)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_PARTS)
    .map(([name, time]) => `${name} ${(time / 1000).toFixed(1)} ms`)
    .join(', ');
}

function nameOf({ name, args }) {
  const called = args?.data?.functionName;
  if (name === TASK) return 'the browser itself';
  return called ? `${name} ${called}` : name;
}

/** How many tasks are long, by wall-clock and by processor time, and the longest ones. */
export function summarizeTasks(tasks) {
  const by = (key) => {
    const longestMs = tasks.reduce((most, task) => Math.max(most, task[key]), 0);
    return { long: tasks.filter((task) => task[key] >= LONG_MS).length, longestMs };
  };
  return {
    count: tasks.length,
    cpuMs: tasks.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    wall: by('wallMs'),
    cpu: by('cpuMs'),
    longest: [...tasks].sort((a, b) => b.cpuMs - a.cpuMs).slice(0, MOST_PARTS),
  };
}
