/** A box to ask the policy, before and after training; the answers stay beside each other. */

import { element } from '../../packages/report/page/dom.ts';
import { counted } from '../../src/format.ts';
import type { Lab } from './lab.ts';
import { messageOf } from './notes.ts';
import type { Asked } from './shown_run.ts';
import { TokenTable, tokensButton } from './token_table.ts';

const SAMPLES = 4;

export class AskPanel {
  readonly #lab: Lab;
  readonly #prompt = element('input', { id: 'prompt', list: 'prompts', autocomplete: 'off', spellcheck: 'false' });
  readonly #prompts = element('datalist', { id: 'prompts' });
  readonly #button = element('button', { type: 'submit' }, 'Ask');
  readonly #answers = element('div', { 'aria-live': 'polite' });
  readonly #problem = element('div', { role: 'status' });
  readonly #table = new TokenTable();
  #isAsking = false;
  #examplesOf: unknown;
  #shown: readonly Asked[] | undefined;

  constructor(place: HTMLElement, lab: Lab) {
    this.#lab = lab;
    const another = element('button', { type: 'button' }, 'Another problem');
    const form = element(
      'form',
      { class: 'row' },
      element('label', { for: 'prompt' }, 'Prompt'),
      this.#prompt,
      this.#button,
      another,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#ask();
    });
    another.addEventListener('click', () => this.#another());
    place.append(
      element('p', { class: 'quiet' }, 'Problems that it never trains on. Ask now, train, and ask again.'),
      form,
      this.#prompts,
      this.#problem,
      this.#answers,
      this.#table.box,
    );
  }

  async #ask(): Promise<void> {
    const prompt = this.#prompt.value.trim();
    if (prompt === '' || this.#isAsking) return;
    this.#isAsking = true;
    this.#problem.replaceChildren();
    try {
      await this.#lab.ask(prompt, 1, SAMPLES);
    } catch (error) {
      this.#problem.replaceChildren(element('p', { class: 'problem' }, messageOf(error)));
    }
    this.#isAsking = false;
  }

  #another(): void {
    const examples = this.#lab.run?.opened.examples ?? [];
    const at = examples.findIndex(({ prompt }) => prompt === this.#prompt.value);
    this.#prompt.value = examples[(at + 1) % Math.max(1, examples.length)]?.prompt ?? '';
  }

  update(): void {
    const { run, asked, status } = this.#lab;
    this.#button.disabled = run === undefined || status === 'busy';
    if (run !== undefined && this.#examplesOf !== run) {
      this.#examplesOf = run;
      const { examples } = run.opened;
      this.#prompts.replaceChildren(...examples.map(({ prompt }) => element('option', { value: prompt })));
      this.#prompt.value = examples[examples.length >> 1]?.prompt ?? '';
    }
    if (this.#shown === asked) return;
    this.#shown = asked;
    const vocabulary = run?.opened.vocabulary ?? [];
    this.#answers.replaceChildren(
      ...asked.map(({ prompt, step, answers }) =>
        element(
          'div',
          { class: 'answer' },
          element(
            'p',
            {},
            element('code', {}, prompt),
            element('span', { class: 'quiet' }, step === 0 ? ' untrained' : ` after ${counted(step, 'step')}`),
          ),
          element(
            'ul',
            {},
            ...answers.map((answer) => {
              const isRight = answer.verdict?.status === 'correct';
              const mark = answer.verdict === undefined ? '' : isRight ? '✓' : '✗';
              return element(
                'li',
                {},
                tokensButton(answer, vocabulary, () =>
                  this.#table.show(`${prompt} after ${counted(step, 'step')}`, answer, vocabulary),
                ),
                element('span', { class: isRight ? 'right' : 'wrong', title: answer.verdict?.reason ?? '' }, mark),
              );
            }),
          ),
        ),
      ),
    );
  }
}
