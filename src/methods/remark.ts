/** A remark on a stage before its first step, about a method or a key. */
import type { Json } from '../options/json.ts';
import type { MethodPoint } from './stage.ts';

/** A method's place in a stage. */
export interface MethodPlace {
  readonly point: MethodPoint;
  /** Among the methods of its point. */
  readonly index: number;
}

/** `conflict`: the stage cannot be trained. */
export type RemarkLevel = 'note' | 'warning' | 'conflict';

export interface Remark {
  readonly level: RemarkLevel;
  /** The method or stage key that it is about. */
  readonly at: MethodPlace | { readonly key: string };
  /** The id of the method, or the value of the key. */
  readonly value: Json;
  /** `finding; remedy`. */
  readonly text: string;
}
