/** The events of the server: lines of the logs of some runs, and what becomes of them. */
import { isJsonObject, type JsonObject } from '../../run/json.ts';
import type { RunState } from '../data.ts';

export interface LogEvents {
  /** @param run  its number among those that are followed */
  readonly onLines: (run: number, lines: readonly JsonObject[]) => void;
  /** The log begins anew: what was read of it is void. */
  readonly onReset: (run: number) => void;
  readonly onState: (run: number, state: RunState) => void;
  readonly onConnection: (isConnected: boolean) => void;
}

/** Follows runs until the page is left; a connection that breaks is made again, and begins with the first lines. */
export function followLogs(names: readonly string[], events: LogEvents): void {
  const query = names.map((name) => `run=${encodeURIComponent(name)}`).join('&');
  const source = new EventSource(`events?${query}`);
  const on = (type: string, handle: (run: number, lines: readonly string[]) => void): void =>
    source.addEventListener(type, ({ data }: MessageEvent<string>) => {
      const [run, ...lines] = data.split('\n');
      handle(Number(run), lines);
    });
  source.addEventListener('open', () => {
    for (const run of names.keys()) events.onReset(run);
    events.onConnection(true);
  });
  source.addEventListener('error', () => events.onConnection(false));
  on('lines', (run, lines) => events.onLines(run, lines.flatMap(recordOf)));
  on('reset', (run) => events.onReset(run));
  on('state', (run, [state = '']) => events.onState(run, JSON.parse(state) as RunState)); // of our server
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
