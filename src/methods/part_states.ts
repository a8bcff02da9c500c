/** States that parts of a stage keep from step to step, each under its own name: `<point>/<method>`. */

import type { Json } from '../options/json.ts';
import type { Named, StageMethods } from './create.ts';
import { distinctNames } from './method_list.ts';
import type { MethodPoint } from './stage.ts';
import type { Stateful } from './stateful.ts';

/** The parts of each point that may keep a state. Old checkpoints number all of them, in this order of the points. */
const NUMBERED: readonly (readonly [MethodPoint, (methods: StageMethods) => readonly Named<Stateful>[]])[] = [
  ['promptSource', ({ promptSources }) => promptSources],
  ['rolloutStrategies', ({ rolloutStrategies }) => rolloutStrategies],
  ['tokenControls', ({ tokenControls }) => tokenControls],
  ['groupSteps', ({ groupSteps }) => groupSteps],
  ['advantageEstimator', ({ advantageEstimator }) => [advantageEstimator]],
  ['creditSteps', ({ creditSteps }) => creditSteps],
  ['lossTerms', ({ lossTerms }) => lossTerms],
  ['controllers', ({ controllers }) => controllers],
  ['tokenWeights', ({ tokenWeights }) => tokenWeights],
];

interface StatefulPart {
  readonly part: Stateful;
  readonly name: string;
  /** `<place>/<method>`, its name in checkpoints before there were such names. */
  readonly oldName: string;
}

function statefulParts(methods: StageMethods): StatefulPart[] {
  const parts = NUMBERED.flatMap(([point, of]) => {
    const pointParts = of(methods);
    const names = distinctNames(pointParts.map(({ id }) => id));
    return pointParts.map(({ id, part }, place) => ({ id, part, name: `${point}/${names[place]}` }));
  });
  return parts.map(({ id, part, name }, place) => ({ part, name, oldName: `${place}/${id}` }));
}

/** The states of the parts that have one, for the checkpoint. */
export function methodStates(methods: StageMethods): Record<string, Json> {
  return Object.fromEntries(
    statefulParts(methods).flatMap(({ name, part }) =>
      part.state === undefined ? [] : [[name, part.state()] as const],
    ),
  );
}

/** Restores the states from `methodStates`, or an older version of them. */
export function restoreMethods(methods: StageMethods, states: Readonly<Record<string, Json>>): void {
  for (const { name, oldName, part } of statefulParts(methods)) {
    const key = [name, oldName].find((candidate) => Object.hasOwn(states, candidate));
    if (key !== undefined) part.restore?.(states[key]);
  }
}

/** Passes states of the previous stage to the same parts of this one, if they ask for them. */
export function takeOver(before: StageMethods, after: StageMethods): void {
  const states = methodStates(before);
  for (const { name, part } of statefulParts(after)) {
    if (part.takeOver !== undefined && Object.hasOwn(states, name)) part.takeOver(states[name]);
  }
}
