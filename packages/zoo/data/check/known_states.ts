/** The rules of what an environment knows of its states: where it is won, and how an expert gets there. */
import type { EnvironmentStep } from '../../../../src/data/environment.ts';
import { type AnyEnvironment, knownState } from '../../../../src/data/play.ts';
import type { Knobs } from '../../../../src/data/problem.ts';
import type { Json } from '../../../../src/options/json.ts';

/** A rule that an action breaks, as a sentence continues after the name of the environment. */
export type BrokenStep = (what: string, action: string) => void;

/** What is asked of a step besides what `step()` gives. */
export interface StepRules {
  /** Whether an expert plays, who is denied nothing and comes nearer with each action where chance has no part. */
  readonly isExpert: boolean;
  /** Whether what the policy reads has room, and can be written. */
  fits(observation: string): boolean;
}

/** Looks at what is known of both ends of a step. */
export function checkKnownStates(
  definition: AnyEnvironment,
  knobs: Knobs,
  { isExpert, fits }: StepRules,
  report: BrokenStep,
): (state: Json, action: string, step: EnvironmentStep<Json>) => void {
  const isSure = !definition.chanceDecides?.(knobs);
  return (state, action, step) => {
    const [before, after] = [knownState(definition, state, knobs), knownState(definition, step.state, knobs)];
    const isWon = step.verdict?.score === 1;
    const { distance } = after;
    if (distance !== undefined && !(Number.isInteger(distance) && distance >= 0))
      report(`distance() gives ${distance}; give a whole number of actions from 0, or undefined`, action);
    if (definition.distance && isWon && distance !== 0)
      report(`distance() gives ${distance} where the episode is won; that is 0`, action);
    if (definition.distance && isExpert && isSure && distance !== (before.distance ?? 0) - 1)
      report(
        `the expert goes from a distance of ${before.distance} to one of ${distance}; he comes nearer by 1`,
        action,
      );
    if (before.milestones?.length !== after.milestones?.length || after.milestones?.length === 0)
      report('milestones() gives none, or other ones than before the action; they are the same all through', action);
    if (isWon && after.milestones?.includes(false))
      report('milestones() says that one is not reached where the episode is won', action);
    const { cells = [], goal = [] } = after.compared ?? {};
    if (cells.length !== goal.length) report('compared() gives cells and a goal of other lengths', action);
    if (isWon && cells.some((cell, at) => cell !== goal[at]))
      report('compared() gives other cells than those of the goal where the episode is won', action);
    const [was, is] = [before.calls, after.calls];
    if (was && is && isExpert && isSure && was.open !== is.open + (is.made - was.made))
      report(`calls() says that ${was.open} are open, and after ${is.made - was.made} of an expert ${is.open}`, action);
    const denied = definition.guard?.(state, action, knobs);
    if (denied === undefined) return;
    if (isExpert) report('guard() denies what the expert does', action);
    if (!fits(denied)) report(`guard() says ${JSON.stringify(denied)}, which an observation has no room for`, action);
  };
}
