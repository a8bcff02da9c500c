/** A chat box: the same text to the base and to the adapter, side by side. One engine answers both. */

import { element } from '../../../packages/report/page/dom.ts';
import { counted } from '../../../src/format.ts';
import type { Compared, ModelLab } from './model_lab.ts';

export class ChatPanel {
  readonly #lab: ModelLab;
  readonly #prompt = element('textarea', { id: 'prompt', rows: 3, 'aria-label': 'What you ask' });
  readonly #temperature = element('input', { id: 'temperature', type: 'number', min: 0, max: 2, step: 0.1, value: 0 });
  readonly #ask = element('button', { type: 'submit', id: 'ask' }, 'Ask both');
  readonly #answers = element('div', { id: 'answers', 'aria-live': 'polite' });
  #examplesOf: unknown;
  #shown: readonly Compared[] = [];

  constructor(place: HTMLElement, lab: ModelLab) {
    this.#lab = lab;
    const another = element('button', { type: 'button' }, 'Another problem');
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
    place.append(
      element(
        'p',
        { class: 'quiet' },
        'Ask a problem that it never trains on, or anything else, before, during and after the training. An answer has at most max_completion_length tokens.',
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
    const { run, status, compared } = this.#lab;
    this.#ask.disabled = run === undefined || !['resting', 'training', 'finished'].includes(status);
    if (run !== undefined && this.#examplesOf !== run) {
      this.#examplesOf = run;
      if (this.#prompt.value === '') this.#another();
    }
    if (this.#shown === compared) return;
    this.#shown = compared;
    this.#answers.replaceChildren(
      ...compared.flatMap(({ prompt, step, base, adapter }) => [
        element('p', { class: 'quiet' }, prompt.length > 200 ? `${prompt.slice(0, 200)} …` : prompt),
        element(
          'div',
          { class: 'beside' },
          element('div', { 'data-by': 'base' }, element('h3', {}, 'Base'), said(base)),
          element(
            'div',
            { 'data-by': 'adapter' },
            element('h3', {}, `Adapter after ${counted(step, 'step')}`),
            said(adapter),
          ),
        ),
      ]),
    );
  }
}

function said({ text, verdict }: Compared['base']): HTMLElement {
  const isRight = verdict?.status === 'correct';
  const mark =
    verdict === undefined ? [] : [element('span', { class: isRight ? 'right' : 'wrong' }, isRight ? ' ✓' : ' ✗')];
  return element('span', {}, text, ...mark);
}
