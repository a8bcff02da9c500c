import type { TaskItem } from '../../../data/task.ts';

/** What the prompt of a teacher is made with. */
export interface TeacherTools {
  /** The problem's prompt, showing these tokens besides. */
  shown(item: TaskItem, tokens: Int32Array): Int32Array;
  /** The same with a share of its operands masked: `maskWord`. */
  masked(item: TaskItem, share: number): Int32Array;
  tokensOf(text: string): Int32Array;
}
