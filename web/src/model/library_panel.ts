/** Models: known ones with what they need of this device before anything is fetched, and those that are kept here. */
import {
  addressOf,
  type BackendRequest,
  type KeptModel,
  KNOWN_MODELS,
  type KnownModel,
  keepModel,
  keptModels,
  type ModelOrigin,
  type PlanRefusal,
  planSketches,
  type RunPlan,
  removeKeptModel,
} from 'rlvr-train/web';
import { byId, element } from '../../../packages/report/page/dom.ts';
import { messageOf } from '../notes.ts';
import { megabytes, seconds } from './amounts.ts';
import { sortingJob } from './presets.ts';

/** A model on its way here. */
interface Incoming {
  readonly name: string;
  readonly origin: ModelOrigin;
  readonly known: KnownModel | undefined;
  readonly stop: AbortController;
  have: number;
  bytes: number;
}

/** Share of what a tab may use from which a job is tight. */
const TIGHT = 0.8;

export class LibraryPanel {
  readonly #list = element('div', { class: 'cards', id: 'models' });
  readonly #problem = byId('library-problem');
  readonly #address = element('input', { id: 'model-url', type: 'url', placeholder: 'https://…/model.gguf' });
  readonly #choose: (name: string) => void;
  #plans: readonly (RunPlan | PlanRefusal)[] = [];
  #kept: readonly KeptModel[] = [];
  #chosen = '';
  #incoming: Incoming | undefined;

