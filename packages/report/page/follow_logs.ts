/** The events of the server: lines of the logs of some runs, and what becomes of them. */
import { isJsonObject, type JsonObject } from '../../../src/run/json.ts';
import type { RunState } from '../data.ts';
import type { CurveState } from '../series.ts';

export interface LogEvents {
  /** @param run  its number among those that are followed */
  readonly onLines: (run: number, lines: readonly JsonObject[]) => void;
  /** What a long log comes to, instead of its lines so far. */
  readonly onCurves: (run: number, state: CurveState) => void;
  /** The log starts again: what was read of it is void. */
  readonly onReset: (run: number) => void;
  /** Also says that all lines until now were read. */
  readonly onState: (run: number, state: RunState) => void;
  readonly onConnection: (isConnected: boolean) => void;
}

/** Milliseconds of a task that lines are read in: of a log of thousands, the browser hands over many at once. */
const BUDGET_MS = 8;
/** Lines between two looks at the clock. */
const LINES_A_LOOK = 8;

/** Follows runs until the page is left; a connection that breaks is made again, and begins with the first lines. */
export function followLogs(names: readonly string[], events: LogEvents): void {
  const query = names.map((name) => `run=${encodeURIComponent(name)}`).join('&');
  const source = new EventSource(`events?${query}`);
  const unread = new UnreadEvents(events);
  const reset = (run: number): void => {
    unread.forget(run);
    events.onReset(run);
  };
  const on = (type: string, handle: (run: number, lines: readonly string[]) => void): void =>
    source.addEventListener(type, ({ data }: MessageEvent<string>) => {
      const [run, ...lines] = data.split('\n');
      handle(Number(run), lines);
    });
  source.addEventListener('open', () => {
    for (const run of names.keys()) reset(run);
    events.onConnection(true);
  });
  source.addEventListener('error', () => events.onConnection(false));
  on('lines', (run, lines) => unread.add({ run, lines }));
  on('curves', (run, [text = '']) => unread.add({ run, lines: [], curves: JSON.parse(text) as CurveState })); // our server sends it
  on('reset', reset);
  on('state', (run, [text = '']) => unread.add({ run, lines: [], state: JSON.parse(text) as RunState })); // our server sends it
}

interface UnreadEvent {
  readonly run: number;
  readonly lines: readonly string[];
  readonly curves?: CurveState;
  /** After the lines. */
  readonly state?: RunState;
}

type ReadEvents = Pick<LogEvents, 'onLines' | 'onCurves' | 'onState'>;

/** Events that have come, in order; lines are read a few milliseconds at a time, so that the page stays free for a click. */
class UnreadEvents {
  readonly #events: ReadEvents;
  #waiting: UnreadEvent[] = [];
  #isAsked = false;

  constructor(events: ReadEvents) {
    this.#events = events;
  }

  add(event: UnreadEvent): void {
    this.#waiting.push(event);
    this.#ask();
  }

  /** Those of a run. */
  forget(run: number): void {
    this.#waiting = this.#waiting.filter((each) => each.run !== run);
  }

  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    setTimeout(() => this.#read());
  }

  #read(): void {
    this.#isAsked = false;
    const begin = performance.now();
    while (performance.now() - begin < BUDGET_MS) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const { run, lines, curves, state } = next;
      if (curves !== undefined) this.#events.onCurves(run, curves);
      if (lines.length > LINES_A_LOOK) this.#waiting.unshift({ ...next, lines: lines.slice(LINES_A_LOOK) });
      if (lines.length > 0) this.#events.onLines(run, lines.slice(0, LINES_A_LOOK).flatMap(recordOf));
      else if (state !== undefined) this.#events.onState(run, state);
    }
    if (this.#waiting.length > 0) this.#ask();
  }
}

/** A line that is no record is left out: the report, which reads the whole log, says which it is. */
function recordOf(line: string): JsonObject[] {
  try {
    const record: unknown = JSON.parse(line);
    return isJsonObject(record as JsonObject) ? [record as JsonObject] : [];
  } catch {
    return [];
  }
}
