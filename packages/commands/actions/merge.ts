/** `rlvr-train merge PATH --output DIR`: a model and its adapter become one folder that needs neither. */
import { CheckpointError } from '../../../src/errors.ts';
import { exportGiven } from './export.ts';

export interface MergeOptions {
  readonly output: string;
  /** The model, where it is not where the adapter says. */
  readonly base?: string;
  /** Completions that are re-scored. */
  readonly check: number;
}

/**
 * `export --to merged` in float32, of what has an adapter to merge.
 *
 * @param path  an adapter of PEFT's layout, or the directory of a finished run
 * @throws CheckpointError where it is none, or the folder is there already
 */
export async function mergeCommand(path: string, { output, base, check }: MergeOptions): Promise<void> {
  await exportGiven(path, { output, base, to: 'merged', dtype: 'f32', check }, ({ adapter, name }) => {
    if (adapter !== undefined) return;
    throw new CheckpointError('no-adapter', `${name} — has no adapter to merge; it is a whole model as it is.`);
  });
}
