/** How a policy hacks a weak reward: what it is paid beside what the strict verifier says of the same completions. */
import { element, scrollTable } from '../../packages/report/page/dom.ts';
import { shortShare } from './curve_tables.ts';
import { DWELL_MS } from './group_panel.ts';
import type { Lab } from './lab.ts';

const SHOWN = 6;

export class HackPanel {
  readonly #place: HTMLElement;
  readonly #lab: Lab;
  #shown: unknown;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(place: HTMLElement, lab: Lab) {
    this.#place = place;
    this.#lab = lab;
  }

  /** @returns true where it was drawn: a table of texts takes a frame of its own */
  update(): boolean {
    const { groups, status } = this.#lab;
    if (this.#shown === groups) return false;
    const now = performance.now();
    if (status === 'training' && now - this.#shownAt < DWELL_MS) return false;
    this.#shown = groups;
    this.#shownAt = now;
    const paid = groups
      .flatMap((group) => group.rollouts.map((rollout) => ({ prompt: group.item.prompt, rollout })))
      .filter(({ rollout }) => rollout.verdict.status !== 'correct' && (rollout.reward ?? 0) > 0)
      .filter(
        ({ prompt, rollout }, i, all) =>
          all.findIndex((other) => other.prompt === prompt && other.rollout.text === rollout.text) === i,
      )
      .sort((a, b) => (b.rollout.reward ?? 0) - (a.rollout.reward ?? 0))
      .slice(0, SHOWN);
    this.#place.replaceChildren(
      element('p', {}, lesson(this.#lab)),
      scrollTable(
        'Wrong answers that were paid for',
        ['Prompt', 'Completion', 'Reward', 'Verdict'],
        paid.map(({ prompt, rollout }) => [
          element('code', {}, prompt),
          element('code', {}, rollout.text),
          (rollout.reward ?? 0).toFixed(2),
          element('td', { class: 'wrong' }, rollout.verdict.reason),
        ]),
        'Wrong answers of the last batch that were paid best',
      ),
    );
    return true;
  }
}

function lesson({ history, experiment }: Lab): string {
  const rewards = history.curves.reward.filter((value) => value !== null);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const paid = `The reward “${experiment.reward}” went from ${mean(rewards.slice(0, 5)).toFixed(2)} to ${mean(rewards.slice(-5)).toFixed(2)}`;
  const begin = history.accuracies.find(({ x }) => x >= (history.edges.at(-1) ?? 0));
  const last = history.accuracies.at(-1);
  if (begin === undefined || last === undefined || begin === last) return `${paid}; held-out accuracy follows.`;
  return `${paid}; exact answers to held-out problems went from ${shortShare(begin.greedy)} to ${shortShare(last.greedy)} (greedy, with 95 % intervals). Where the first rises and the second does not, the policy has learned the reward and not the task.`;
}
