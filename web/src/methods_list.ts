/** The methods that a stage can be made of, as the engine declares them: for people who write YAML. */
import type { Catalogue, OptionText } from 'rlvr-train/web';
import { element } from '../../packages/report/page/dom.ts';

/** A place that is filled once it is opened and what there is was fetched. */
export class MethodsList {
  readonly box = element('details', { id: 'methods' }, element('summary', {}, 'Methods and their options'));
  #catalogue: Catalogue | undefined;
  #isFilled = false;

  constructor() {
    this.box.addEventListener('toggle', () => this.#fill());
  }

  show(catalogue: Catalogue): void {
    this.#catalogue = catalogue;
    this.#fill();
  }

  #fill(): void {
    if (this.#isFilled || !this.box.open || this.#catalogue === undefined) return;
    this.#isFilled = true;
    const { points, methods } = this.#catalogue;
    for (const { name, does } of points) {
      const here = methods.filter(({ point }) => point === name);
      if (here.length === 0) continue;
      this.box.append(
        element('h4', {}, element('code', {}, name)),
        element('p', { class: 'quiet' }, does),
        element('dl', {}, ...here.flatMap(described)),
      );
    }
  }
}

function described({ name, does, formula, isDefault, options, yaml }: Catalogue['methods'][number]): HTMLElement[] {
  return [
    element('dt', {}, element('strong', {}, name), isDefault ? ' (the default)' : ''),
    element('dd', {}, does),
    element('dd', {}, element('code', {}, formula)),
    ...options.map((option) => element('dd', {}, element('code', {}, option.name), ` ${optionText(option)}`)),
    element('dd', {}, 'YAML: ', element('code', {}, yaml[0] ?? '')),
  ];
}

/** `Weight of the entropy bonus, per nat. (number of 0 or more; default 0)`. */
export function optionText({ text, rule, default: value }: OptionText): string {
  return `${text} (${rule}${value === undefined ? '' : `; default ${value}`})`;
}
