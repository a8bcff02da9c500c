/** One group side by side: every completion with reward, advantage, verdict, and the probability of each token as colour. */
import type { AnswerSearch, CreditedGroup, Rollout } from 'rlvr-train/web';
import { element, write } from '../../packages/report/page/dom.ts';
import { originWords, promptWords } from '../../packages/report/provenance.ts';
import { type Provenance, provenanceOf } from '../../src/run/logs/provenance.ts';
import type { Cycle } from './cycle.ts';
import type { Lab } from './lab.ts';
import type { LivePay } from './live_pay.ts';
import { loggedValues } from './logged_values.ts';
import { linesOf, searchCounts } from './search_lines.ts';
import { legend, TokenTable, tokensButton } from './token_table.ts';

/** Milliseconds that completions are shown: less cannot be read. */
export const DWELL_MS = 1200;
/** Milliseconds from one turn of an episode to the next: they are shown as they were played, at a pace that can be read. */
const TURN_MS = 450;
/** The same from one try to the next. */
const TRY_MS = 200;
/** An advantage whose bar is full: the most in a group of 16 that is divided by its deviation is 3.75. */
const MOST_ADVANTAGE = 3.75;
/** Frames in which a group is drawn: at once, its tokens would be styled and laid out longer than a frame takes. */
const SLICES = 4;

export class GroupPanel {
  readonly #place: HTMLElement;
  readonly #list = element('ul', { class: 'completions' });
  readonly #table = new TokenTable();
  readonly #lab: Lab;
  readonly #cycle: Cycle;
  readonly #pay: LivePay;
  #paid: readonly (number | null)[] | undefined;
  #shown: CreditedGroup | undefined;
  /** Answers to held-out problems, shown in place of a group during a supervised stage. */
  #heldOut: Lab['heldOut'];
  /** The tries of its answers, where they search. */
  #searches: readonly AnswerSearch[] | undefined;
  /** Its rollouts, the best paid first. */
  #order: readonly number[] = [];
  #shownAt = 0;
  #step = 0;
  /** The group that each slice of the list shows. */
  readonly #drawn: (CreditedGroup | undefined)[] = Array.from({ length: SLICES });

  /** @param cycle  goes round with each group @param pay  says what an edited reward would pay it */
  constructor(place: HTMLElement, lab: Lab, cycle: Cycle, pay: LivePay) {
    this.#place = place;
    this.#lab = lab;
    this.#cycle = cycle;
    this.#pay = pay;
  }

