/** An editor for a task of the visitor's own: checked, with its first problems shown, then trained on. */
import type { CheckedTask } from 'rlvr-train/web';
import { element, scrollTable } from '../../packages/report/page/dom.ts';
import { percent, thousands } from '../../src/format.ts';
import type { Word } from './code_editor.ts';
import { CodeField, problemOf } from './code_field.ts';
import { type Experiment, ofPreset } from './experiment.ts';
import type { Lab } from './lab.ts';
import { messageOf } from './notes.ts';

export const TASK_EXAMPLE = `// rng is all chance there is: rng.int(low, high), rng.pick(list), rng.shuffle(list), rng.float().
function generate(rng) {
  const digits = Array.from({ length: 5 }, () => rng.int(0, 9));
  return { digits };
}
// How a problem is asked, and a right answer: texts, a token per character.
function prompt({ digits }) {
  return digits.join('') + '>';
}
function oracle({ digits }) {
  return String(Math.max(...digits));
}
// What is right: true, false, a score from 0 to 1, or { score, reason }.
function verify(problem, answer) {
  return answer === oracle(problem);
}
`;

const WORDS: readonly Word[] = [
  { word: 'rng.int', means: '(low, high): a whole number, both included' },
  { word: 'rng.pick', means: '(list): one of it' },
  { word: 'rng.shuffle', means: '(list): the same list in another order' },
  { word: 'rng.float', means: '(): from 0 to below 1' },
  { word: 'generate', means: '(rng): a problem as plain data, or null to draw again' },
  { word: 'prompt', means: '(problem): how it is asked' },
  { word: 'oracle', means: '(problem): a right answer' },
  { word: 'verify', means: '(problem, answer): whether it is right' },
];

export class TaskPanel {
  readonly #lab: Lab;
  readonly #code = new CodeField({ id: 'task-code', label: 'JavaScript of the task', rows: 18, words: WORDS });
  readonly #result = element('div', { 'aria-live': 'polite' });
  #shown: string | undefined;

  /** @param choose  called with the experiment that trains on the task */
  constructor(place: HTMLElement, lab: Lab, choose: (experiment: Experiment) => void) {
    this.#lab = lab;
    this.update();
    const check = element('button', { type: 'button', id: 'check-task' }, 'Check it');
    check.addEventListener('click', () => void this.#check());
    const use = element('button', { type: 'button', id: 'use-task' }, 'Train on it');
    use.addEventListener('click', async () => {
      if (!(await this.#check())) return;
      this.#shown = this.#code.value;
      lab.codes = { ...lab.codes, task: this.#shown };
      const { experiment } = lab;
      choose(experiment.task === 'yours' ? { ...experiment } : { ...ofPreset('own-task'), seed: experiment.seed });
    });
    place.append(
      element(
        'p',
        { class: 'quiet' },
        'Four functions, in a worker of their own without network, storage or page. A fifth of the problems is held out. The check tries right, wrong and absurd answers before anything is trained.',
      ),
      this.#code.box,
      element('div', { class: 'row' }, check, use),
      this.#result,
    );
  }

  /** Code that came with a link or a file is shown where it can be changed. */
  update(): void {
    if (this.#shown === this.#lab.codes.task) return;
    this.#shown = this.#lab.codes.task;
    this.#code.value = this.#shown;
  }

  /** Whether it can be trained on. */
  async #check(): Promise<boolean> {
    this.#result.replaceChildren(element('p', { class: 'quiet' }, 'Drawing problems and trying answers …'));
    try {
      const checked = await this.#lab.checkTask(this.#code.value);
      this.#result.replaceChildren(...describe(checked));
      return checked.findings.every(({ level }) => level !== 'stop');
    } catch (error) {
      this.#result.replaceChildren(problemOf(messageOf(error), this.#code));
      return false;
    }
  }
}

function describe({ examples, problems, chance, findings }: CheckedTask): HTMLElement[] {
  const said = `${thousands(problems.train)} problems to train on, ${thousands(problems.heldOut)} held out; one constant answer is right for ${percent(chance)} of them.`;
  return [
    ...findings.map(({ level, text }) => element('p', { class: level === 'stop' ? 'problem' : 'note warn' }, text)),
    element('p', { class: 'quiet' }, findings.length === 0 ? `Nothing was found wrong. ${said}` : said),
    scrollTable(
      'Problems of the task',
      ['Prompt', 'Right answer'],
      examples.map(({ prompt, answer }) => [element('code', {}, prompt), element('code', {}, answer)]),
    ),
  ];
}
