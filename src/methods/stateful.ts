import type { Json } from '../options/json.ts';

/** Plain JSON kept from step to step, and in the checkpoint. */
export interface Stateful {
  state?(): Json;
  restore?(state: Json): void;
  /**
   * Called when a stage begins, with the state of the same part in the previous stage. Absent: a stage starts without
   * state.
   */
  takeOver?(state: Json): void;
}
