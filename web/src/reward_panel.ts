/** An editor for a reward of the visitor's own: tried on twenty completions, then trained against. */
import { element, scrollTable } from '../../packages/report/page/dom.ts';
import type { Word } from './code_editor.ts';
import { CodeField, problemOf } from './code_field.ts';
import type { Experiment } from './experiment.ts';
import type { Lab } from './lab.ts';
import type { LivePay } from './live_pay.ts';
import { loggedValues } from './logged_values.ts';
import { messageOf } from './notes.ts';

export const EXAMPLE = `// One completion in, one number out. verdict is the strict verifier's.
function reward({ prompt, completion, answer, length, verdict }) {
  let right = 0;
  for (let i = 0; i < answer.length; i++) {
    if (completion[i] === answer[i]) right++;
  }
  return right / answer.length;
}
`;

const WORDS: readonly Word[] = [
  { word: 'prompt', means: 'the problem as it was asked' },
  { word: 'completion', means: 'what the policy answered' },
  { word: 'answer', means: 'one right answer' },
  { word: 'length', means: 'tokens of the completion' },
  { word: 'verdict.score', means: 'of the strict verifier, 0 to 1' },
  { word: 'verdict.status', means: "'correct', 'incorrect', 'invalid' or 'truncated'" },
  { word: 'verdict.reason', means: 'why, in words' },
  { word: 'logExtra', means: '(column, value) is shown below the completion' },
  { word: 'logMetric', means: '(name, number): its mean is logged for the step' },
];

export class RewardPanel {
  readonly #lab: Lab;
  readonly #code: CodeField;
  readonly #result = element('div', { 'aria-live': 'polite' });
  #shown: string | undefined;

  /** @param pay  shows what the code would pay @param choose  called with the experiment that trains on the reward */
  constructor(place: HTMLElement, lab: Lab, pay: LivePay, choose: (experiment: Experiment) => void) {
    this.#lab = lab;
    const onEdit = (): void => {
      // Code that came with a link is run by a try first.
      const isOwn = lab.agreement.knows(this.#shown ?? '');
      pay.edit(isOwn && this.#code.value !== this.#shown ? this.#code.value : undefined);
    };
    this.#code = new CodeField({
      id: 'reward-code',
      label: 'JavaScript of the reward',
      rows: 10,
      words: WORDS,
      onEdit,
    });
    this.update();
    const attempt = element('button', { type: 'button', id: 'try-reward' }, 'Try on twenty completions');
    attempt.addEventListener('click', () => void this.#try());
    const use = element('button', { type: 'button', id: 'use-reward' }, 'Train against it');
    use.addEventListener('click', async () => {
      if (!(await this.#try())) return;
      pay.edit(undefined);
      this.#shown = this.#code.value;
      lab.codes = { ...lab.codes, reward: this.#shown };
      choose({ ...lab.experiment, reward: 'yours' });
    });
    place.append(
      element(
        'p',
        { class: 'quiet' },
        'While you edit it, each answer of the group shows what it would pay. It runs in a worker of its own, without network, storage or page; one that hangs is ended after five seconds.',
      ),
      this.#code.box,
      element('div', { class: 'row' }, attempt, use),
      this.#result,
    );
  }

  /** Code that came with a link or a file is shown where it can be changed. */
  update(): void {
    if (this.#shown === this.#lab.codes.reward) return;
    this.#shown = this.#lab.codes.reward;
    this.#code.value = this.#shown;
  }

  /** Whether it gave a number for all of them. */
  async #try(): Promise<boolean> {
    this.#result.replaceChildren(element('p', { class: 'quiet' }, 'Sampling twenty completions …'));
    try {
      const rows = await this.#lab.tryReward(this.#code.value);
      this.#result.replaceChildren(
        scrollTable(
          'Rewards of twenty completions',
          ['Prompt', 'Completion', 'Your reward', 'Strict verdict'],
          rows.map(({ prompt, text, reward, verdict, extra }) => [
            element('code', {}, prompt),
            element('code', {}, text),
            element('td', {}, reward === null ? '–' : reward.toFixed(2), ...loggedValues(extra)),
            element('td', { class: verdict.status === 'correct' ? 'right' : 'wrong' }, verdict.reason),
          ]),
        ),
      );
      return true;
    } catch (error) {
      this.#result.replaceChildren(problemOf(messageOf(error), this.#code));
      return false;
    }
  }
}
