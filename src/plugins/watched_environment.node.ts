/** The environment of a user's task, watched: each call is limited in time, and what it gives is checked. */
import type { ComparedState, EnvironmentStep, ToolCalls } from '../data/environment.ts';
import { isVerdict } from '../data/judging/is_verdict.ts';
import type { AnyEnvironment } from '../data/play.ts';
import type { Json } from '../options/json.ts';
import { refusal } from './module.node.ts';
import { freezePlain } from './plain_data.ts';
import { shown, type TaskCalls } from './task_calls.node.ts';
import { isMapping } from './task_contracts.ts';

const NEEDED = ['start', 'step', 'expert', 'random', 'turnLimits'];
const STEP = '{state, observation, reward, potential, verdict}: its new state, and what there is of the others';

function isListOf(type: 'boolean' | 'string', value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === type);
}

/** @throws PluginError where a function is missing */
export function watchEnvironment(own: unknown, calls: TaskCalls): AnyEnvironment {
  const lacks = NEEDED.filter((name) => !isMapping(own) || typeof own[name] !== 'function');
  if (lacks.length > 0) {
    const remedy = 'add what is missing; environmentTask() of rlvr-train/tasks makes the whole of an environment';
    throw refusal(`its environment lacks ${lacks.map((name) => `${name}()`).join(', ')}; ${remedy}`);
  }
  const environment = own as AnyEnvironment; // each part is looked at when it is called
  const limited = <T>(part: string, given: readonly unknown[], work: () => T): T =>
    calls.limited(`environment.${part}`, given, work);
  const broken = (part: string, given: readonly unknown[], what: string, remedy: string): never => {
    throw calls.broken(`environment.${part}`, given, what, remedy);
  };
  /** Frozen, so that a step that writes to the state that it was given fails there and then. */
  const stateOf = (part: string, given: readonly unknown[], state: unknown): Json => {
    const wrong = freezePlain(state);
    if (wrong !== undefined) broken(part, given, `gave a state with ${wrong}`, 'a state of plain JSON');
    return state as Json;
  };
  const action = (part: 'expert' | 'random' | 'teacher', ...given: Parameters<AnyEnvironment['expert']>): string =>
    limited(part, [given[0]], () => {
      const text: unknown = environment[part]?.(...given);
      return typeof text === 'string' ? text : broken(part, [given[0]], `gave ${shown(text)}`, 'an action, a text');
    });
  return {
    start: (identity, knobs, rng) =>
      limited('start', [identity], () => stateOf('start', [identity], environment.start(identity, knobs, rng))),
    step: (state, said, knobs, rng) =>
      limited('step', [state, said], (): EnvironmentStep<Json> => {
        const given = [state, said];
        const step: unknown = environment.step(state, said, knobs, rng);
        if (!isMapping(step)) return broken('step', given, `gave ${shown(step)}`, STEP);
        stateOf('step', given, step.state);
        const { observation = '', from = '', reward = 0, potential = 0, verdict } = step;
        for (const [name, text] of Object.entries({ observation, from })) {
          if (typeof text !== 'string') broken('step', given, `gave ${shown(text)} as ${name}`, 'a text');
        }
        for (const [name, value] of Object.entries({ reward, potential })) {
          if (!Number.isFinite(value)) broken('step', given, `gave ${shown(value)} as ${name}`, 'a number');
        }
        if (verdict !== undefined && !isVerdict(verdict)) {
          broken('step', given, `gave the verdict ${shown(verdict)}`, '{score, status, reason}, as verify gives one');
        }
        return step as unknown as EnvironmentStep<Json>; // all of it was looked at
      }),
    expert: (...given) => action('expert', ...given),
    random: (...given) => action('random', ...given),
    ...(environment.teacher && {
      teacher: (...given: Parameters<AnyEnvironment['expert']>) => action('teacher', ...given),
    }),
    turnLimits: (knobs) =>
      limited('turnLimits', [knobs], () => {
        const limits = environment.turnLimits(knobs);
        const { maxTurns, actionTokens, observationTokens } = limits ?? {};
        const wrong = [maxTurns, actionTokens].some((count) => !Number.isInteger(count) || Number(count) < 1);
        if (!wrong && Number.isInteger(observationTokens) && observationTokens >= 0) return limits;
        const rule = '{maxTurns, actionTokens, observationTokens}: whole numbers, the first two above 0';
        return broken('turnLimits', [knobs], `gave ${shown(limits)}`, rule);
      }),
    ...(environment.distance && {
      distance: (state, knobs) =>
        limited('distance', [state], () => {
          const moves: unknown = environment.distance?.(state, knobs);
          if (moves === undefined || (Number.isInteger(moves) && Number(moves) >= 0))
            return moves as number | undefined;
          return broken('distance', [state], `gave ${shown(moves)}`, 'a whole number of actions from 0, or undefined');
        }),
    }),
    ...(environment.milestones && {
      milestones: (state, knobs) =>
        limited('milestones', [state], () => {
          const reached: unknown = environment.milestones?.(state, knobs);
          if (isListOf('boolean', reached) && reached.length > 0) return reached as readonly boolean[];
          return broken('milestones', [state], `gave ${shown(reached)}`, 'a list of true and false, one for each');
        }),
    }),
    ...(environment.compared && {
      compared: (state, knobs) =>
        limited('compared', [state], () => {
          const given: unknown = environment.compared?.(state, knobs);
          const { cells, goal } = isMapping(given) ? given : {};
          if (isListOf('string', cells) && isListOf('string', goal) && cells.length === goal.length && cells.length > 0)
            return { cells, goal } as ComparedState;
          return broken('compared', [state], `gave ${shown(given)}`, '{cells, goal}: two lists of as many texts');
        }),
    }),
    ...(environment.calls && {
      calls: (state, knobs) =>
        limited('calls', [state], () => {
          const given: unknown = environment.calls?.(state, knobs);
          const { made, open } = isMapping(given) ? given : {};
          const isCount = (count: unknown): boolean => Number.isInteger(count) && Number(count) >= 0;
          if (isCount(made) && isCount(open)) return { made, open } as ToolCalls;
          return broken('calls', [state], `gave ${shown(given)}`, '{made, open}: two whole numbers from 0');
        }),
    }),
    ...(environment.guard && {
      guard: (state, said, knobs) =>
        limited('guard', [state, said], () => {
          const reason: unknown = environment.guard?.(state, said, knobs);
          if (reason === undefined || typeof reason === 'string') return reason;
          return broken('guard', [state, said], `gave ${shown(reason)}`, 'a text, or undefined for an action to take');
        }),
    }),
    ...(environment.toolNames && {
      toolNames: (knobs) =>
        limited('toolNames', [knobs], () => {
          const names: unknown = environment.toolNames?.(knobs);
          const isKept = Array.isArray(names) && names.every((name) => typeof name === 'string');
          return isKept ? names : broken('toolNames', [knobs], `gave ${shown(names)}`, 'a list of names');
        }),
    }),
    ...(environment.introduction && {
      introduction: (knobs) =>
        limited('introduction', [knobs], () => {
          const said: unknown = environment.introduction?.(knobs);
          const { system = '', tools = [] } = isMapping(said) ? said : { system: said };
          const isKept = typeof system === 'string' && Array.isArray(tools) && freezePlain(tools) === undefined;
          if (!isKept)
            broken('introduction', [knobs], `gave ${shown(said)}`, '{system, tools}: a text, and JSON Schemas');
          return said as NonNullable<ReturnType<NonNullable<AnyEnvironment['introduction']>>>;
        }),
    }),
    ...(environment.inWords && {
      inWords: (template) =>
        watchEnvironment(
          limited('inWords', [], () => environment.inWords?.(template)),
          calls,
        ),
    }),
    ...(environment.chanceDecides && {
      chanceDecides: (knobs) => limited('chanceDecides', [knobs], () => environment.chanceDecides?.(knobs) === true),
    }),
  };
}
