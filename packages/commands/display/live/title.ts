/** The title of the terminal's window, which says how far the run is; the one before comes back. */
import type { Terminal } from './screen.ts';
import type { LiveState } from './state.ts';

/** Terminals that keep a stack of titles (xterm's) put theirs on it and take it back; others ignore both. */
const KEEP = '\u001b[22;2t';
const TAKE_BACK = '\u001b[23;2t';

/** `120 of 750 · countdown` */
export function titleOf({ work, stageIndex, step }: LiveState, name: string): string {
  const steps = work[stageIndex]?.steps;
  return steps === undefined ? name : `${step} of ${steps} · ${name}`;
}

export class Title {
  readonly #terminal: Pick<Terminal, 'write'>;
  #shown: string | undefined;

  constructor(terminal: Pick<Terminal, 'write'>) {
    this.#terminal = terminal;
  }

  show(title: string): void {
    if (title === this.#shown) return;
    const keep = this.#shown === undefined ? KEEP : '';
    this.#shown = title;
    this.#terminal.write(`${keep}\u001b]2;${title.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')}\u0007`);
  }

  giveBack(): void {
    if (this.#shown !== undefined) this.#terminal.write(TAKE_BACK);
    this.#shown = undefined;
  }
}
