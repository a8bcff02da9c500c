import type { Json } from '../options/json.ts';

/** Plain JSON that goes from step to step, part of the checkpoint. */
export interface Stateful {
  state?(): Json;
  restore?(state: Json): void;
}
