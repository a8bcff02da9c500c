/** Names the row of a data set that a template or a tokenizer refuses. */
import { DataError } from '../errors.ts';
import type { TaskItem } from './problem.ts';

/** @throws what `write` throws, with the row where it is one of a data set */
export function inRow<T>({ id, columns }: TaskItem, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof DataError) || columns === undefined || error.message.startsWith(id)) throw error;
    const remedy = error.code === 'chat-template' ? '; change the messages of the row, or leave it out.' : '.';
    throw new DataError(error.code, `${id}  ${error.message.replace(/\.$/, remedy)}`, { ...error.facts, place: id });
  }
}