  /** @param choose  called with the name of a whole model, where another is chosen */
  constructor(place: HTMLElement, choose: (name: string) => void) {
    this.#choose = choose;
    const form = element(
      'form',
      { class: 'row' },
      element('label', { for: 'model-url' }, 'Its address'),
      this.#address,
      element('button', { type: 'submit', id: 'bring' }, 'Bring it here'),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const url = this.#address.value.trim();
      if (url !== '') void this.#bring(nameOf(url), { url });
    });
    place.append(
      this.#list,
      element(
        'section',
        { class: 'card own' },
        element('h3', {}, 'Your own'),
        element(
          'p',
          { class: 'quiet' },
          'A .gguf file, or a folder in Hugging Face’s layout: Llama, Qwen2, Qwen3, Gemma 3, SmolLM2 or another of their families.',
        ),
        element(
          'div',
          { class: 'row' },
          this.#files('model-file', 'Open a file', { accept: '.gguf,.json,.jinja,.safetensors', multiple: true }),
          this.#files('model-folder', 'Open a folder', { webkitdirectory: true }),
        ),
        form,
      ),
    );
  }

  #files(id: string, label: string, attributes: Readonly<Record<string, string | boolean>>): HTMLElement {
    const input = element('input', { id, type: 'file', ...attributes });
    input.addEventListener('change', () => {
      const files = [...(input.files ?? [])];
      input.value = '';
      const [first] = files;
      if (first === undefined) return;
      const folder = first.webkitRelativePath.split('/')[0];
      void this.#bring(nameOf(folder || first.name), { files });
    });
    return element('label', { class: 'button', for: id }, label, input);
  }

  /** Shows what is there, the first whole model chosen, and measures what known ones would take. */
  async start(backend: BackendRequest): Promise<void> {
    await this.#look();
    const whole = this.#kept.find(({ isWhole }) => isWhole);
    if (whole !== undefined) this.#pick(whole.name);
    await this.measure(backend);
  }

  /** Asks what the first preset would take of this device with each known model: nothing is fetched for it. */
  async measure(backend: BackendRequest): Promise<void> {
    try {
      this.#plans = await planSketches({ yaml: sortingJob('model'), backend, models: KNOWN_MODELS });
    } catch (error) {
      this.#say(messageOf(error));
    }
    this.#draw();
  }

  async #look(): Promise<void> {
    try {
      this.#kept = await keptModels();
    } catch (error) {
      this.#say(messageOf(error));
    }
    this.#draw();
  }

  async #bring(name: string, origin: ModelOrigin, known?: KnownModel): Promise<void> {
    if (this.#incoming !== undefined) return this.#say(`${this.#incoming.name} is on its way; pause it first.`);
    const incoming: Incoming = { name, origin, known, stop: new AbortController(), have: 0, bytes: known?.bytes ?? 0 };
    this.#incoming = incoming;
    this.#say('');
    this.#draw();
    try {
      await keepModel(name, origin, {
        ...(known && { sha256: known.sha256 }),
        signal: incoming.stop.signal,
        onProgress: (have, bytes) => {
          incoming.have = have;
          incoming.bytes = bytes;
          this.#draw();
        },
      });
      this.#incoming = undefined;
      await this.#look();
      this.#pick(name);
    } catch (error) {
      this.#incoming = undefined;
      await this.#look();
      if (!incoming.stop.signal.aborted) this.#say(messageOf(error));
    }
  }

  async #delete(name: string): Promise<void> {
    if (!confirm(`Delete ${name} from this browser?`)) return;
    try {
      await removeKeptModel(name);
    } catch (error) {
      this.#say(messageOf(error));
    }
    if (this.#chosen === name) this.#chosen = '';
    await this.#look();
  }

  #pick(name: string): void {
    this.#chosen = name;
    this.#draw();
    this.#choose(name);
  }

  #say(text: string): void {
    this.#problem.replaceChildren(...(text === '' ? [] : [element('p', { class: 'problem' }, text)]));
  }

  #draw(): void {
    const known = KNOWN_MODELS.map((model, i) => this.#card(model.file, model, this.#plans[i]));
    const names = new Set(KNOWN_MODELS.map(({ file }) => file));
    const others = [...this.#kept, ...(this.#incoming ? [this.#incoming] : [])].map(({ name }) => name);
    const own = [...new Set(others)].filter((name) => !names.has(name)).map((name) => this.#card(name));
    const focused = document.activeElement?.getAttribute('data-does');
    this.#list.replaceChildren(...own, ...known);
    if (focused) this.#list.querySelector<HTMLElement>(`[data-does="${CSS.escape(focused)}"]`)?.focus();
  }

  #card(name: string, known?: KnownModel, plan?: RunPlan | PlanRefusal): HTMLElement {
    const kept = this.#kept.find((model) => model.name === name);
    const incoming = this.#incoming?.name === name ? this.#incoming : undefined;
    const isChosen = this.#chosen === name && kept?.isWhole === true;
    const card = element(
      'section',
      { class: 'card', 'data-model': name, 'data-chosen': isChosen },
      element('h3', {}, known?.title ?? name, ...(plan ? [verdictOf(plan)] : [])),
    );
    const bytes = known?.bytes ?? kept?.bytes ?? incoming?.bytes ?? 0;
    const where = kept?.isWhole ? 'kept in this browser' : 'to bring here';
    card.append(element('p', {}, element('strong', {}, megabytes(bytes)), ` ${where}`));
    if (known !== undefined) {
      card.append(
        ...(plan === undefined ? [element('p', { class: 'quiet' }, 'Measuring what it needs …')] : needsOf(plan)),
        element('p', { class: 'quiet' }, `${known.about} ${known.licence}, ${known.repository}.`),
      );
    }
    card.append(
      incoming
        ? this.#progress(incoming)
        : element('div', { class: 'row' }, ...this.#buttons(name, known, kept, plan, isChosen)),
    );
    return card;
  }

  #buttons(
    name: string,
    known: KnownModel | undefined,
    kept: KeptModel | undefined,
    plan: RunPlan | PlanRefusal | undefined,
    isChosen: boolean,
  ): HTMLElement[] {
    const remove = button(name, 'Delete', () => void this.#delete(name), 'small');
    if (kept?.isWhole) {
      return [isChosen ? element('strong', {}, '✓ chosen') : button(name, 'Use it', () => this.#pick(name)), remove];
    }
    const origin = known ? { url: addressOf(known) } : kept && kept.from !== 'file' ? { url: kept.from } : undefined;
    const bring = (label: string): HTMLElement[] => {
      if (origin === undefined) return [element('span', { class: 'quiet' }, 'Open it again to go on.')];
      const isFirst = known === KNOWN_MODELS[0] && this.#chosen === '';
      const isLarge = plan !== undefined && 'refused' in plan;
      return [button(name, label, () => void this.#bring(name, origin, known), isFirst && !isLarge ? 'main' : '')];
    };
    if (kept !== undefined)
      return [...bring(`Resume, ${megabytes(kept.have)} of ${megabytes(kept.bytes)} are here`), remove];
    return bring(`Bring it here, ${megabytes(known?.bytes ?? 0)}`);
  }

  #progress({ name, have, bytes, stop }: Incoming): HTMLElement {
    const share = bytes === 0 ? 0 : have / bytes;
    const bar = element(
      'div',
      {
        class: 'bar',
        role: 'progressbar',
        'aria-label': `${name} on its way`,
        'aria-valuemax': 100,
        'aria-valuenow': Math.round(100 * share),
      },
      element('div', { style: `transform: translateX(${100 * (share - 1)}%)` }),
    );
    const said = have === 0 ? 'asking …' : `${megabytes(have)} of ${megabytes(bytes)}`;
    return element(
      'div',
      { class: 'row' },
      bar,
      said,
      button(name, 'Pause', () => stop.abort(), 'small'),
    );
  }
}

function button(name: string, label: string, click: () => void, kind = ''): HTMLButtonElement {
  const [does = ''] = label.split(',');
  const made = element('button', { type: 'button', class: kind, 'data-does': `${does} ${name}` }, label);
  made.addEventListener('click', click);
  return made;
}

/** In a sign and a word. */
function verdictOf(plan: RunPlan | PlanRefusal): HTMLElement {
  const share = plan.bytes / plan.available;
  const [kind, words] =
    'refused' in plan || share > 1
      ? ['not', '✗ does not fit']
      : share > TIGHT
        ? ['tight', '▲ tight']
        : ['fits', '✓ fits'];
  return element('span', { class: `verdict ${kind}` }, words);
}

function needsOf(plan: RunPlan | PlanRefusal): HTMLElement[] {
  const { bytes, available } = plan;
  const share = Math.min(1, bytes / available);
  const bar = element(
    'div',
    { class: 'bar', 'aria-hidden': 'true' },
    element('div', { style: `transform: translateX(${100 * (share - 1)}%)` }),
  );
  const step = 'refused' in plan ? '' : `, about ${seconds(plan.secondsPerStep[0] ?? 0)} a step here`;
  return [
    bar,
    element(
      'p',
      { class: 'needs', title: 'refused' in plan ? plan.refused : '' },
      element('strong', {}, megabytes(bytes)),
      ` of ${megabytes(available)} that this tab may use, while it trains${step}`,
    ),
  ];
}

/** Letters, digits, `.`, `_` and `-` of the last part of an address. */
function nameOf(source: string): string {
  const [path = ''] = source.split(/[?#]/);
  const last = path.split('/').filter(Boolean).at(-1) ?? 'model';
  return last.replace(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'model';
}
