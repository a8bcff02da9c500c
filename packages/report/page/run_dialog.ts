/** A dialog over the list: the name of a run and a note about it; and its removal, which is asked for twice. */
import type { ListedRun } from '../data.ts';
import { COMMAND_HEADER } from './commands.ts';
import { element } from './dom.ts';

/** @param onChange  the list is another by now */
export function openRunDialog(run: ListedRun, onChange: () => void): void {
  const { name } = run;
  const title = element('input', { type: 'text', id: 'run-name', maxlength: 100, placeholder: name, value: run.title });
  const note = element('textarea', { id: 'run-note', rows: 4, maxlength: 4000 }, run.note);
  const said = element('p', { class: 'quiet', role: 'status' });
  const dialog = element('dialog', { class: 'about-run', 'aria-labelledby': 'about-run-title' });
  const button = (label: string, type: 'button' | 'submit' = 'button'): HTMLButtonElement =>
    element('button', { type }, label);
  // The event `close` comes a moment later: by then the next dialog may be open, with the same ids.
  const dismiss = (): void => {
    dialog.close();
    dialog.remove();
  };
  const [save, cancel, remove] = [button('Save', 'submit'), button('Cancel'), button('Delete this run…')];

  const send = async (path: string, body?: object): Promise<void> => {
    try {
      const response = await fetch(`${path}?run=${encodeURIComponent(name)}`, {
        method: 'POST',
        headers: { [COMMAND_HEADER]: '1' },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(await response.text());
      dismiss();
      onChange();
    } catch (error) {
      said.textContent = error instanceof TypeError ? 'The server of this page has ended.' : (error as Error).message;
    }
  };

  const form = element(
    'form',
    {},
    element('h2', { id: 'about-run-title' }, name),
    element('label', { for: title.id }, 'Name'),
    title,
    element('label', { for: note.id }, 'Note'),
    note,
    said,
    element('div', { class: 'controls' }, save, cancel, remove),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send('notes', { name: title.value, note: note.value });
  });
  cancel.addEventListener('click', dismiss);
  remove.addEventListener('click', () => {
    const [sure, keep] = [element('button', { type: 'button', class: 'danger' }, 'Delete for good'), button('Keep it')];
    const size = `${Math.max(1, Math.round(run.bytes / 1e6))} MB`;
    dialog.replaceChildren(
      element('h2', { id: 'about-run-title' }, `Delete ${name}?`),
      element(
        'p',
        {},
        `Its directory is removed, ${size} with its weights, logs and checkpoints. It cannot be undone.`,
      ),
      said,
      element('div', { class: 'controls' }, sure, keep),
    );
    sure.addEventListener('click', () => void send('delete'));
    keep.addEventListener('click', dismiss);
    keep.focus();
  });
  dialog.addEventListener('close', () => dialog.remove());
  dialog.append(form);
  document.body.append(dialog);
  dialog.showModal();
}
