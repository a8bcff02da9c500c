/** A task's environment at its knobs, and episodes played without a policy: by an expert, a teacher or at random. */
import { type Rng, rngFor } from '../kernels/philox.ts';
import type { Json } from '../options/json.ts';
import { illegal, truncated, wrongValue } from '../rewards/reject.ts';
import { asksInWords, type Codec } from '../text/codec.ts';
import type {
  BoundEnvironment,
  EnvironmentDefinition,
  EnvironmentStep,
  EpisodeState,
  EpisodeStep,
  KnownState,
  PlayedEpisode,
  PlayedTurn,
} from './environment.ts';
import { ENVIRONMENT_TURN, POLICY_TURN, STATE_FACTS } from './environment.ts';
import type { Knobs, TaskItem } from './problem.ts';

/** Number of rule-breaking actions that ends an episode. */
export const MOST_ILLEGAL = 3;

/** An environment whose items and knobs are known to itself only; methods are checked bivariantly. */
export type AnyEnvironment = EnvironmentDefinition<Json, Json, Knobs>;

/** Everything that an environment knows of a state. */
export function knownState(definition: AnyEnvironment, state: Json, knobs: Knobs): KnownState {
  const distance = definition.distance?.(state, knobs);
  const milestones = definition.milestones?.(state, knobs);
  const compared = definition.compared?.(state, knobs);
  const calls = definition.calls?.(state, knobs);
  return {
    key: JSON.stringify(state),
    ...(distance !== undefined && { distance }),
    ...(milestones && { milestones }),
    ...(compared && { compared }),
    ...(calls && { calls }),
  };
}

/** The environment for a model: in words for a pretrained one, and with a limit on turns that call tools. */
export function environmentFor(
  definition: AnyEnvironment,
  codec: Codec | undefined,
  maxToolCallingIterations?: number,
): AnyEnvironment {
  const played = asksInWords(codec) ? (definition.inWords?.(codec?.chatTemplate) ?? definition) : definition;
  if (played.toolNames === undefined || maxToolCallingIterations === undefined) return played;
  return {
    ...played,
    turnLimits: (knobs) => {
      const limits = played.turnLimits(knobs);
      return { ...limits, maxTurns: Math.min(limits.maxTurns, maxToolCallingIterations + 1) };
    },
  };
}

/** @param name  keys the random draws, together with problem, stream and turn */
export function bindEnvironment(definition: AnyEnvironment, name: string, knobs: Knobs): BoundEnvironment {
  const { maxTurns } = definition.turnLimits(knobs);
  const chance = ({ key }: TaskItem, stream: string, turn: number): Rng =>
    rngFor(`episode|${name}|${key}|${stream}|${turn}`);
  return {
    knows: STATE_FACTS.filter((fact) => definition[fact] !== undefined),
    start: (item, stream) => {
      const state = definition.start(item.identity, knobs, chance(item, stream, -1));
      return { state, turn: 0, illegal: 0 };
    },
    step(item, before, action, stream, { finishReason, guarded, wantsStates }) {
      const taken = (): EnvironmentStep<Json> & { readonly denied?: true } => {
        // An action cut by the turn's token limit was not intended.
        if (finishReason === 'length')
          return { state: before.state, illegal: true, observation: '', verdict: truncated() };
        const denied = guarded ? definition.guard?.(before.state, action, knobs) : undefined;
        if (denied !== undefined) return { state: before.state, observation: denied, denied: true };
        return definition.step(before.state, action, knobs, chance(item, stream, before.turn));
      };
      const step = taken();
      const states = wantsStates && {
        before: knownState(definition, before.state, knobs),
        after: knownState(definition, step.state, knobs),
      };
      return afterTurn({ ...step, ...states }, before, maxTurns);
    },
    act(player, { key }, { state, turn }, stream) {
      const rng = rngFor(`${player}|${name}|${key}|${stream}|${turn}`);
      return player === 'teacher'
        ? teacherAction(definition, state, knobs, rng)
        : definition[player](state, knobs, rng);
    },
  };
}

/** Applies the episode's limits to a step: too many broken rules, or no turn left, end it. */
export function afterTurn(
  { state, ...step }: Omit<EpisodeStep, 'next'> & { readonly state: Json },
  before: EpisodeState,
  maxTurns: number,
): EpisodeStep {
  const turn = before.turn + 1;
  const broken = before.illegal + (step.illegal ? 1 : 0);
  const next: EpisodeState = { state, turn, illegal: broken };
  if (step.verdict !== undefined) return { ...step, next };
  if (broken >= MOST_ILLEGAL) return { ...step, next, verdict: illegal(`${broken} actions broke the rules`) };
  if (turn < maxTurns) return { ...step, next };
  return { ...step, next, verdict: wrongValue(`not won within ${maxTurns} turns`) };
}

/** Share of turns in which the default teacher plays the expert's action. */
const EXPERT_SHARE = 0.7;

/** The action of a warm start's teacher, who errs often enough to leave something to discover. */
export function teacherAction(definition: AnyEnvironment, state: Json, knobs: Knobs, rng: Rng): string {
  if (definition.teacher !== undefined) return definition.teacher(state, knobs, rng);
  return rng.float() < EXPERT_SHARE ? definition.expert(state, knobs, rng) : definition.random(state, knobs, rng);
}

/** Plays an episode to its end. @param choose  the action for a state; undefined: there is none, and the episode is lost */
export function playEpisode(
  environment: Pick<BoundEnvironment, 'start' | 'step'>,
  item: TaskItem,
  stream: string,
  choose: (state: Json, turn: number) => string | undefined,
): PlayedEpisode {
  const turns: PlayedTurn[] = [];
  let reward = 0;
  let at = environment.start(item, stream);
  for (;;) {
    const action = choose(at.state, at.turn);
    if (action === undefined) return { turns, verdict: wrongValue('the episode was not played to its end'), reward };
    const step = environment.step(item, at, action, stream, { finishReason: 'eos' });
    turns.push({ from: POLICY_TURN, text: action });
    reward += step.reward ?? 0;
    if (step.verdict !== undefined) return { turns, verdict: step.verdict, reward };
    turns.push({ from: step.from ?? ENVIRONMENT_TURN, text: step.observation ?? '' });
    at = step.next;
  }
}

/**
 * An episode of the warm start's teacher, whose errors are marked.
 *
 * @param rng  the teacher's; the expert for comparison draws from a fork of it
 */
export function teachersEpisode(
  definition: AnyEnvironment,
  knobs: Knobs,
  bound: BoundEnvironment,
  { item, stream, rng }: { readonly item: TaskItem; readonly stream: string; readonly rng: Rng },
): PlayedEpisode {
  const errors: boolean[] = [];
  const { turns, ...played } = playEpisode(bound, item, stream, (state, turn) => {
    const action = teacherAction(definition, state, knobs, rng);
    errors[turn] = action !== definition.expert(state, knobs, rng.fork(`expert ${turn}`));
    return action;
  });
  // Turns of the policy and answers take turns.
  return {
    ...played,
    turns: turns.map((turn, at) => (at % 2 === 0 && errors[at / 2] ? { ...turn, errs: true } : turn)),
  };
}

/** The actions of an episode, one per line: the form of answers for the task's oracle and verifier. */
export function actionsOf({ turns }: Pick<PlayedEpisode, 'turns'>): string {
  return turns.flatMap(({ from, text }) => (from === POLICY_TURN ? [text] : [])).join('\n');
}
