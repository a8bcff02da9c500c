/**
 * Server-sent events of runs, made of their directories alone: it does not matter which process trains, or whether one
 * still does. The page's browser parses the lines; here they are only passed on.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CheckpointError } from '../../../src/errors.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { newestFleetLine } from '../../fleet/fleet_log.ts';
import type { RunState } from '../../report/data.ts';
import { readOutline } from '../../report/outline.ts';
import type { RunLog } from '../../report/run_log.ts';
import { controlState } from '../process/run_requests.ts';
import type { FoundRun } from './folder.ts';
import { LogTail } from './log_tail.ts';

/** From one look to the next, once all that was written is sent. */
const LOOK_MS = 1_000;
/** Between pieces of a log that the page has not seen yet: it reads one before the next comes. */
const PIECE_MS = 15;

/** Bytes of a log that are sent line by line; of a longer one its curves are, which are no larger for a hundred times the steps. */
const MOST_LINE_BYTES = 1024 ** 2;

/** A run, and what was read of it. */
export interface FollowedRun extends FoundRun {
  readonly log: RunLog;
}

/** Sends until the visitor leaves. Events: `lines` (number of the run, then its lines), `curves`, `reset`, `state`. */
export function streamEvents(response: ServerResponse, runs: readonly FollowedRun[]): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  const watches = runs.map((run, number) => new Watch(run, (event, data) => send(response, event, number, data)));
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  response.on('close', leave);
  response.on('error', leave);
  void lookOnAndOn(response, watches, leaving.signal);
}

async function lookOnAndOn(response: ServerResponse, watches: readonly Watch[], signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      const isMore = new Set(watches);
      while (isMore.size > 0) {
        for (const watch of isMore) {
          if (response.writableNeedDrain) await once(response, 'drain', { signal });
          if (await watch.look()) await sleep(PIECE_MS, undefined, { signal });
          else isMore.delete(watch);
        }
      }
      await sleep(LOOK_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) response.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

type Send = (event: string, data: readonly string[]) => void;

function send(response: ServerResponse, event: string, number: number, data: readonly string[]): void {
  const lines = [String(number), ...data].map((line) => `data: ${line}\n`).join('');
  response.write(`event: ${event}\n${lines}\n`);
}

class Watch {
  readonly #run: FollowedRun;
  readonly #tail: LogTail;
  readonly #send: Send;
  #state = '';

  constructor(run: FollowedRun, send: Send) {
    this.#run = run;
    this.#tail = new LogTail(fileStore(run.directory));
    this.#send = send;
  }

  /** Sends some of the lines that are new, or what has become of the run. @returns whether there are more */
  async look(): Promise<boolean> {
    // Asked for first: of a run that has ended, all lines are then there to be read.
    const state = JSON.stringify(await stateOf(this.#run));
    if ((await this.#tail.left()) > MOST_LINE_BYTES && (await this.#skip())) return true;
    const { lines, isReset, hasMore } = await this.#tail.next();
    if (isReset) {
      this.#send('reset', []);
      this.#state = ''; // sent again after the last line, which tells the page that the log has come
    }
    if (lines.length > 0) this.#send('lines', lines);
    if (hasMore) return true;
    if (state !== this.#state) this.#send('state', [state]);
    this.#state = state;
    return false;
  }

  /** Sends what a long log comes to. @returns false where it cannot be read: its lines are sent as they are */
  async #skip(): Promise<boolean> {
    const { directory, log } = this.#run;
    try {
      const { outline } = await readOutline(fileStore(directory));
      await log.read(outline.stages);
    } catch (error) {
      if (error instanceof CheckpointError) return false;
      throw error;
    }
    const { curves, end, last } = log.state();
    this.#tail.goTo(end, last);
    this.#send('curves', [JSON.stringify(curves)]);
    this.#state = '';
    return true;
  }
}

async function stateOf({ directory }: FoundRun): Promise<RunState> {
  const control = await controlState(directory);
  const store = fileStore(directory);
  const fleet = (await newestFleetLine(store)) ?? null;
  const place = { fleet, asked: control.isOpen ? control.asked : null, reason: control.isOpen ? null : control.reason };
  if (control.isOpen || control.isHeld) return { condition: 'running', ...place };
  const isFinished = await store.exists('summary.json');
  return { condition: isFinished ? 'finished' : 'over', ...place };
}
