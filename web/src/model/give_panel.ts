/** Downloads: the adapter, the merged model, GGUF and ONNX, each opened again and compared before it is offered. */
import { element } from '../../../packages/report/page/dom.ts';
import { megabytes } from './megabytes.ts';
import type { ModelLab } from './model_lab.ts';

/** Forms and types, as `rlvr-train export` names them. */
const OFFERED = [
  { form: 'peft', dtype: 'f32', title: 'Adapter for PEFT' },
  { form: 'gguf-lora', dtype: 'f16', title: 'Adapter for llama.cpp' },
  { form: 'gguf', dtype: 'q8_0', title: 'GGUF, 8 bits' },
  { form: 'gguf', dtype: 'f16', title: 'GGUF, 16 bits' },
  { form: 'merged', dtype: 'bf16', title: 'Merged, for transformers' },
  { form: 'onnx', dtype: 'q4f16', title: 'ONNX, 4 bits, for transformers.js' },
  { form: 'onnx', dtype: 'f16', title: 'ONNX, 16 bits' },
] as const;

export class GivePanel {
  readonly #lab: ModelLab;
  readonly #buttons: readonly HTMLButtonElement[];
  readonly #files = element('ul', { id: 'files' });
  readonly #state = element('p', { class: 'quiet', role: 'status' });
  #addresses: string[] = [];

  constructor(place: HTMLElement, lab: ModelLab) {
    this.#lab = lab;
    this.#buttons = OFFERED.map(({ form, dtype, title }) => {
      const made = element('button', { type: 'button', 'data-form': `${form}-${dtype}` }, title);
      made.addEventListener('click', () => void this.#give(form, dtype, title));
      return made;
    });
    place.append(element('div', { class: 'row' }, ...this.#buttons), this.#state, this.#files);
  }

  async #give(form: (typeof OFFERED)[number]['form'], dtype: string, title: string): Promise<void> {
    this.#state.textContent = `${title}: written and opened again …`;
    const files = await this.#lab.give(form, dtype);
    for (const address of this.#addresses) URL.revokeObjectURL(address);
    this.#addresses = [];
    this.#state.textContent =
      files === undefined ? '' : `${title}: ${files.size === 1 ? 'a file' : `${files.size} files of one folder`}.`;
    this.#files.replaceChildren(
      ...[...(files ?? [])].map(([path, file]) => {
        const href = URL.createObjectURL(file);
        this.#addresses.push(href);
        const name = path.split('/').at(-1) as string;
        return element('li', {}, element('a', { href, download: name }, path), ` ${megabytes(file.size)}`);
      }),
    );
  }

  update(): void {
    const { run, status } = this.#lab;
    for (const each of this.#buttons) each.disabled = run === undefined || !['resting', 'finished'].includes(status);
  }
}
