/** A chat box: the same text to the model as it was and as it is, side by side. One engine answers both. */
import { element } from '../../../packages/report/page/dom.ts';
import { counted } from '../../../src/format.ts';
import type { Compared, ModelLab } from './model_lab.ts';

export class ChatPanel {
  readonly #lab: ModelLab;
  readonly #prompt = element('textarea', { id: 'prompt', rows: 3, 'aria-label': 'What you ask' });
  readonly #temperature = element('input', { id: 'temperature', type: 'number', min: 0, max: 2, step: 0.1, value: 0 });
  readonly #ask = element('button', { type: 'submit', id: 'ask', class: 'main' }, 'Ask both');
  readonly #answers = element('div', { id: 'said', 'aria-live': 'polite' });
  #examplesOf: unknown;
  #shown: readonly Compared[] = [];
  #partial = '';

  constructor(place: HTMLElement, lab: ModelLab) {
    this.#lab = lab;
    const another = element('button', { type: 'button' }, 'A held-out problem');
    another.addEventListener('click', () => this.#another());
    const form = element(
      'form',
      {},
      this.#prompt,
      element(
        'div',
        { class: 'row' },
        this.#ask,
        another,
        element('label', { for: 'temperature' }, 'Temperature'),
        this.#temperature,
      ),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const prompt = this.#prompt.value.trim();
      if (prompt !== '') void lab.compare(prompt, this.#temperature.valueAsNumber || 0);
    });
    this.#prompt.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (!this.#ask.disabled) form.requestSubmit();
    });
    place.append(
      element(
        'p',
        { class: 'quiet' },
        'Before: the model alone, its adapter off. After: the adapter on, as far as it has learned. Ask a problem that it never trains on, or anything else, before, during and after the training; during it a question waits for the end of the step.',
      ),
      form,
      this.#answers,
    );
  }

  #another(): void {
    const examples = this.#lab.run?.opened.examples ?? [];
    const at = examples.findIndex(({ prompt }) => prompt === this.#prompt.value);
    this.#prompt.value = examples[(at + 1) % Math.max(1, examples.length)]?.prompt ?? '';
  }

  update(): void {
    const { run, status, yaml, compared, partial } = this.#lab;
    const mayOpen = this.#lab.isClosed && yaml !== '';
    this.#ask.disabled = !mayOpen && (run === undefined || !['resting', 'training', 'finished'].includes(status));
    if (run !== undefined && this.#examplesOf !== run) {
      this.#examplesOf = run;
      if (this.#prompt.value === '') this.#another();
    }
    if (this.#shown === compared && this.#partial === partial) return;
    this.#shown = compared;
    this.#partial = partial;
    this.#answers.replaceChildren(
      ...compared.flatMap(({ prompt, step, base, adapter }, i) => {
        const so = i === 0 && adapter === undefined ? partial : '';
        return [
          element('p', { class: 'asked' }, prompt.length > 200 ? `${prompt.slice(0, 200)} …` : prompt),
          element(
            'div',
            { class: 'beside' },
            element('div', { 'data-by': 'base' }, element('h3', {}, 'Before'), said(base, so)),
            element(
              'div',
              { 'data-by': 'adapter' },
              element('h3', {}, `After ${counted(step, 'step')}`),
              said(adapter, base === undefined ? '' : so),
            ),
          ),
        ];
      }),
    );
  }
}

/** @param partial  what there is of an answer that is not whole */
function said(answer: Compared['base'], partial: string): HTMLElement {
  if (answer === undefined) return element('span', { class: 'quiet' }, `${partial} …`);
  const { text, verdict } = answer;
  const isRight = verdict?.status === 'correct';
  const mark =
    verdict === undefined ? [] : [element('span', { class: isRight ? 'right' : 'wrong' }, isRight ? ' ✓' : ' ✗')];
  return element('span', {}, text, ...mark);
}
