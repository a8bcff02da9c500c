/**
 * What other processes of this machine ask of a run: `.control/` in its directory, there while it is under way.
 *
 * `state.json` says whose run it is and what was asked of it last; `requests` is a list that others append to, a word a
 * line. The run looks a few times per second at how long the list is, beside its steps and never within one. Anyone who
 * may write into the directory may ask: they could as well replace its checkpoints.
 */
import { appendFile, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { CheckpointError } from '../../../src/errors.ts';
import { systemCode } from '../../../src/run/store/file_errors.ts';
import { lockHolder } from '../../../src/run/store/lock.node.ts';
import type { RunControls } from './controls.ts';

export const REQUESTS = ['pause', 'resume', 'evaluate', 'stop'] as const;
export type RunRequest = (typeof REQUESTS)[number];

const FOLDER = '.control';
const STATE = 'state.json';
const LIST = 'requests';
const LOOK_MS = 250;
/** Bytes of requests that are read at once: a list that is longer holds no requests of people. */
const MOST_BYTES = 4096;

const stateSchema = z.object({
  pid: z.int().positive(),
  asked: z.enum(['nothing', 'evaluation', 'evaluating', 'pause', 'paused', 'stop']),
});

/** What a run under way says of itself, or why it cannot be asked for anything; `isHeld`: it is under way all the same. */
export type ControlState =
  | { readonly isOpen: true; readonly asked: z.infer<typeof stateSchema>['asked'] }
  | { readonly isOpen: false; readonly isHeld: boolean; readonly reason: string };

/** A run that listens, until it is closed. A disk that refuses these files costs the channel, never the run. */
export class RequestListener {
  readonly #folder: string;
  readonly #controls: RunControls;
  readonly #timer: NodeJS.Timeout;
  #look: Promise<void>;
  #isLooking = true;
  #begin = 0;
  #told = '';

  /** @param directory  of the run, which is there and held by this process */
  constructor(directory: string, controls: RunControls) {
    this.#folder = join(directory, FOLDER);
    this.#controls = controls;
    this.#look = this.#open();
    this.#timer = setInterval(() => {
      if (!this.#isLooking) this.#look = this.#tick();
    }, LOOK_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#look;
    // The directory is free by now: a run that has begun in it since has a folder of its own.
    if ((await stateOf(this.#folder))?.pid !== process.pid) return;
    await unlessRefused(() => rm(this.#folder, { recursive: true, force: true }));
  }

  /** What a run that was killed left behind was asked of that one. */
  async #open(): Promise<void> {
    await unlessRefused(async () => {
      await rm(this.#folder, { recursive: true, force: true });
      await mkdir(this.#folder);
      await this.#tell();
    });
    this.#isLooking = false;
  }

  async #tick(): Promise<void> {
    this.#isLooking = true;
    await unlessRefused(async () => {
      for (const request of await this.#read()) this.#apply(request);
      await this.#tell();
    });
    this.#isLooking = false;
  }

  async #read(): Promise<string[]> {
    const handle = await open(join(this.#folder, LIST), 'r');
    try {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(MOST_BYTES), 0, MOST_BYTES, this.#begin);
      const text = new TextDecoder().decode(buffer.subarray(0, bytesRead));
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      this.#begin += new TextEncoder().encode(whole).length;
      return whole.split('\n');
    } finally {
      await handle.close();
    }
  }

  /** Lines that are no request are passed over. */
  #apply(request: string): void {
    if (request === 'pause') this.#controls.pause();
    if (request === 'resume') this.#controls.goOn();
    if (request === 'evaluate') this.#controls.evaluate();
    if (request === 'stop') this.#controls.stop();
  }

  async #tell(): Promise<void> {
    const text = `${JSON.stringify({ pid: process.pid, asked: this.#controls.asked })}\n`;
    if (text === this.#told) return;
    const file = join(this.#folder, STATE);
    if (this.#told === '') await writeFile(join(this.#folder, LIST), '', { flag: 'a' });
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
    this.#told = text;
  }
}

/** Whether the run of a directory can be asked, from this process. */
export async function controlState(directory: string): Promise<ControlState> {
  const holder = await lockHolder(join(directory, '.lock'));
  if (holder === undefined) return { isOpen: false, isHeld: false, reason: 'no process works on it' };
  if (holder.host !== hostname()) {
    return { isOpen: false, isHeld: true, reason: `it is under way on host ${holder.host}; ask for it there` };
  }
  const state = await stateOf(join(directory, FOLDER));
  if (state?.pid !== holder.pid) {
    const reason = `the process that works on it (pid ${holder.pid}) takes no requests: another version, or a program of its own, started it`;
    return { isOpen: false, isHeld: true, reason };
  }
  return { isOpen: true, asked: state.asked };
}

/** @throws CheckpointError where the run cannot be asked */
export async function requestOf(directory: string, request: RunRequest): Promise<void> {
  const state = await controlState(directory);
  const refused = (reason: string): CheckpointError =>
    new CheckpointError('no-control', `${directory}  cannot be asked to ${request}: ${reason}.`, { directory });
  if (!state.isOpen) throw refused(state.reason);
  try {
    await appendFile(join(directory, FOLDER, LIST), `${request}\n`, { flag: 'a' });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw refused(`${LIST} cannot be written (${systemCode(error)})`);
  }
}

async function stateOf(folder: string): Promise<z.infer<typeof stateSchema> | undefined> {
  try {
    return stateSchema.safeParse(JSON.parse(await readFile(join(folder, STATE), 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

async function unlessRefused(operation: () => Promise<unknown>): Promise<void> {
  try {
    await operation();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}
