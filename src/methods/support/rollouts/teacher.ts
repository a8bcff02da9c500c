import type { TaskItem } from '../../../data/task.ts';

/** Tools that make a teacher's prompt. */
export interface TeacherTools {
  /** The problem's prompt with these tokens shown. */
  shown(item: TaskItem, tokens: Int32Array): Int32Array;
  /** The same with a share of its operands masked: `maskWord`. */
  masked(item: TaskItem, share: number): Int32Array;
  tokensOf(text: string): Int32Array;
}
