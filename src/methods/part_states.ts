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

/** Before the name of what several parts share. */
const SHARED = 'shared/';

/** The states of the parts that have one, and of what they share, for the checkpoint. */
export function methodStates(methods: StageMethods): Record<string, Json> {
  const shared = Object.entries(methods.shared.state()).map(([name, state]) => [`${SHARED}${name}`, state] as const);
  const own = statefulParts(methods).flatMap(({ name, part }) =>
    part.state === undefined ? [] : [[name, part.state()] as const],
  );
  return Object.fromEntries([...own, ...shared]);
}

function sharedAmong(states: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(states).flatMap(([name, state]) =>
      name.startsWith(SHARED) ? [[name.slice(SHARED.length), state] as const] : [],
    ),
  );
}

/** Restores the states from `methodStates`, or an older version of them. */
export function restoreMethods(methods: StageMethods, states: Readonly<Record<string, Json>>): void {
  for (const { name, oldName, part } of statefulParts(methods)) {
    const key = [name, oldName].find((candidate) => Object.hasOwn(states, candidate));
    if (key !== undefined) part.restore?.(states[key]);
  }
  methods.shared.restore(sharedAmong(states));
}

/** Passes states of the previous stage to the same parts of this one, if they ask for them, and what was shared. */
export function takeOver(before: StageMethods, after: StageMethods): void {
  const states = methodStates(before);
  for (const { name, part } of statefulParts(after)) {
    if (part.takeOver !== undefined && Object.hasOwn(states, name)) part.takeOver(states[name]);
  }
  after.shared.restore(before.shared.state());
}
