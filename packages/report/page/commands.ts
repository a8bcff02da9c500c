/** What is asked of a run: pause, evaluate, stop. A run that cannot be asked says why. */
import type { RunState } from '../data.ts';
import { element, write } from './dom.ts';

/** A browser sends it to its own server alone. */
export const COMMAND_HEADER = 'x-rlvr-train';

export class RunCommands {
  readonly #place: HTMLElement;
  readonly #name: string;
  readonly #pause = element('button', { type: 'button', id: 'pause' }, 'Pause');
  readonly #evaluate = element('button', { type: 'button', id: 'evaluate' }, 'Evaluate now');
  readonly #stop = element('button', { type: 'button', id: 'stop' }, 'Stop and save');
  readonly #said = element('p', { class: 'quiet', role: 'status' });
  #state: RunState = { condition: 'over', asked: null, reason: null, fleet: null };
  #isConnected = true;

  constructor(place: HTMLElement, name: string) {
    this.#place = place;
    this.#name = name;
    this.#pause.addEventListener('click', () => this.#ask(isPausing(this.#state) ? 'resume' : 'pause'));
    this.#evaluate.addEventListener('click', () => this.#ask('evaluate'));
    this.#stop.addEventListener('click', () => this.#ask('stop'));
    place.append(this.#pause, this.#evaluate, this.#stop, this.#said);
    this.#draw();
  }

  show(state: RunState): void {
    this.#state = state;
    this.#draw();
  }

  connection(isConnected: boolean): void {
    this.#isConnected = isConnected;
    this.#draw();
  }

  #draw(): void {
    const { condition, asked } = this.#state;
    const canAsk = asked !== null && asked !== 'stop' && this.#isConnected;
    for (const button of [this.#pause, this.#evaluate, this.#stop]) {
      button.hidden = condition !== 'running';
      button.disabled = !canAsk;
    }
    this.#evaluate.disabled ||= asked === 'evaluation' || asked === 'evaluating';
    write(this.#pause, isPausing(this.#state) ? 'Continue' : 'Pause');
    const said = this.#isConnected ? sentence(this.#state) : LOST;
    write(this.#said, said);
    this.#place.hidden = said === '' && condition !== 'running';
  }

  async #ask(request: string): Promise<void> {
    const query = `run=${encodeURIComponent(this.#name)}&ask=${request}`;
    try {
      const response = await fetch(`request?${query}`, { method: 'POST', headers: { [COMMAND_HEADER]: '1' } });
      if (!response.ok) write(this.#said, await response.text());
    } catch {
      this.connection(false);
    }
  }
}

const LOST =
  'The server of this page has ended: rlvr-train ui starts it again. The run, if it is under way, continues.';

function isPausing({ asked }: RunState): boolean {
  return asked === 'pause' || asked === 'paused';
}

function sentence({ condition, asked, reason }: RunState): string {
  if (condition === 'finished') return ''; // the page's head says so
  if (condition === 'over') return 'No process works on this run; --resume continues it.';
  switch (asked) {
    case null:
      return `The run cannot be asked from here: ${reason}.`;
    case 'pause':
      return 'It pauses after this step.';
    case 'paused':
      return 'Paused: the step is done, the clock is stopped.';
    case 'evaluation':
      return 'It evaluates after this step.';
    case 'evaluating':
      return 'It evaluates.';
    case 'stop':
      return 'It stops and saves. What is under way is done again by the resume.';
    case 'nothing':
      return '';
  }
}
