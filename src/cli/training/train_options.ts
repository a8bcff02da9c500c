/** The options of a training from flags. */
import type { DisplayOptions } from '../display/open_lines.ts';

export interface RunFlags {
  readonly config?: string;
  readonly output?: string;
  readonly resume?: boolean;
  readonly set?: readonly string[];
  readonly seed?: number;
  readonly threads?: number;
  readonly backend?: string;
  readonly maxSteps?: number;
}

export interface TrainOptions extends RunFlags, DisplayOptions {
  readonly force?: boolean;
}
