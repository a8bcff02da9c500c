/** What the model learns: a preset's YAML, free to be changed, and what it would take of this device. */
import { choices, element } from '../../../packages/report/page/dom.ts';
import { megabytes } from './megabytes.ts';
import type { ModelLab } from './model_lab.ts';
import { MODEL_PRESETS, type ModelPreset } from './presets.ts';

export class JobPanel {
  readonly #lab: ModelLab;
  readonly #yaml = element('textarea', { id: 'yaml', spellcheck: 'false', 'aria-label': 'YAML of the job' });
  readonly #about = element('p', { class: 'quiet' });
  readonly #plan = element('div', { class: 'plan', id: 'plan', 'aria-live': 'polite' });
  readonly #look = element('button', { type: 'button', id: 'look' }, 'What will it take?');
  #preset = Object.keys(MODEL_PRESETS)[0] as string;
  #model = '';
  #shown: unknown;

  constructor(place: HTMLElement, lab: ModelLab) {
    this.#lab = lab;
    const presets = Object.entries(MODEL_PRESETS).map(([name, { title }]) => [name, title] as const);
    this.#yaml.addEventListener('change', () => void lab.choose(this.#yaml.value));
    this.#look.addEventListener('click', () => void lab.look());
    place.append(
      choices('Preset', presets, this.#preset, (name) => {
        this.#preset = name;
        this.#write();
      }),
      this.#about,
      this.#yaml,
      element('div', { class: 'row' }, this.#look),
      this.#plan,
    );
  }

  /** The job is for this model from here on. */
  use(model: string): void {
    this.#model = model;
    this.#write();
    void this.#lab.look();
  }

  #write(): void {
    const { about, yaml } = MODEL_PRESETS[this.#preset] as ModelPreset; // one of its keys
    this.#about.textContent = about;
    this.#yaml.value = yaml(this.#model === '' ? 'MODEL' : this.#model);
    void this.#lab.choose(this.#yaml.value);
  }

  update(): void {
    const { plan, status } = this.#lab;
    this.#look.disabled = status !== 'waiting' || this.#model === '';
    const shown = plan ?? status;
    if (this.#shown === shown) return;
    this.#shown = shown;
    if (plan === undefined) {
      this.#plan.replaceChildren(status === 'planning' ? 'Measuring …' : '');
      return;
    }
    const { parameters, trained, memory, bytes, secondsPerStep, seconds, backend } = plan;
    const steps = secondsPerStep.map((each) => `${each.toFixed(each < 10 ? 1 : 0)} s`).join(' and ');
    const parts = [...memory].filter(([, each]) => each > 0).map(([purpose, each]) => `${purpose} ${megabytes(each)}`);
    this.#plan.replaceChildren(
      element(
        'p',
        {},
        element('strong', {}, `${megabytes(bytes)} of memory, about ${steps} a step, ${minutes(seconds)} in all`),
        ` on ${backend.line}.`,
      ),
      element(
        'p',
        { class: 'quiet' },
        `${(parameters / 1e6).toFixed(0)} M parameters, of which the adapter’s ${(trained / 1e6).toFixed(1)} M are trained. ${parts.join(', ')}. The time is a layer’s, measured for a moment; a busy device takes longer.`,
      ),
    );
  }
}

function minutes(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} minutes`;
}
