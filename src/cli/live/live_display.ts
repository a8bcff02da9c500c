/** The live region of a terminal: finished lines above, redrawn progress below, and keys. */

import { onExit } from 'signal-exit';
import { plannedWork } from '../../planning/work.ts';
import type { Fingerprint } from '../../run/fingerprint.ts';
import type { SessionEvent } from '../../run/session.ts';
import { colors } from '../colors.ts';
import type { RunControls } from '../controls.ts';
import type { Display, Shown } from '../display.ts';
import { foreignText, sizeOf, terminalText } from '../output.ts';
import { Reporter } from '../reporter.ts';
import { isInForeground } from './foreground.ts';
import { frame } from './frame.ts';
import { Keys } from './keys.ts';
import { Screen } from './screen.ts';
import { type LiveState, reduce, startState } from './state.ts';
import { wrapWords } from './text.ts';
import { captureWrites } from './writes.ts';

/** Milliseconds from one frame to the next. */
const FRAME_MS = 125;

/** For 80 columns. */
export const HELP = `
  p  pause after this step; go on         q  finish this step, save, quit
  e  evaluate on all held-out problems    Ctrl-C as q, twice: at once
  reward       mean of the completions of a step, by the training rewards
  held-out     share of problems, never trained on, that are solved: greedy, by
               the policy's best guess; sampled, mean of a few tries
  entropy      nats per token: how undecided the policy is; 0: it tries nothing
  cut off      share of completions that reached the length limit
  dead groups  share of prompts whose completions all got the same reward
`;

export class LiveDisplay implements Display {
  readonly #shown: Shown;
  readonly #controls: RunControls;
  readonly #screen: Screen;
  readonly #reporter: Reporter;
  readonly #keys: Keys | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #giveBackWrites: () => void;
  readonly #forgetExit: () => void;
  /** Whether the terminal is ours: only then are keys read and the region drawn. */
  #isInFront = false;
  #state: LiveState;

  constructor(shown: Shown, controls: RunControls) {
    const { stdout, stdin } = process;
    this.#shown = shown;
    this.#controls = controls;
    const { run } = shown;
    this.#state = startState(plannedWork(run.config, run.tasks, run.policy.capacity.keptRows > 0), run.clock());
    // Whatever else writes to the terminal (a warning of Node, a user's reward function) goes above the region.
    const { write, giveBack } = captureWrites((text) => this.#screen.print(foreignText(text)));
    this.#giveBackWrites = giveBack;
    this.#screen = new Screen({
      get columns() {
        return sizeOf(stdout).columns;
      },
      write,
    });
    this.#reporter = new Reporter({ ...shown, progress: false, print: (line) => this.#print(line) });
    this.#keys = stdin.isTTY ? new Keys(stdin, this.#actions()) : undefined;
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
    stdout.on('resize', this.#draw);
    this.#forgetExit = onExit(() => this.close()); // also where a signal or an error ends the process
  }

  opening(fingerprint: Fingerprint, plannedBytes: ReadonlyMap<string, number>): void {
    this.#reporter.opening(fingerprint, plannedBytes);
  }

  handle(event: SessionEvent): void {
    this.#state = reduce(this.#state, event, this.#shown.run.clock());
    this.#reporter.handle(event);
  }

  say(message: string): void {
    this.#reporter.say(message);
  }

  close(): void {
    this.#forgetExit();
    clearInterval(this.#timer);
    process.stdout.off('resize', this.#draw);
    this.#keys?.close();
    this.#giveBackWrites();
    this.#screen.clear();
  }

  #print(text: string): void {
    this.#screen.print(terminalText(wrapWords(text, sizeOf(process.stdout).columns)));
  }

  readonly #draw = (): void => {
    if (isInForeground() !== this.#isInFront) this.#changePlace();
    if (!this.#isInFront) return;
    const { asked } = this.#controls;
    const state = { ...this.#state, now: this.#shown.run.clock() };
    const keys = this.#keys !== undefined;
    this.#screen.draw(frame(state, { ...sizeOf(process.stdout), colors, asked, keys }).map(terminalText));
  };

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
      h: () => this.#print(HELP),
    };
    return {
      onLetter: (letter) => {
        letters[letter]?.();
        this.#draw();
      },
      onInterrupt: () => process.kill(process.pid, 'SIGINT'),
      onSuspend: () => this.#suspend(),
    };
  }

  /** As the terminal would do it: every process of the job stops, the command that started this one included. */
  #suspend(): void {
    if (process.platform === 'win32') return; // there are no jobs
    this.#screen.clear();
    this.#keys?.close();
    this.#isInFront = false;
    this.#controls.holdClock();
    process.once('SIGCONT', () => {
      this.#controls.releaseClock();
      this.#draw();
    });
    process.kill(0, 'SIGTSTP');
  }
}
