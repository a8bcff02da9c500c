/** The live region of a terminal: finished lines above, redrawn progress below, and keys. */

import { basename, resolve } from 'node:path';
import { onExit } from 'signal-exit';
import { colors } from '../../../../src/cli/display/colors.ts';
import type { Display, Shown } from '../../../../src/cli/display/display.ts';
import { foreignText, sizeOf, terminalText } from '../../../../src/cli/display/output.ts';
import { Reporter } from '../../../../src/cli/display/reporter.ts';
import { membersOfStages } from '../../../../src/grpo/run.ts';
import type { Fingerprint } from '../../../../src/run/fingerprint/fingerprint.ts';
import type { JsonObject } from '../../../../src/run/json.ts';
import type { SessionEvent } from '../../../../src/run/session.ts';
import { fileStore } from '../../../../src/run/store/files.node.ts';
import { plannedWork } from '../../../estimate/work.ts';
import type { RunControls } from '../../process/controls.ts';
import { lastRecords } from '../../runs/last_records.ts';
import { isInForeground } from './foreground.ts';
import { frame } from './frame.ts';
import { withHistory } from './history.ts';
import { Keys } from './keys.ts';
import { Screen } from './screen.ts';
import { type LiveState, reduce, startState } from './state.ts';
import { wrapWords } from './text.ts';
import { Title, titleOf } from './title.ts';
import { captureWrites } from './writes.ts';

/** Milliseconds from one frame to the next. */
const FRAME_MS = 125;
/** Most bytes that are read of a resumed run's log. */
const HISTORY_BYTES = 64 * 1024 ** 2;

export class LiveDisplay implements Display {
  readonly #shown: Shown;
  readonly #controls: RunControls;
  readonly #screen: Screen;
  readonly #title: Title;
  readonly #reporter: Reporter;
  readonly #keys: Keys | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #giveBackWrites: () => void;
  readonly #forgetExit: () => void;
  /** Whether the terminal is ours: only then are keys read and the region drawn. */
  #isInFront = false;
  #state: LiveState;
  /** What the log of a resumed run says, until its stage begins. */
  #history: readonly JsonObject[] = [];
  #showsHelp = false;
  /** Lines to print above the region with the next frame, made for the columns that the terminal then has. */
  #finished: ((columns: number) => string)[] = [];
  #nextFrame: NodeJS.Immediate | undefined;

  constructor(shown: Shown, controls: RunControls) {
    const { stdout, stdin } = process;
    this.#shown = shown;
    this.#controls = controls;
    const { run } = shown;
    const { config, engine } = run;
    const work = plannedWork(config, engine.tasks, membersOfStages(run), engine.policy.capacity.keptRows > 0);
    this.#state = startState(work, run.journal.clock(), (tokens) => run.engine.tasks.codec.decode(tokens));
    // Whatever else writes to the terminal (a warning of Node, a user's reward function) goes above the region.
    const { write, giveBack } = captureWrites((text) => this.#later(() => foreignText(text)));
    this.#giveBackWrites = giveBack;
    this.#screen = new Screen({
      get columns() {
        return sizeOf(stdout).columns;
      },
      write,
    });
    this.#title = new Title({ write });
    this.#reporter = new Reporter({ ...shown, progress: false, print: (line) => this.#print(line) });
    this.#keys = stdin.isTTY ? new Keys(stdin, this.#actions()) : undefined;
    this.#timer = setInterval(this.#drawSoon, FRAME_MS);
    stdout.on('resize', this.#drawSoon);
    this.#forgetExit = onExit(() => this.close()); // also where a signal or an error ends the process
  }

  opening(fingerprint: Fingerprint, plannedBytes: ReadonlyMap<string, number>): void {
    this.#reporter.opening(fingerprint, plannedBytes);
  }

  async handle(event: SessionEvent): Promise<void> {
    if (event.type === 'resumed') await this.#recall(event.wallSeconds);
    this.#state = reduce(this.#state, event, this.#shown.run.journal.clock());
    if (event.type === 'stage') {
      this.#state = withHistory(this.#state, this.#history);
      this.#history = [];
    }
    this.#reporter.handle(event);
  }

  /** The clock and the charts of a resumed run continue from where they were. */
  async #recall(earlierSeconds: number): Promise<void> {
    const store = fileStore(this.#shown.directory);
    this.#history = (await lastRecords(store, 'metrics.jsonl', HISTORY_BYTES)).records;
    this.#state = { ...this.#state, startedAt: this.#state.startedAt - 1000 * earlierSeconds };
  }

  say(message: string): void {
    this.#reporter.say(message);
  }

  close(): void {
    this.#forgetExit();
    clearInterval(this.#timer);
    clearImmediate(this.#nextFrame);
    process.stdout.off('resize', this.#drawSoon);
    this.#keys?.close();
    this.#screen.clear();
    this.#title.giveBack();
    this.#screen.print(this.#takeFinished());
    this.#giveBackWrites();
  }

  #print(text: string): void {
    this.#later((columns) => terminalText(wrapWords(text, columns)));
  }

  #later(finished: (columns: number) => string): void {
    this.#finished.push(finished);
    this.#drawSoon();
  }

  #takeFinished(): string {
    const { columns } = sizeOf(process.stdout);
    const lines = this.#finished.map((made) => made(columns));
    this.#finished = [];
    return lines.map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join('');
  }

  /**
   * After all that the event loop has waiting: a step may have delayed the news of a resize, and a frame for
   * the columns before would be torn.
   */
  readonly #drawSoon = (): void => {
    this.#nextFrame ??= setImmediate(() => {
      this.#nextFrame = undefined;
      this.#draw();
    });
  };

  #draw(): void {
    if (isInForeground() !== this.#isInFront) this.#changePlace();
    const finished = this.#takeFinished();
    if (!this.#isInFront) {
      this.#screen.print(finished);
      return;
    }
    const { asked } = this.#controls;
    const state = { ...this.#state, now: this.#shown.run.journal.clock() };
    const options = { ...sizeOf(process.stdout), colors, asked, keys: this.#keys !== undefined, help: this.#showsHelp };
    this.#title.show(titleOf(state, basename(resolve(this.#shown.directory))));
    this.#screen.draw(frame(state, options).map(terminalText), finished);
  }

  /** Another program has the terminal, or it is ours again, in an unknown mode and with unknown lines. */
  #changePlace(): void {
    this.#isInFront = !this.#isInFront;
    this.#screen.forget();
    if (!this.#isInFront) return;
    this.#keys?.close();
    this.#keys?.listen();
  }

  #actions(): ConstructorParameters<typeof Keys>[1] {
    const controls = this.#controls;
    const letters: Readonly<Record<string, () => void>> = {
      p: () => controls.togglePause(),
      e: () => controls.evaluate(),
      q: () => controls.stop(),
      h: () => {
        this.#showsHelp = !this.#showsHelp;
      },
    };
    return {
      onLetter: (letter) => {
        letters[letter]?.();
        this.#drawSoon();
      },
      onInterrupt: () => process.kill(process.pid, 'SIGINT'),
      onSuspend: () => this.#suspend(),
    };
  }

  /** As the terminal would do it: every process of the job stops, the command that started this one included. */
  #suspend(): void {
    if (process.platform === 'win32') return; // there are no jobs
    this.#screen.clear();
    this.#title.giveBack();
    this.#keys?.close();
    this.#isInFront = false;
    this.#controls.holdClock();
    process.once('SIGCONT', () => {
      this.#controls.releaseClock();
      this.#drawSoon();
    });
    process.kill(0, 'SIGTSTP');
  }
}
