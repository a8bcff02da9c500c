/** Links, files and hashes: what leaves the page. */
import { element } from '../../packages/report/page/dom.ts';
import type { Experiment } from './experiment.ts';
import type { Lab } from './lab.ts';
import { messageOf } from './notes.ts';

export class KeepPanel {
  readonly #lab: Lab;
  readonly #hash = element('code', { id: 'weights-hash', class: 'hash' });
  readonly #choose: (experiment: Experiment) => void;
  readonly #buttons: HTMLButtonElement[];

  /** @param choose  called with the experiment of a run that was loaded */
  constructor(place: HTMLElement, lab: Lab, choose: (experiment: Experiment) => void) {
    this.#lab = lab;
    this.#choose = choose;
    const model = this.#button('Export model', 'export', () => this.#exportModel());
    const save = this.#button('Save run to a file', 'save', () => this.#save());
    const hash = this.#button('Hash of the weights', 'hash', async () => {
      this.#hash.textContent = (await lab.weightsSha256()) ?? '';
    });
    this.#buttons = [model, save, hash];
    const file = element('input', { type: 'file', id: 'load', accept: '.zip' });
    file.addEventListener('change', () => void this.#load(file));
    place.append(
      element(
        'p',
        { class: 'quiet' },
        'The run is saved in this browser every ten seconds and at each pause; a reload finds it. The model is safetensors with the config and tokenizer that transformers reads; a saved run can be continued here or with the command line.',
      ),
      element(
        'div',
        { class: 'row' },
        model,
        save,
        element('label', { class: 'button', for: 'load' }, 'Load a run', file),
        copyButton('Copy link', () => lab.link()),
        hash,
      ),
      this.#hash,
    );
  }

  #button(label: string, id: string, click: () => Promise<void>): HTMLButtonElement {
    const button = element('button', { type: 'button', id }, label);
    button.addEventListener(
      'click',
      () => void click().catch((error: unknown) => this.#lab.notes.say('stop', messageOf(error))),
    );
    return button;
  }

  async #exportModel(): Promise<void> {
    const files = await this.#lab.exportModel();
    if (files === undefined) return;
    const { packed } = await import('./run_file.ts');
    download(await packed(files), `${this.#lab.experiment.preset}-model.zip`);
  }

  async #save(): Promise<void> {
    const files = await this.#lab.files();
    if (files === undefined) return;
    const { experiment, codes } = this.#lab;
    const { packRun } = await import('./run_file.ts');
    download(await packRun({ experiment, codes, files }), `${experiment.preset}-run.zip`);
  }

  async #load(input: HTMLInputElement): Promise<void> {
    const [file] = input.files ?? [];
    input.value = '';
    if (file === undefined) return;
    try {
      const { unpackRun } = await import('./run_file.ts');
      const saved = await unpackRun(new Uint8Array(await file.arrayBuffer()));
      if (await this.#lab.load(saved, file.name)) this.#choose(saved.experiment);
    } catch (error) {
      this.#lab.notes.say('stop', `${file.name} cannot be loaded: ${messageOf(error)}. Nothing was changed.`);
    }
  }

  update(): void {
    const isReady = this.#lab.run !== undefined && this.#lab.status !== 'busy';
    for (const button of this.#buttons) button.disabled = !isReady;
  }
}

/** A button that puts a text into the clipboard, and says so. */
export function copyButton(label: string, text: () => string | Promise<string>): HTMLButtonElement {
  const button = element('button', { type: 'button' }, label);
  button.addEventListener('click', async () => {
    const copied = await Promise.resolve(text())
      .then((written) => navigator.clipboard.writeText(written))
      .then(
        () => true,
        () => false,
      );
    button.textContent = copied ? 'Copied' : 'The browser refused';
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}

function download(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/zip' }));
  const link = element('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
