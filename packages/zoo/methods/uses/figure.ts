/**
 * Figures: what is known of sampled rollouts before they are credited, because a method asks for it. A figure is a use that
 * says how it is computed from scores of sequences; it lives in the step, and no checkpoint holds it.
 *
 *   uses: () => [uniformKl]          …          uniformKl.of(rollout)
 */
import type { FigureValue, Rollout } from '../../../../src/methods/records.ts';
import type { FigureMember, FigureTools } from '../../../../src/methods/uses/figure_tools.ts';
import type { Use } from '../../../../src/methods/uses/use.ts';

/** A use that can be read. */
export interface Figure<Value extends FigureValue> extends Use {
  /** Undefined where the rollout has none, or no method of the stage uses the figure. */
  of(rollout: Pick<Rollout, 'figures'>): Value | undefined;
}

interface DeclaredFigure<Value extends FigureValue> extends Pick<Use, 'implies' | 'takesDistributions'> {
  readonly id: string;
  /** What is scored for it, in words. */
  readonly says: string;
  readonly rank?: number;
  compute(members: readonly FigureMember[], tools: FigureTools): Promise<readonly (Value | undefined)[]>;
}

/** Declares a figure; of several that a stage has by one id, the one with the highest `rank` is computed. */
export function figure<Value extends FigureValue>({ rank = 0, compute, ...use }: DeclaredFigure<Value>): Figure<Value> {
  return {
    ...use,
    scoresBeforeUpdate: true,
    figure: { rank, compute },
    of: ({ figures }) => figures?.[use.id] as Value | undefined, // as `compute` gave it
  };
}
