/** The round that a training repeats, as four stations: what the shown group did at each, and a sentence on what it is. */
import type { CreditedGroup } from 'rlvr-train/web';
import { element, write } from '../../packages/report/page/dom.ts';
import { minus } from '../../src/format.ts';
import type { Lab } from './lab.ts';

const STATIONS = [
  [
    'Sample',
    'The policy answers one prompt many times. The stronger the ground of a word, the less likely the policy was to write it.',
  ],
  [
    'Verify',
    'A strict program says of each answer whether it is right, and the reward functions turn that into a number.',
  ],
  [
    'Compare',
    "An answer's reward less the mean of its group is its advantage: above the mean it is positive, below it negative.",
  ],
  [
    'Update',
    'The weights move: what is above the mean becomes likelier, what is below less likely. Then the next round begins.',
  ],
] as const;

const ROUND = 'One round of training, again and again. Point at a part, or tap it, to read what it does.';
const SUPERVISED = 'Supervised first: the policy copies answers of a teacher. The rounds begin after that.';

export class Cycle {
  readonly #lab: Lab;
  readonly #figures = STATIONS.map(() => element('span', { class: 'quiet' }));
  readonly #list: HTMLElement;
  readonly #sentence = element('p', { class: 'quiet', 'aria-live': 'polite' });
  /** The station that is pointed at. */
  #asked: number | undefined;

  constructor(place: HTMLElement, lab: Lab) {
    this.#lab = lab;
    const stations = STATIONS.map(([name], i) => {
      const button = element(
        'button',
        { type: 'button' },
        element('strong', {}, name),
        this.#figures[i] as HTMLElement,
      );
      for (const come of ['pointerenter', 'focus', 'click']) button.addEventListener(come, () => this.#ask(i));
      for (const go of ['pointerleave', 'blur']) button.addEventListener(go, () => this.#ask(undefined));
      return element('li', { style: `--n: ${i}` }, button);
    });
    this.#list = element('ol', {}, ...stations);
    place.append(this.#list, this.#sentence);
  }

  update(): void {
    const { history, groups } = this.#lab;
    const [first] = history.stages;
    const isSupervised = first?.stage === 'sft' && groups.length === 0 && history.step < first.maxSteps;
    write(
      this.#sentence,
      this.#asked === undefined ? (isSupervised ? SUPERVISED : ROUND) : (STATIONS[this.#asked]?.[1] ?? ''),
    );
  }

  #ask(station: number | undefined): void {
    this.#asked = station;
    this.update();
  }

  /** Goes round once, in as long as a group is shown at least. */
  show({ rollouts, advantages }: CreditedGroup, step: number, ms: number): void {
    const right = rollouts.filter(({ verdict }) => verdict.status === 'correct').length;
    const signed = (value: number): string => minus(value.toFixed(2));
    const figures = [
      `${rollouts.length} answers`,
      `${right} of ${rollouts.length} right`,
      `${signed(Math.min(...advantages))} to ${signed(Math.max(...advantages))}`,
      `step ${step}`,
    ];
    for (const [i, figure] of figures.entries()) write(this.#figures[i] as HTMLElement, figure);
    this.#list.style.setProperty('--round', `${ms}ms`);
    // Two names of one animation, in turn: the same name would not run again.
    this.#list.className = this.#list.className === 'round-a' ? 'round-b' : 'round-a';
  }
}
