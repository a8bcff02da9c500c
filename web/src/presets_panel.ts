/** The tasks to choose from, each with what is asked and an honest time. */
import { element } from '../../packages/report/page/dom.ts';
import { ofPreset, PRESETS } from './experiment.ts';
import type { Lab } from './lab.ts';

export class PresetsPanel {
  readonly #inputs: readonly HTMLInputElement[];
  readonly #lab: Lab;
  #shown: string | undefined;

  /** @param choose  called with the experiment of a preset */
  constructor(place: HTMLElement, lab: Lab, choose: (experiment: ReturnType<typeof ofPreset>) => void) {
    this.#lab = lab;
    this.#inputs = Object.keys(PRESETS).map((name) => {
      const input = element('input', { type: 'radio', name: 'preset', value: name });
      input.addEventListener('change', () => choose({ ...ofPreset(name), seed: lab.experiment.seed }));
      return input;
    });
    const cards = Object.values(PRESETS).map((preset, i) =>
      element(
        'label',
        { class: 'preset' },
        this.#inputs[i] as HTMLInputElement,
        element('strong', {}, preset.title),
        element('span', { class: 'example' }, preset.example[0], element('b', {}, ' → '), preset.example[1]),
        element('span', { class: 'about' }, preset.about),
        element(
          'span',
          { class: 'time' },
          preset.time,
          ...(preset.warning === undefined ? [] : [element('em', {}, ` ⚠ ${preset.warning}`)]),
        ),
      ),
    );
    place.append(
      element('fieldset', { class: 'presets' }, element('legend', { class: 'unseen' }, 'Task'), ...cards),
      element('p', { class: 'swipe', 'aria-hidden': 'true' }, `${cards.length} tasks: the row moves sideways →`),
    );
  }

  update(): void {
    const { preset } = this.#lab.experiment;
    if (preset === this.#shown) return;
    this.#shown = preset;
    for (const input of this.#inputs) input.checked = input.value === preset;
    // On a phone the cards are a row that is wider than the page: the chosen one is in its middle.
    const card = this.#inputs.find(({ checked }) => checked)?.closest('label');
    const row = card?.parentElement;
    if (card && row) row.scrollLeft = card.offsetLeft - (row.clientWidth - card.offsetWidth) / 2;
  }
}
