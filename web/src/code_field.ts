/**
 * A field for JavaScript: a plain text area, which becomes an editor with line numbers and completion when a visitor
 * goes into it. The editor is a file of its own that is fetched then; until it is there, and where it cannot be
 * fetched, the text area does.
 */
import { element } from '../../packages/report/page/dom.ts';
import type { CodeEditor, Word } from './code_editor.ts';

export interface CodeFieldOptions {
  readonly id: string;
  readonly label: string;
  readonly rows: number;
  /** What completion offers besides the language. */
  readonly words: readonly Word[];
  /** Called when the visitor has changed the code. */
  readonly onEdit?: () => void;
}

export class CodeField {
  readonly box: HTMLElement;
  readonly #options: CodeFieldOptions;
  readonly #area: HTMLTextAreaElement;
  #editor: CodeEditor | undefined;
  #isLoading = false;

  constructor(options: CodeFieldOptions) {
    this.#options = options;
    const { id, label, rows } = options;
    this.#area = element('textarea', { id, rows, spellcheck: 'false', autocapitalize: 'off' });
    this.box = element('div', {}, element('label', { for: id }, label), this.#area);
    if (options.onEdit !== undefined) this.#area.addEventListener('input', options.onEdit);
    for (const opened of ['pointerdown', 'keydown'] as const) {
      this.#area.addEventListener(opened, () => void this.#upgrade());
    }
  }

  get value(): string {
    return this.#editor?.value ?? this.#area.value;
  }

  set value(code: string) {
    this.#area.value = code;
    if (this.#editor !== undefined) this.#editor.value = code;
  }

  /** Shows a line of the code, from 1. */
  goTo(line: number): void {
    if (this.#editor !== undefined) {
      this.#editor.goTo(line);
      return;
    }
    const before = this.#area.value.split('\n', line);
    const end = before.join('\n').length;
    this.#area.focus();
    this.#area.setSelectionRange(end - (before.at(-1)?.length ?? 0), end);
  }

  async #upgrade(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const loaded = await import('./code_editor.ts').catch(() => undefined);
    if (loaded === undefined) {
      this.#isLoading = false; // without a network; the next key tries again
      return;
    }
    const { id, label, words, onEdit } = this.#options;
    const area = this.#area;
    const wasFocused = document.activeElement === area;
    const place = element('div', { class: 'editor', 'data-of': id });
    const { selectionStart, selectionEnd } = area;
    this.#editor = loaded.openEditor(place, { code: area.value, label, words, onEdit });
    area.hidden = true;
    area.before(place);
    this.#editor.select(selectionStart, selectionEnd);
    if (wasFocused) this.#editor.focus();
    area.before(element('p', { class: 'quiet' }, 'Ctrl-Space completes. Escape, then Tab leaves the editor.'));
  }
}

/** What is wrong with a code, with a way to the line that it names. */
export function problemOf(message: string, field: CodeField): HTMLElement {
  const problem = element('p', { class: 'problem' }, message);
  const line = /\(line (\d+)\)/.exec(message)?.[1];
  if (line === undefined) return problem;
  const button = element('button', { type: 'button', class: 'small' }, `Go to line ${line}`);
  button.addEventListener('click', () => field.goTo(Number(line)));
  return element('div', {}, problem, element('div', { class: 'row' }, button));
}
