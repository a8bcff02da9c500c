/** Models in this browser: brought in from a file, a folder or an address, with pause and resume, and deleted. */
import { type KeptModel, keepModel, keptModels, type ModelOrigin, removeKeptModel } from 'rlvr-train/web';
import { element } from '../../../packages/report/page/dom.ts';
import { messageOf } from '../notes.ts';
import { megabytes } from './megabytes.ts';

/** A model on its way here. */
interface Incoming {
  readonly name: string;
  readonly origin: ModelOrigin;
  readonly stop: AbortController;
  have: number;
  bytes: number;
}

export class LibraryPanel {
  readonly #list = element('div');
  readonly #problem = element('div', { role: 'status', id: 'library-problem' });
  readonly #address = element('input', {
    id: 'model-url',
    type: 'url',
    size: 48,
    placeholder: 'https://…/model.gguf, or a folder',
  });
  readonly #choose: (name: string) => void;
  #kept: readonly KeptModel[] = [];
  #chosen = '';
  #incoming: Incoming | undefined;

  /** @param choose  called with the name of a whole model, where another is chosen */
  constructor(place: HTMLElement, choose: (name: string) => void) {
    this.#choose = choose;
    const bring = element('button', { type: 'submit', id: 'bring' }, 'Bring it here');
    const form = element(
      'form',
      { class: 'row' },
      element('label', { for: 'model-url' }, 'Address'),
      this.#address,
      bring,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const url = this.#address.value.trim();
      if (url !== '') void this.#bring(nameOf(url), { url });
    });
    place.append(
      element(
        'p',
        { class: 'quiet' },
        'A .gguf file, or a folder in Hugging Face’s layout: Llama, Qwen2, Qwen3 and SmolLM2. It is kept in this browser until you delete it, and a later visit needs no network. SmolLM2-135M in 4 bits has 98 MB.',
      ),
      this.#list,
      form,
      element(
        'div',
        { class: 'row' },
        this.#files('model-file', 'Open a file', { accept: '.gguf,.json,.jinja,.safetensors', multiple: true }),
        this.#files('model-folder', 'Open a folder', { webkitdirectory: true }),
      ),
      this.#problem,
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

  /** Shows what is there; the only whole model is chosen. */
  async start(): Promise<void> {
    await this.#look();
    const whole = this.#kept.filter(({ isWhole }) => isWhole);
    if (whole[0] !== undefined) this.#pick(whole[0].name);
  }

  async #look(): Promise<void> {
    try {
      this.#kept = await keptModels();
    } catch (error) {
      this.#say(messageOf(error));
    }
    this.#draw();
  }

  async #bring(name: string, origin: ModelOrigin): Promise<void> {
    if (this.#incoming !== undefined) return this.#say(`${this.#incoming.name} is on its way; pause it first.`);
    const incoming: Incoming = { name, origin, stop: new AbortController(), have: 0, bytes: 0 };
    this.#incoming = incoming;
    this.#say('');
    this.#draw();
    try {
      await keepModel(name, origin, {
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
    const incoming = this.#incoming;
    const rows = this.#kept.filter(({ name }) => name !== incoming?.name).map((model) => this.#row(model));
    if (incoming !== undefined) rows.push(this.#incomingRow(incoming));
    const table = element('table', { class: 'kept' }, element('tbody', {}, ...rows));
    this.#list.replaceChildren(rows.length === 0 ? element('p', { class: 'empty' }, 'No model is kept yet.') : table);
  }

  #row({ name, from, have, bytes, isWhole }: KeptModel): HTMLElement {
    const radio = element('input', { type: 'radio', name: 'model', value: name, checked: name === this.#chosen });
    radio.disabled = !isWhole;
    radio.addEventListener('change', () => this.#pick(name));
    const remove = button('Delete', () => void this.#delete(name));
    const resume = isWhole || from === 'file' ? [] : [button('Resume', () => void this.#bring(name, { url: from }))];
    const about = isWhole
      ? megabytes(bytes)
      : `${megabytes(have)} of ${megabytes(bytes)}${from === 'file' ? '; open it again to go on' : ''}`;
    return element(
      'tr',
      { 'data-model': name },
      element('td', {}, element('label', {}, radio, ` ${name}`)),
      element('td', {}, about),
      element('td', { class: 'quiet' }, from === 'file' ? 'from this device' : from),
      element('td', {}, ...resume, ' ', remove),
    );
  }

  #incomingRow({ name, have, bytes, stop }: Incoming): HTMLElement {
    const share = bytes === 0 ? 0 : have / bytes;
    const bar = element(
      'div',
      {
        class: 'bar',
        role: 'progressbar',
        'aria-label': name,
        'aria-valuemax': 100,
        'aria-valuenow': Math.round(100 * share),
      },
      element('div', { style: `transform: translateX(${100 * (share - 1)}%)` }),
    );
    return element(
      'tr',
      { 'data-model': name },
      element('td', {}, name),
      element('td', {}, bytes === 0 ? 'asking …' : `${megabytes(have)} of ${megabytes(bytes)}`),
      element('td', {}, bar),
      element(
        'td',
        {},
        button('Pause', () => stop.abort()),
      ),
    );
  }
}

function button(label: string, click: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button', class: 'small' }, label);
  made.addEventListener('click', click);
  return made;
}

/** Letters, digits, `.`, `_` and `-` of the last part of an address. */
function nameOf(source: string): string {
  const [path = ''] = source.split(/[?#]/);
  const last = path.split('/').filter(Boolean).at(-1) ?? 'model';
  return last.replace(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'model';
}
