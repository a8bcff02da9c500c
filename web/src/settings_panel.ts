/** Settings: those of a new run, those that a run may change on its way, and the YAML of both. */
import { type Catalogue, type CatalogueTask, loadCatalogue, type OptionText, type SettingChange } from 'rlvr-train/web';
import { element } from '../../packages/report/page/dom.ts';
import type { Experiment, Knobs } from './experiment.ts';
import { copyButton } from './keep_panel.ts';
import type { Lab } from './lab.ts';
import { MethodsList, optionText } from './methods_list.ts';
import { messageOf } from './notes.ts';

type NumberKey = { [Key in keyof Experiment]-?: Experiment[Key] extends number ? Key : never }[keyof Experiment];

interface NumberSetting {
  readonly key: NumberKey;
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The option of a method that it is. */
  readonly yaml?: string;
}

const OF_A_RUN: readonly NumberSetting[] = [
  { key: 'width', label: 'Width', min: 16, max: 512, step: 16 },
  { key: 'layers', label: 'Layers', min: 1, max: 12, step: 1 },
  { key: 'heads', label: 'Heads', min: 1, max: 16, step: 1 },
  { key: 'warmStart', label: 'Supervised steps', min: 0, max: 10000, step: 1 },
  { key: 'steps', label: 'Reinforcement steps', min: 1, max: 100000, step: 1 },
  { key: 'group', label: 'Group size', min: 2, max: 64, step: 1 },
  { key: 'batch', label: 'Completions per step', min: 4, max: 4096, step: 4 },
  { key: 'beta', label: 'KL penalty', min: 0, max: 1, step: 0.001, yaml: 'beta' },
  { key: 'evalEvery', label: 'Evaluate every', min: 1, max: 10000, step: 1 },
  { key: 'seed', label: 'Seed', min: 0, max: 4294967295, step: 1 },
];

interface Slider {
  readonly key: 'rate' | 'temperature' | 'entropy' | 'clip';
  readonly yaml: keyof SettingChange['settings'];
  readonly label: string;
  /** Positions of the slider. */
  readonly values: readonly number[];
}

const SLIDERS: readonly Slider[] = [
  {
    key: 'rate',
    yaml: 'learning_rate',
    label: 'Learning rate',
    values: [1e-5, 3e-5, 1e-4, 2e-4, 3e-4, 5e-4, 1e-3, 2e-3, 3e-3, 5e-3, 1e-2, 3e-2],
  },
  {
    key: 'temperature',
    yaml: 'temperature',
    label: 'Temperature',
    values: [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5],
  },
  {
    key: 'entropy',
    yaml: 'entropy_coef',
    label: 'Entropy bonus',
    values: [0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2],
  },
  { key: 'clip', yaml: 'epsilon', label: 'Clip', values: [0.05, 0.1, 0.2, 0.3, 0.4] },
];

