/** Where the memory of the chosen job goes, in four parts. */
import { element } from '../../../packages/report/page/dom.ts';
import { megabytes } from './amounts.ts';
import type { ModelLab } from './model_lab.ts';

/** Parts by the purposes that a plan names; the first that fits counts. */
const PARTS: readonly (readonly [part: string, purposes: RegExp])[] = [
  ['model', /^(packed )?weights$/],
  ['trying', /^(KV cache|logits chunk|batch)$/],
  ['learning', /^(?!JavaScript|threads|commands)/],
  ['page', /./],
];

export class MemoryPanel {
  readonly #place: HTMLElement;
  readonly #lab: ModelLab;
  #shown: unknown;

  constructor(place: HTMLElement, lab: ModelLab) {
    this.#place = place;
    this.#lab = lab;
  }

  update(): void {
    const { plan } = this.#lab;
    if (plan === this.#shown) return;
    this.#shown = plan;
    this.#place.replaceChildren();
    if (plan === undefined) return;
    const { bytes, available, memory } = plan;
    const sums = PARTS.map(() => 0);
    for (const [purpose, own] of memory) {
      const part = PARTS.findIndex(([, purposes]) => purposes.test(purpose));
      sums[part] = (sums[part] ?? 0) + own;
    }
    const widths = sums.map((own, i) => element('i', { 'data-part': i, style: `flex: ${own / available}` }));
    this.#place.append(
      element('p', {}, element('strong', {}, megabytes(bytes)), ` of about ${megabytes(available)} while it trains`),
      element('div', { class: 'parts', 'aria-hidden': 'true' }, ...widths),
      element(
        'dl',
        {},
        ...PARTS.map(([part], i) =>
          element(
            'div',
            {},
            element('dt', {}, element('i', { 'data-part': i, 'aria-hidden': 'true' }), part),
            element('dd', {}, ((sums[i] ?? 0) / 1e6).toFixed(0)),
          ),
        ),
      ),
    );
  }
}
