import type { Json } from '../options/json.ts';

/** Plain JSON that goes from step to step, part of the checkpoint. */
export interface Stateful {
  state?(): Json;
  restore?(state: Json): void;
  /** Called where a stage begins, with what the same part of the stage before has kept. Absent: a stage begins from scratch. */
  takeOver?(state: Json): void;
}
