/** The tasks to choose from, and what the chosen one asks, with an honest time. */
import { element } from '../../packages/report/page/dom.ts';
import { ofPreset, PRESETS, type Preset } from './experiment.ts';
import type { Lab } from './lab.ts';

const LEAD =
  'A small transformer learns a task by reinforcement from verifiable rewards (GRPO), in this page, on your own device. Nothing is installed and nothing is sent anywhere.';

export class PresetsPanel {
  readonly #select: HTMLSelectElement;
  readonly #about: HTMLElement;
  readonly #lab: Lab;
  #shown: string | undefined;

  /** @param about  place for what the task asks @param choose  called with the experiment of a preset */
  constructor(
    place: HTMLElement,
    about: HTMLElement,
    lab: Lab,
    choose: (experiment: ReturnType<typeof ofPreset>) => void,
  ) {
    this.#lab = lab;
    this.#about = about;
    const options = Object.entries(PRESETS).map(([value, { title }]) => element('option', { value }, title));
    this.#select = element('select', { id: 'preset' }, ...options);
    this.#select.addEventListener('change', () =>
      choose({ ...ofPreset(this.#select.value), seed: lab.experiment.seed }),
    );
    place.append(element('label', { for: 'preset', class: 'unseen' }, 'Task'), this.#select);
  }

  update(): void {
    const { preset } = this.#lab.experiment;
    if (preset === this.#shown) return;
    this.#shown = preset;
    this.#select.value = preset;
    const { title, about, time, warning, example } = PRESETS[preset] as Preset;
    this.#about.replaceChildren(
      element('p', { class: 'lead' }, LEAD),
      element('h3', {}, title),
      element('p', { class: 'example' }, example[0], element('b', {}, ' → '), example[1]),
      element('p', {}, about),
      element(
        'p',
        { class: 'quiet' },
        `${time} on two cores without a GPU.`,
        ...(warning ? [element('em', {}, ` ⚠ ${warning}`)] : []),
      ),
      element(
        'p',
        {},
        element('a', { href: './model.html' }, 'A language model instead'),
        ': open one from a file or an address, and train an adapter.',
      ),
    );
  }
}
