/** Earlier runs that this browser keeps, to lay under the curves. */

import { element } from '../../packages/report/page/dom.ts';
import { counted } from '../../src/format.ts';
import { shortShare } from './curve_tables.ts';
import type { Curves } from './curves.ts';
import { earlierRuns } from './earlier.ts';
import type { Lab } from './lab.ts';

export class OverlayPanel {
  readonly #place: HTMLElement;
  readonly #lab: Lab;
  readonly #curves: Curves;

  constructor(place: HTMLElement, lab: Lab, curves: Curves) {
    this.#place = place;
    this.#lab = lab;
    this.#curves = curves;
  }

  /** Looks again for what is kept. */
  async look(): Promise<void> {
    const runs = await earlierRuns(await this.#lab.name());
    this.#curves.overlay([]);
    const boxes = runs.map(({ name }) => element('input', { type: 'checkbox', value: name }));
    for (const box of boxes) {
      box.addEventListener('change', () => this.#curves.overlay(runs.filter((_, i) => boxes[i]?.checked)));
    }
    this.#place.replaceChildren(
      ...(runs.length === 0
        ? []
        : [
            element(
              'fieldset',
              { class: 'overlays' },
              element('legend', {}, 'Earlier runs under the curves'),
              ...runs.map(({ name, history }, i) => {
                const last = history.accuracies.at(-1);
                const reached = last === undefined ? '' : `, ${shortShare(last.greedy)}`;
                return element(
                  'label',
                  {},
                  boxes[i] as HTMLInputElement,
                  ` ${name} (${counted(history.step, 'step')}${reached})`,
                );
              }),
            ),
          ]),
    );
  }
}
