/** Single keys from a terminal, without Enter. */
import type { ReadStream } from 'node:tty';

const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';
const ESCAPE = '\u001b';

export interface KeyActions {
  /** A letter, in lower case. */
  onLetter(letter: string): void;
  /** In raw mode the terminal no longer turns these two into signals. */
  onInterrupt(): void;
  onSuspend(): void;
}

/** What of standard input is needed. */
export type KeyInput = Pick<ReadStream, 'setRawMode' | 'resume' | 'pause' | 'on' | 'off'>;

export class Keys {
  readonly #input: KeyInput;
  readonly #actions: KeyActions;
  #listening = false;

  constructor(input: KeyInput, actions: KeyActions) {
    this.#input = input;
    this.#actions = actions;
  }

  listen(): void {
    this.#listening = true;
    this.#input.setRawMode(true);
    this.#input.on('data', this.#onData);
    this.#input.resume();
  }

  /** Gives the terminal back as it was, and lets the process end. */
  close(): void {
    if (!this.#listening) return;
    this.#listening = false;
    this.#input.off('data', this.#onData);
    this.#input.setRawMode(false);
    this.#input.pause();
  }

  readonly #onData = (data: Uint8Array | string): void => {
    const text = String(data);
    if (text.startsWith(ESCAPE)) return; // an arrow or a function key, whose letters mean nothing
    for (const key of text) {
      if (key === CTRL_C) this.#actions.onInterrupt();
      else if (key === CTRL_Z) this.#actions.onSuspend();
      else this.#actions.onLetter(key.toLowerCase());
    }
  };
}
