/** The question whether foreign code may run, above everything that would run it: the code itself, and two buttons. */
import { element } from '../../src/report/page/dom.ts';
import type { Question } from './agreement.ts';
import type { Lab } from './lab.ts';

export class AgreementPanel {
  readonly #place: HTMLElement;
  readonly #lab: Lab;
  #shown: Question | undefined;

  constructor(place: HTMLElement, lab: Lab) {
    this.#place = place;
    this.#lab = lab;
  }

  update(): void {
    const { question } = this.#lab.agreement;
    if (question === this.#shown) return;
    this.#shown = question;
    this.#place.hidden = question === undefined;
    if (question === undefined) {
      this.#place.replaceChildren();
      return;
    }
    const button = (label: string, id: string, agreed: boolean): HTMLButtonElement => {
      const made = element('button', { type: 'button', id }, label);
      made.addEventListener('click', () => question.answer(agreed));
      return made;
    };
    this.#place.replaceChildren(
      element('h2', { id: 'agreement-title' }, `${question.from} brings code of its own`),
      element(
        'p',
        {},
        'It is a reward: JavaScript that scores each completion, in a worker without network, storage or page. Nothing of it has run.',
      ),
      element('pre', { class: 'yaml', tabindex: 0, 'aria-label': 'The code' }, question.code),
      element('div', { class: 'row' }, button('Run this code', 'agree', true), button('Leave it', 'decline', false)),
    );
    this.#place.scrollIntoView({ block: 'nearest' });
  }
}
