/** Two moments of the run on one prompt, side by side: before its first step, and now, which follows the training. */
import type { Answer } from 'rlvr-train/web';
import { element, write } from '../../packages/report/page/dom.ts';
import { counted } from '../../src/format.ts';
import type { Lab } from './lab.ts';
import { messageOf } from './notes.ts';
import { TokenTable, tokensButton } from './token_table.ts';

export class AskPanel {
  readonly #lab: Lab;
  readonly #prompt = element('input', { id: 'prompt', list: 'prompts', autocomplete: 'off', spellcheck: 'false' });
  readonly #prompts = element('datalist', { id: 'prompts' });
  readonly #button = element('button', { type: 'submit' }, 'Ask');
  readonly #said = element('p', { class: 'quiet', role: 'status' });
  readonly #moments = element('div', { class: 'moments' });
  readonly #table = new TokenTable();
  #isAsking = false;
  /** What is to be asked next. */
  #wanted = '';
  #run: Lab['run'];
  /** What was asked last; empty: nothing yet. */
  #asked = '';
  #before: readonly Answer[] = [];
  /** Evaluations that were heard: each asks again, while the answers are in sight. */
  #evaluations = 0;
  #isSeen = false;

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
      void this.#ask(this.#prompt.value.trim());
    });
    another.addEventListener('click', () => this.#another());
    const seen = new IntersectionObserver((entries) => {
      this.#isSeen = entries.at(-1)?.isIntersecting === true;
      this.update();
    });
    seen.observe(place);
    place.append(form, this.#prompts, this.#said, this.#moments, this.#table.box);
  }

  /** Asks with the same random numbers each time; the policy of before is asked once for a prompt. */
  async #ask(prompt: string): Promise<void> {
    this.#wanted = prompt;
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#moments.ariaBusy = 'true';
    while (this.#wanted !== '') {
      const { run } = this.#lab;
      const asked = this.#wanted;
      this.#wanted = '';
      try {
        const before = asked === this.#asked ? this.#before : await this.#lab.ask(asked, true);
        const now = await this.#lab.ask(asked, false);
        if (run === this.#lab.run) this.#show(asked, before, now);
      } catch (error) {
        write(this.#said, messageOf(error));
        this.#said.className = 'problem';
      }
    }
    this.#isAsking = false;
    this.#moments.ariaBusy = 'false';
  }

  #show(prompt: string, before: readonly Answer[], now: readonly Answer[]): void {
    [this.#asked, this.#before] = [prompt, before];
    const right = (answers: readonly Answer[]): string =>
      `${answers.filter(({ verdict }) => verdict?.status === 'correct').length} of ${answers.length} right`;
    const known = this.#lab.run?.opened.examples.find((example) => example.prompt === prompt);
    const verdicts = now[0]?.verdict && `: ${right(before)} before, ${right(now)} now`;
    this.#said.className = 'quiet';
    write(
      this.#said,
      `${prompt} ${known?.answer ?? ''}${verdicts ?? ''}. The likeliest answer, then three sampled with the same random numbers.`,
    );
    const when = `Now, after ${counted(this.#lab.history.step, 'step')}`;
    this.#moments.replaceChildren(
      this.#side('before', 'Before the first step', prompt, before),
      this.#side('now', when, prompt, now),
    );
  }

  #side(moment: string, title: string, prompt: string, answers: readonly Answer[]): HTMLElement {
    const vocabulary = this.#lab.run?.opened.vocabulary ?? [];
    const rows = answers.map((answer) => {
      const isRight = answer.verdict?.status === 'correct';
      const mark = answer.verdict === undefined ? '' : isRight ? '✓' : '✗';
      const inside = this.#lab.inside(prompt, answer.tokens);
      return element(
        'li',
        {},
        tokensButton(answer, vocabulary, (place) =>
          this.#table.show(`${prompt} ${title}`, answer, vocabulary, inside, place),
        ),
        element('span', { class: isRight ? 'right' : 'wrong', title: answer.verdict?.reason ?? '' }, mark),
      );
    });
    return element('div', { class: `answer ${moment}` }, element('h3', {}, title), element('ul', {}, ...rows));
  }

  #another(): void {
    const examples = this.#run?.opened.examples ?? [];
    const at = examples.findIndex(({ prompt }) => prompt === this.#prompt.value);
    this.#prompt.value = examples[(at + 1) % Math.max(1, examples.length)]?.prompt ?? '';
    void this.#ask(this.#prompt.value);
  }

  update(): void {
    const { run, status, history } = this.#lab;
    this.#button.disabled = run === undefined || status === 'busy';
    if (run === undefined) return;
    if (run !== this.#run) {
      [this.#run, this.#asked, this.#evaluations] = [run, '', 0];
      const { examples } = run.opened;
      this.#prompts.replaceChildren(...examples.map(({ prompt }) => element('option', { value: prompt })));
      this.#prompt.value = examples[examples.length >> 1]?.prompt ?? '';
      this.#moments.replaceChildren();
    }
    const { length } = history.accuracies;
    if (length === this.#evaluations || this.#isAsking || !this.#isSeen) return;
    this.#evaluations = length;
    void this.#ask(this.#asked || this.#prompt.value);
  }
}