  /** The head of the group, its completions slice by slice, and what an edited reward would pay them. */
  get parts(): { update(): boolean }[] {
    const slices = this.#drawn.map((_, slice) => ({ update: () => this.#drawSlice(slice) }));
    return [{ update: () => this.#draw() }, ...slices, { update: () => this.#drawPay() }];
  }

  #draw(): boolean {
    const { groups, heldOut, searches, status, groupsStep } = this.#lab;
    // A group in which something can be learned says more.
    const group = groups.find(({ dead }) => !dead) ?? groups[0];
    if (group === undefined) {
      if (this.#shown === undefined && this.#heldOut === heldOut && this.#place.firstChild !== null) return false;
      this.#shown = undefined;
      this.#heldOut = heldOut;
      const empty = element('p', { class: 'empty' }, 'Its answers are shown here as it trains.');
      this.#place.replaceChildren(...(heldOut === undefined ? [empty] : heldOutAnswers(heldOut)));
      return false;
    }
    const now = performance.now();
    if (group === this.#shown || (status === 'training' && now - this.#shownAt < this.#dwellMs())) return false;
    this.#shown = group;
    this.#searches = searches[groups.indexOf(group)];
    this.#list.style.setProperty('--turn-time', `${this.#turnMs()}ms`);
    this.#step = groupsStep;
    this.#shownAt = now;
    this.#cycle.show(group, groupsStep, this.#dwellMs());
    this.#pay.show(group);
    this.#paid = undefined;
    const rewards = group.rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
    const mean = rewards.reduce((sum, reward) => sum + reward, 0) / Math.max(1, rewards.length);
    const about = group.dead ? ' All rewards are equal: this group teaches nothing.' : '';
    const head = element(
      'p',
      { class: 'prompt' },
      element('span', { class: 'quiet' }, `step ${groupsStep}, prompt `),
      element('code', {}, group.item.prompt),
      element('span', { class: 'quiet' }, ' a right answer '),
      element('code', {}, group.item.answer),
      element('span', { class: 'quiet' }, ` mean reward ${mean.toFixed(2)}.${about}`),
    );
    const worth = group.rollouts.map(({ reward }) => reward ?? Number.NEGATIVE_INFINITY);
    this.#order = worth.map((_, i) => i).sort((a, b) => (worth[b] as number) - (worth[a] as number));
    const lengths = group.rollouts.map(({ tokens }) => tokens.length);
    const label = 'An answer of the group, on average';
    const counts = this.#searches ? [searchCounts(lengths, this.#searches, label)] : [];
    if (this.#list.isConnected) {
      while (this.#place.firstChild !== this.#list) this.#place.firstChild?.remove();
      this.#list.before(head, groupLegend(), ...counts);
    } else this.#place.replaceChildren(head, groupLegend(), ...counts, this.#list, this.#table.box);
    while (this.#list.children.length > group.rollouts.length) this.#list.lastElementChild?.remove();
    return false;
  }

  /** Puts a part of the completions where those of the group before were. */
  #drawSlice(slice: number): boolean {
    const group = this.#shown;
    if (group === undefined || this.#drawn[slice] === group) return false;
    this.#drawn[slice] = group;
    const vocabulary = this.#lab.run?.opened.vocabulary ?? [];
    const size = Math.ceil(group.rollouts.length / SLICES);
    for (let row = slice * size; row < Math.min(group.rollouts.length, (slice + 1) * size); row++) {
      const i = this.#order[row] as number;
      const rollout = group.rollouts[i] as Rollout;
      const about = `step ${this.#step}, ${group.item.prompt}`;
      const search = this.#searches?.[i];
      // In an episode, or under another prompt, the policy has read more than the beginning.
      const isPlain = rollout.turns === undefined && rollout.prompt === undefined;
      const inside = isPlain ? this.#lab.inside(group.item.prompt, rollout.tokens) : undefined;
      const answer = tokensButton({ ...rollout, search }, vocabulary, (place) =>
        this.#table.show(about, rollout, vocabulary, inside, place),
      );
      const textOf = (ids: Int32Array): string => Array.from(ids, (id) => vocabulary[id]).join('');
      const item = completion(
        rollout,
        group.advantages[i] ?? 0,
        answer,
        provenanceOf(rollout, textOf),
        linesIn(rollout, search),
      );
      const before = this.#list.children[row];
      if (before === undefined) this.#list.append(item);
      else before.replaceWith(item);
    }
    return true;
  }

  #drawPay(): boolean {
    const paid = this.#pay.of(this.#shown);
    if (paid === this.#paid) return false;
    this.#paid = paid;
    for (const [row, i] of this.#order.entries()) {
      const place = this.#list.children[row]?.querySelector<HTMLElement>('.would');
      if (!place) continue;
      const reward = paid?.[i];
      write(place, paid === undefined ? '' : `would pay ${reward?.toFixed(2) ?? '–'}`);
      place.classList.toggle('other', paid !== undefined && reward !== this.#shown?.rollouts[i]?.reward);
    }
    return false;
  }

  #turnMs(): number {
    return this.#searches ? TRY_MS : TURN_MS;
  }

  /** The longest episode, or search, is played to its end first. */
  #dwellMs(): number {
    const lines = (this.#shown?.rollouts ?? []).map((rollout, i) => linesIn(rollout, this.#searches?.[i]));
    return DWELL_MS + this.#turnMs() * Math.max(0, ...lines);
  }
}

function groupLegend(): HTMLElement {
  return legend('press an answer to look inside', element('span', {}, 'verdict, reward, advantage'));
}

/** While a teacher is copied: what the policy makes of problems that it is not trained on. */
function heldOutAnswers({ step, answers }: NonNullable<Lab['heldOut']>): HTMLElement[] {
  const rows = answers.map(({ prompt, completion: text, verdict }) =>
    element(
      'li',
      { class: 'completion' },
      element('div', {}, element('code', { class: 'quiet' }, prompt), ' ', element('code', {}, text)),
      element('div', { class: 'scores' }, verdictOf(verdict)),
    ),
  );
  return [
    element('p', { class: 'prompt quiet' }, `step ${step}, likeliest answers to held-out problems`),
    element('ul', { class: 'completions' }, ...rows),
  ];
}

function verdictOf({ status, reason }: Rollout['verdict']): HTMLElement {
  const isRight = status === 'correct';
  return element('span', { class: isRight ? 'right' : 'wrong' }, isRight ? '✓ ' : '✗ ', reason);
}

/** Lines that come one after the other; 0 where an answer is one text. */
function linesIn({ turns }: Rollout, search: AnswerSearch | undefined): number {
  return search ? linesOf(search) : (turns?.length ?? 0);
}

function completion(
  rollout: Rollout,
  advantage: number,
  answer: HTMLElement,
  provenance: Provenance,
  lines: number,
): HTMLElement {
  const direction = advantage > 0 ? 'up' : advantage < 0 ? 'down' : 'flat';
  const origin = originWords(provenance);
  const strength = Math.min(1, Math.abs(advantage) / MOST_ADVANTAGE);
  return element(
    'li',
    { class: `completion ${direction}`, style: `--a: ${strength.toFixed(2)}; --turns: ${lines}` },
    answer,
    ...promptWords(provenance).map((words) => element('p', { class: 'quiet' }, words)),
    element(
      'div',
      { class: 'scores' },
      ...(origin === undefined ? [] : [element('span', { class: 'origin' }, origin)]),
      verdictOf(rollout.verdict),
      element('span', { title: 'reward' }, rollout.reward === null ? '–' : rollout.reward.toFixed(2)),
      element('span', { class: 'would' }),
      element(
        'span',
        { class: 'advantage', title: 'advantage' },
        `${advantage > 0 ? '+' : advantage < 0 ? '−' : '±'}${Math.abs(advantage).toFixed(2)}`,
      ),
    ),
    ...loggedValues(rollout.extra),
  );
}
