/** The five steps: one is shown at a time, and each says in a line where it is. */
import { byId, element, write } from '../../../packages/report/page/dom.ts';

const STEPS = [
  ['model', 'The model'],
  ['job', 'What it learns'],
  ['training', 'Train'],
  ['chat', 'Chat'],
  ['give', 'Take it with you'],
] as const;
export type StepName = (typeof STEPS)[number][0];

export class Steps {
  readonly #lines = new Map<StepName, HTMLElement>();
  readonly #buttons = new Map<StepName, HTMLButtonElement>();

  constructor(place: HTMLElement) {
    for (const [i, [name, title]] of STEPS.entries()) {
      const line = element('small');
      const button = element(
        'button',
        { type: 'button', 'data-step': name },
        element('b', {}, String(i + 1)),
        element('span', {}, title, line),
      );
      button.addEventListener('click', () => this.show(name));
      this.#lines.set(name, line);
      this.#buttons.set(name, button);
      place.append(button);
    }
    this.show('model');
  }

  show(shown: StepName): void {
    for (const [name, button] of this.#buttons) {
      byId(name).hidden = name !== shown;
      if (name === shown) button.setAttribute('aria-current', 'step');
      else button.removeAttribute('aria-current');
    }
    scrollTo(0, 0);
  }

  say(step: StepName, line: string): void {
    write(this.#lines.get(step) as HTMLElement, line); // one of STEPS
  }
}
