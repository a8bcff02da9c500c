/** The question whether foreign code may run, above everything that would run it: the code itself, and two buttons. */
import { element } from '../../packages/report/page/dom.ts';
import type { Question } from './agreement.ts';
import type { OwnCode } from './experiment.ts';
import type { Lab } from './lab.ts';

const PLACE = 'in a worker without network, storage or page. Nothing of it has run.';
const ABOUT: Readonly<Record<OwnCode['what'], string>> = {
  reward: `It is a reward: JavaScript that scores each completion, ${PLACE}`,
  task: `It is a task: JavaScript that draws problems and judges answers, ${PLACE}`,
};

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
      ...question.codes.flatMap(({ what, code }) => [
        element('p', {}, ABOUT[what]),
        element('pre', { class: 'yaml', tabindex: 0, 'aria-label': `The code of the ${what}` }, code),
      ]),
      element('div', { class: 'row' }, button('Run this code', 'agree', true), button('Leave it', 'decline', false)),
    );
    this.#place.scrollIntoView({ block: 'nearest' });
  }
}
