/** What the model writes: completions as they come, then the group with verdicts and advantages, or answers to held-out problems. */
import type { CreditedGroup, Sampling } from 'rlvr-train/web';
import { element } from '../../../packages/report/page/dom.ts';
import { counted, minus } from '../../../src/format.ts';
import { legend, tokens, type Vocabulary } from '../token_table.ts';
import type { ModelLab } from './model_lab.ts';

const ASKS: Readonly<Record<Sampling['asks'], string>> = {
  training: 'Sampling answers to training problems',
  greedy: 'Evaluating: best guesses to held-out problems',
  sampled: 'Evaluating: tries at held-out problems',
  visitor: 'Answering you',
};

export class AnswersPanel {
  readonly #lab: ModelLab;
  readonly #place: HTMLElement;
  #shown: unknown;

  constructor(place: HTMLElement, lab: ModelLab) {
    this.#place = place;
    place.tabIndex = 0; // its answers scroll
    this.#lab = lab;
  }

  update(): void {
    const { sampling, groups, groupsStep, tokenTexts, heldOut, status } = this.#lab;
    const isHeldOut = heldOut !== undefined && (groups.length === 0 || heldOut.step > groupsStep - 1);
    const group = groups.find(({ dead }) => !dead) ?? groups[0];
    const shown = sampling ?? (isHeldOut ? heldOut : group) ?? status;
    if (shown === this.#shown) return;
    this.#shown = shown;
    if (sampling !== undefined) this.#place.replaceChildren(...underWay(sampling));
    else if (isHeldOut) this.#place.replaceChildren(...ofEvaluation(heldOut));
    else if (group !== undefined) this.#place.replaceChildren(...ofGroup(group, groupsStep, tokenTexts));
    else {
      const busy = status === 'training' || status === 'opening';
      const words = busy
        ? 'The model is read, then it reads the first questions; answers follow.'
        : 'Answers appear here, word by word, as soon as it trains.';
      this.#place.replaceChildren(element('p', { class: 'empty' }, words));
    }
  }
}

function underWay({ asks, completions, ended, texts }: Sampling): HTMLElement[] {
  return [
    element('h3', {}, `${ASKS[asks]}: ${ended} of ${counted(completions, 'answer')}`),
    list(texts.map(({ prompt, text }) => row(text, question(prompt)))),
  ];
}

function ofEvaluation({ step, answers }: NonNullable<ModelLab['heldOut']>): HTMLElement[] {
  return [
    element('h3', {}, `Best guesses to held-out problems after ${counted(step, 'step')}`),
    list(answers.map(({ prompt, completion, verdict }) => row(completion, question(prompt), verdictOf(verdict)))),
  ];
}

function ofGroup({ item, rollouts, advantages, dead }: CreditedGroup, step: number, texts: Vocabulary): HTMLElement[] {
  const order = rollouts.map((_, i) => i).sort((a, b) => (advantages[b] ?? 0) - (advantages[a] ?? 0));
  const right = rollouts.filter(({ verdict }) => verdict.status === 'correct').length;
  const about = dead
    ? 'All are paid alike, so this group teaches nothing.'
    : 'What was paid above the mean grows likelier.';
  const rows = order.flatMap((i) => {
    const rollout = rollouts[i];
    if (rollout === undefined) return [];
    const advantage = advantages[i] ?? 0;
    const direction = advantage > 0 ? 'up' : advantage < 0 ? 'down' : 'flat';
    const sign = advantage > 0 ? '+' : '';
    const paid = element('span', { class: 'advantage' }, minus(`${sign}${advantage.toFixed(2)}`));
    return [row(coloured(rollout, texts), verdictOf(rollout.verdict), paid, direction)];
  });
  return [
    element('h3', {}, `Step ${step}: ${right} of ${rollouts.length} right`),
    element('p', { class: 'prompt' }, element('code', {}, item.prompt), element('small', {}, ` right: ${item.answer}`)),
    list(rows),
    legend(about),
  ];
}

/** The words of an answer, each on a ground of its surprise; as they are where tokens split a character. */
function coloured(rollout: CreditedGroup['rollouts'][number], texts: Vocabulary): string | HTMLElement[] {
  const { finishReason, text } = rollout;
  const ids = finishReason === 'eos' ? rollout.tokens.subarray(0, -1) : rollout.tokens;
  const joined = Array.from(ids, (id) => texts[id]).join('');
  return joined.trim() === text.trim() && text !== '' ? tokens({ ...rollout, tokens: ids }, texts) : text;
}

function question(prompt: string): HTMLElement {
  return element('span', { class: 'quiet' }, prompt);
}

function verdictOf({ status, reason }: CreditedGroup['rollouts'][number]['verdict']): HTMLElement {
  const isRight = status === 'correct';
  return element('span', { class: isRight ? 'right' : 'wrong' }, `${isRight ? '✓' : '✗'} ${reason}`);
}

function row(
  text: string | HTMLElement[],
  about: HTMLElement,
  figure: HTMLElement | string = '',
  direction = '',
): HTMLElement {
  return element(
    'li',
    { class: `completion ${direction}` },
    element('code', {}, ...[text || '…'].flat()),
    element('div', { class: 'scores' }, about, figure),
  );
}

function list(rows: readonly HTMLElement[]): HTMLElement {
  return element('ul', { class: 'completions' }, ...rows);
}