export class SettingsPanel {
  readonly #lab: Lab;
  readonly #numbers: readonly { readonly setting: NumberSetting; readonly input: HTMLInputElement }[];
  readonly #sliders: readonly {
    readonly slider: Slider;
    readonly input: HTMLInputElement;
    readonly shown: HTMLOutputElement;
  }[];
  readonly #reward = element('select', { id: 'reward-name' });
  /** The knobs of the task, as the engine declares them. */
  readonly #knobs = element('div', { class: 'fields' });
  readonly #yaml = element('pre', { class: 'yaml', tabindex: 0, 'aria-label': 'YAML of this run' });
  readonly #estimate = element('p', { class: 'quiet' });
  readonly #choose: (experiment: Experiment) => void;
  readonly #methods = new MethodsList();
  #shown: Experiment | undefined;
  /** What there is, once it was fetched: at the latest when the visitor comes here, and never before a first training. */
  #catalogue: Catalogue | undefined;
  #isFetched = false;
  #changes = 0;

  /** @param choose  called with another experiment: a run of its own */
  constructor(place: HTMLElement, lab: Lab, choose: (experiment: Experiment) => void) {
    this.#lab = lab;
    this.#choose = choose;
    this.#numbers = OF_A_RUN.map((setting) => {
      const { key, min, max, step } = setting;
      const input = element('input', { id: `set-${key}`, type: 'number', min, max, step, inputmode: 'decimal' });
      input.addEventListener('change', () => this.#number(setting, input));
      return { setting, input };
    });
    this.#sliders = SLIDERS.map((slider) => {
      const input = element('input', {
        id: `set-${slider.key}`,
        type: 'range',
        min: 0,
        max: slider.values.length - 1,
        step: 1,
      });
      const shown = element('output', { for: `set-${slider.key}` });
      input.addEventListener('input', () => {
        shown.value = String(slider.values[input.valueAsNumber]);
      });
      input.addEventListener('change', () => void this.#slide(slider, slider.values[input.valueAsNumber] as number));
      return { slider, input, shown };
    });
    this.#reward.addEventListener('change', () => choose({ ...lab.experiment, reward: this.#reward.value }));
    const estimate = element('button', { type: 'button' }, 'Measure this device');
    estimate.addEventListener('click', () => void this.#measure());
    const seen = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) this.#fetch();
    });
    seen.observe(place);
    place.append(
      element('h3', {}, 'Within a run'),
      element(
        'p',
        { class: 'quiet' },
        'What is moved during a run is kept with it, and in the link: step, setting, value.',
      ),
      element(
        'div',
        { class: 'sliders' },
        ...this.#sliders.map(({ slider, input, shown }) =>
          element('div', { class: 'slider' }, element('label', { for: input.id }, slider.label), input, shown),
        ),
      ),
      element('h3', {}, 'Of a new run'),
      element(
        'p',
        { class: 'quiet' },
        'A change opens another run; the one before is kept. The link in the address bar has all of it.',
      ),
      element(
        'div',
        { class: 'fields' },
        ...this.#numbers.map(({ setting, input }) =>
          element('div', {}, element('label', { for: input.id }, setting.label), input),
        ),
        element('div', {}, element('label', { for: 'reward-name' }, 'Reward'), this.#reward),
      ),
      this.#knobs,
      element('div', { class: 'row' }, estimate, this.#estimate),
      element(
        'details',
        {},
        element('summary', {}, 'YAML for the command line'),
        element(
          'div',
          { class: 'row' },
          copyButton('Copy YAML', () => lab.yaml),
        ),
        this.#yaml,
      ),
      this.#methods.box,
    );
  }

  #fetch(): void {
    if (this.#isFetched) return;
    this.#isFetched = true;
    loadCatalogue().then(
      (catalogue) => {
        this.#catalogue = catalogue;
        this.#methods.show(catalogue);
        this.#explain(catalogue);
        this.#shown = undefined;
        this.update();
      },
      (error: unknown) => {
        this.#isFetched = false;
        this.#lab.notes.say('warn', `The list of settings could not be loaded: ${messageOf(error)}`);
      },
    );
  }

  /** Shows what a method says of its option at the setting. */
  #explain({ methods }: Catalogue): void {
    // A setting is a key of a stage; other methods have options of the same names.
    const asKeys = methods.filter((method) => method.optionsAreStageKeys).flatMap(({ options }) => options);
    for (const { yaml, input } of [
      ...this.#numbers.map(({ setting, input }) => ({ yaml: setting.yaml, input })),
      ...this.#sliders.map(({ slider, input }) => ({ yaml: slider.yaml, input })),
    ]) {
      const option = asKeys.find(({ name }) => name === yaml);
      if (option !== undefined) input.title = optionText(option);
    }
  }

  #number({ key, min, max }: NumberSetting, input: HTMLInputElement): void {
    const value = input.valueAsNumber;
    if (!input.checkValidity() || Number.isNaN(value)) {
      input.value = String(this.#lab.experiment[key]);
      this.#lab.notes.say('warn', `${key}: give a number from ${min} to ${max}.`);
      return;
    }
    this.#choose({ ...this.#lab.experiment, [key]: value });
  }

  async #slide({ key, yaml }: Slider, value: number): Promise<void> {
    if (this.#lab.history.step === 0) return this.#choose({ ...this.#lab.experiment, [key]: value });
    await this.#lab.change(yaml === 'epsilon' ? { epsilon: value, epsilon_high: value } : { [yaml]: value });
  }

  async #measure(): Promise<void> {
    this.#estimate.textContent = 'Training throw-away weights for some seconds …';
    const estimate = await this.#lab.estimate();
    if (estimate === undefined) {
      this.#estimate.textContent = '';
      return;
    }
    const { seconds, secondsPerStep } = estimate;
    const steps = secondsPerStep.map((step) => `${(1000 * step).toFixed(0)} ms`).join(' and ');
    const whole = seconds < 90 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
    this.#estimate.textContent = `The whole run takes about ${whole} on this device (${steps} a step).`;
  }

  #showKnobs(task: CatalogueTask | undefined): void {
    const { experiment } = this.#lab;
    const focused = this.#knobs.contains(document.activeElement) ? document.activeElement?.id : undefined;
    this.#knobs.replaceChildren(
      ...(task?.options ?? []).map((option) => {
        const value = experiment.knobs[option.name] ?? option.default;
        const input = knobInput(option, value);
        input.addEventListener('change', () => {
          const chosen = writtenIn(option, input);
          if (input.checkValidity()) this.#choose({ ...experiment, knobs: withKnob(experiment.knobs, option, chosen) });
        });
        const label = element('label', { for: input.id, title: option.text }, named(option.name));
        return element('div', {}, label, input);
      }),
    );
    if (focused !== undefined) document.getElementById(focused)?.focus();
  }

  update(): void {
    const { experiment, run, status } = this.#lab;
    for (const { input } of this.#sliders)
      input.disabled = run === undefined || status === 'busy' || status === 'stopping';
    if (status === 'resting' || this.#lab.history.step > 0) this.#fetch();
    if (this.#shown === experiment && this.#changes === this.#lab.moved.length) return;
    this.#shown = experiment;
    this.#changes = this.#lab.moved.length;
    for (const { setting, input } of this.#numbers) input.value = String(experiment[setting.key]);
    const inForce = Object.assign({}, ...this.#lab.moved.map(({ settings }) => settings)) as SettingChange['settings'];
    for (const { slider, input, shown } of this.#sliders) {
      const value = inForce[slider.yaml] ?? experiment[slider.key];
      input.value = String(nearest(slider.values, value));
      input.setAttribute('aria-valuetext', String(value));
      shown.value = String(value);
    }
    const task = this.#catalogue?.tasks.find(({ name }) => name === experiment.task);
    this.#showKnobs(task);
    const known = experiment.task === 'yours' ? ['accuracy'] : [experiment.reward].filter((name) => name !== 'yours');
    const fitting = task?.rewards ?? known;
    const names = [...fitting, 'yours'];
    this.#reward.replaceChildren(
      ...names.map((name) =>
        element(
          'option',
          { value: name, selected: name === experiment.reward },
          name === 'yours' ? 'your own, below' : name,
        ),
      ),
    );
    this.#yaml.textContent = this.#lab.yaml;
  }
}

function nearest(values: readonly number[], value: number): number {
  const distance = (one: number): number => Math.abs(one - value);
  return values.reduce((best, one, i) => (distance(one) < distance(values[best] as number) ? i : best), 0);
}

/** `Max number`. */
function named(knob: string): string {
  const words = knob.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function knobInput(option: OptionText, value: unknown): HTMLInputElement | HTMLSelectElement {
  const id = `knob-${option.name}`;
  switch (option.type) {
    case 'flag':
      return element('input', { id, type: 'checkbox', checked: value === true });
    case 'choice':
      return element(
        'select',
        { id },
        ...option.choices.map((choice) => element('option', { value: choice, selected: choice === value }, choice)),
      );
    case 'number': {
      const { least, most, whole } = option;
      const bounds = { ...(least !== undefined && { min: least }), ...(most !== undefined && { max: most }) };
      const input = element('input', { id, type: 'number', step: whole ? 1 : 'any', inputmode: 'decimal', ...bounds });
      input.value = value === undefined ? '' : String(value);
      return input;
    }
    default:
      return element('input', { id, type: 'text', value: String(value ?? '') });
  }
}

/** Undefined where nothing is written. */
function writtenIn(option: OptionText, input: HTMLInputElement | HTMLSelectElement): Knobs[string] | undefined {
  if (option.type === 'flag') return (input as HTMLInputElement).checked; // made above
  if (input.value === '') return undefined;
  return option.type === 'number' ? Number(input.value) : input.value;
}

function withKnob(knobs: Knobs, { name }: OptionText, value: Knobs[string] | undefined): Knobs {
  const { [name]: _, ...others } = knobs;
  return value === undefined ? others : { ...others, [name]: value };
}
