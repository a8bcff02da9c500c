/** Downloads: the adapter, the merged model, GGUF and ONNX, each opened again and compared before it is offered. */
import { element } from '../../../packages/report/page/dom.ts';
import { counted } from '../../../src/format.ts';
import { megabytes } from './amounts.ts';
import type { ModelLab } from './model_lab.ts';

/** Forms and types as `rlvr-train export` names them, and in words what each is for. */
const OFFERED = [
  {
    form: 'gguf',
    dtype: 'q8_0',
    title: 'One file to talk to, 8 bits',
    about: 'The model with what it learned, for LM Studio, Ollama and llama.cpp. Take this if you are not sure.',
  },
  {
    form: 'gguf',
    dtype: 'f16',
    title: 'The same in 16 bits',
    about: 'Twice as large, and nothing is rounded: to be quantised further, or compared.',
  },
  {
    form: 'gguf-lora',
    dtype: 'f16',
    title: 'Only what it learned, for llama.cpp',
    about: 'A small file that is laid over the model you already have: llama-server --lora.',
  },
  {
    form: 'peft',
    dtype: 'f32',
    title: 'Only what it learned, for Python',
    about: 'An adapter (LoRA) in PEFT’s layout: a few megabytes to go on with in transformers, TRL or vLLM.',
  },
  {
    form: 'merged',
    dtype: 'bf16',
    title: 'The whole model, for Python',
    about: 'A folder in Hugging Face’s layout, adapter and model in one: transformers, vLLM.',
  },
  {
    form: 'onnx',
    dtype: 'q4f16',
    title: 'For a web page, 4 bits',
    about: 'ONNX for transformers.js: the smallest one that runs in a page of your own.',
  },
  {
    form: 'onnx',
    dtype: 'f16',
    title: 'For a web page, 16 bits',
    about: 'ONNX as well; larger, and closer to what was trained.',
  },
] as const;
type Offered = (typeof OFFERED)[number];

export class GivePanel {
  readonly #lab: ModelLab;
  readonly #buttons: readonly HTMLButtonElement[];
  readonly #files = element('ul', { id: 'files' });
  readonly #state = element('p', { role: 'status' });
  #addresses: string[] = [];

  constructor(place: HTMLElement, lab: ModelLab) {
    this.#lab = lab;
    this.#buttons = OFFERED.map((offered) => {
      const { form, dtype, title } = offered;
      const attributes = { type: 'button', 'data-form': `${form}-${dtype}`, 'aria-label': `Make it: ${title}` };
      const made = element('button', attributes, 'Make it');
      made.addEventListener('click', () => void this.#give(offered));
      return made;
    });
    const rows = OFFERED.map(({ title, about }, i) =>
      element(
        'li',
        {},
        element('div', {}, element('strong', {}, title), element('p', { class: 'quiet' }, about)),
        this.#buttons[i] as HTMLElement, // one each
      ),
    );
    place.append(
      element(
        'p',
        { class: 'quiet' },
        'Each file is written here, opened again and compared with what was trained before you get it. Nothing is sent anywhere. The licence of the base model holds for it, too.',
      ),
      element('ul', { class: 'forms' }, ...rows),
      this.#state,
      this.#files,
    );
  }

  async #give({ form, dtype, title }: Offered): Promise<void> {
    this.#state.textContent = `${title}: it is written and opened again …`;
    const files = await this.#lab.give(form, dtype);
    for (const address of this.#addresses) URL.revokeObjectURL(address);
    this.#addresses = [];
    const count =
      files === undefined ? '' : files.size === 1 ? 'one file' : `${counted(files.size, 'file')} of a folder`;
    this.#state.textContent = files === undefined ? 'It could not be made; step 3 says why.' : `${title}: ${count}.`;
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
