/**
 * Server-sent events of runs, made of their directories alone: it does not matter which process trains, or whether one
 * still does. The page's browser parses the lines; here they are only passed on.
 */
import type { ServerResponse } from 'node:http';
import type { RunState } from '../../report/data.ts';
import { fileStore } from '../../run/files.node.ts';
import { controlState } from '../run_requests.ts';
import type { FoundRun } from './folder.ts';
import { LogTail } from './log_tail.ts';

const LOOK_MS = 250;
/** Looks from one look at the state of a run to the next. */
const LOOKS_A_STATE = 4;
/** Pieces of a log that are sent in a row; then it is others' turn. */
const MOST_PIECES = 16;

/** Sends until the visitor leaves. Events: `lines` (number of the run, then its lines), `reset`, `state`. */
export function streamEvents(response: ServerResponse, runs: readonly FoundRun[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  const watches = runs.map((run, number) => new Watch(run, (event, data) => send(response, event, number, data)));
  let isLooking = false;
  let looks = 0;
  const look = async (): Promise<void> => {
    if (isLooking || response.writableNeedDrain) return;
    isLooking = true;
    try {
      for (const watch of watches) await watch.look(looks % LOOKS_A_STATE === 0);
      looks++;
    } catch (error) {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  response.on('close', () => clearInterval(timer));
  response.on('error', () => clearInterval(timer));
  void look();
}

type Send = (event: string, data: readonly string[]) => void;

function send(response: ServerResponse, event: string, number: number, data: readonly string[]): void {
  const lines = [String(number), ...data].map((line) => `data: ${line}\n`).join('');
  response.write(`event: ${event}\n${lines}\n`);
}

class Watch {
  readonly #run: FoundRun;
  readonly #tail: LogTail;
  readonly #send: Send;
  #state = '';

  constructor(run: FoundRun, send: Send) {
    this.#run = run;
    this.#tail = new LogTail(fileStore(run.directory));
    this.#send = send;
  }

  async look(atState: boolean): Promise<void> {
    for (let piece = 0; piece < MOST_PIECES; piece++) {
      const { lines, isReset, hasMore } = await this.#tail.next();
      if (isReset) this.#send('reset', []);
      if (lines.length > 0) this.#send('lines', lines);
      if (!hasMore) break;
    }
    if (!atState) return;
    const state = JSON.stringify(await stateOf(this.#run));
    if (state !== this.#state) this.#send('state', [state]);
    this.#state = state;
  }
}

async function stateOf({ directory }: FoundRun): Promise<RunState> {
  const control = await controlState(directory);
  const place = { asked: control.isOpen ? control.asked : null, reason: control.isOpen ? null : control.reason };
  if (control.isOpen || control.isHeld) return { condition: 'running', ...place };
  const isFinished = await fileStore(directory).exists('summary.json');
  return { condition: isFinished ? 'finished' : 'over', ...place };
}
