/** What is said of a stage before its first step, of a method or of a key. */
import type { Json } from '../options/json.ts';
import type { MethodPoint } from './stage.ts';

/** A method's place in a stage. */
export interface MethodPlace {
  readonly point: MethodPoint;
  /** Among those of its point. */
  readonly index: number;
}

/** `conflict`: the stage cannot be trained. */
export type RemarkLevel = 'note' | 'warning' | 'conflict';

export interface Remark {
  readonly level: RemarkLevel;
  /** The method, or the key of the stage, that it is about. */
  readonly at: MethodPlace | { readonly key: string };
  /** The id of the method, or the value of the key. */
  readonly value: Json;
  /** `what is so; remedy`. */
  readonly text: string;
}
