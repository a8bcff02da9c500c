/**
 * Forms of turns that hold more than one action: several actions, or text that is not for the environment. The
 * environment takes the actions one after the other, each as if in its own turn, so the number of actions in an episode
 * and its random draws are the same as turn by turn.
 */
import { type Rng, rngFor } from '../../kernels/philox.ts';
import { withMarks } from '../../text/control_words.ts';
import {
  type DistantEnvironment,
  type Environment,
  type EpisodeStep,
  mostEpisodeTokens,
  type PlayedEpisode,
  type TurnLimits,
} from '../environment.ts';
import type { TaskItem } from '../task.ts';
import { episodeDemonstration } from '../task_environment.ts';
import { delegating, type TaskSet } from '../task_set.ts';
import type { Demonstration } from './dialogue_tokens.ts';

/** How a run encodes texts. */
export interface Writing {
  /** Tokens of a text. */
  lengthOf(text: string): number;
  /** The separator between answers that are read together. */
  readonly joint: string;
}

/** A form in which turns are written and read. */
export interface TurnForm {
  /** Forms of one id are the same. */
  readonly id: string;
  /** Marks that it writes besides actions; a closed vocabulary that lacks one gets a token for it. */
  readonly marks: readonly string[];
  /** Most actions of a turn. */
  readonly mostActions: number;
  /** The actions in a turn, in order, at least one: a turn without marks is an action. Total. */
  read(turn: string): readonly string[];
  /** Most tokens of a turn. @param action  most of an action, with its end */
  turnTokens(action: number, writing: Writing): number;
  /** Writes a teacher's episode in this form. */
  show(episode: PlayedEpisode, rng: Rng, writing: Writing): PlayedEpisode;
}

/**
 * The same tasks with turns in these forms, unless they have them already. @param requestedForms the first is the innermost: it
 * reads what the others leave of a turn
 */
export function withTurnForms(tasks: TaskSet, requestedForms: readonly TurnForm[]): TaskSet {
  const { environment: inner } = tasks;
  const { longest, forms: known = [] } = inner;
  const forms = requestedForms.filter(({ id }) => !known.includes(id));
  if (forms.length === 0 || longest === undefined) return tasks;
  const marks = forms.flatMap((form) => form.marks);
  const codec = withMarks(tasks.codec, marks);
  const writing: Writing = { lengthOf: (text) => codec.encode(text).length, joint: codec.joint ?? '\n' };
  const turnTokens = (action: number): number => forms.reduce((most, form) => form.turnTokens(most, writing), action);
  const actionTokens = turnTokens(longest.actionTokens);
  const environment = inForms(inner, forms, {
    joint: writing.joint,
    longest: { ...longest, actionTokens },
    turnTokens,
  });
  // Every action has one answer, however many a turn has.
  const maxCompletionTokens = Math.max(tasks.maxCompletionTokens, mostEpisodeTokens({ ...longest, actionTokens }));
  const demonstration: TaskSet['demonstration'] = (item, seed, index, learnErrors = true): Demonstration => {
    const share = tasks.shares.find(({ label }) => label === item.task) ?? tasks.shares[0];
    const played = share.task.demonstratedEpisode?.(item, seed, index);
    if (played === undefined) return tasks.demonstration(item, seed, index, learnErrors);
    const episode = forms.reduce((shown, form) => {
      const rng = rngFor(`turn form|${form.id}|${item.key}|${seed}|${index}`);
      return form.show(shown, rng, writing);
    }, played);
    return episodeDemonstration(codec, tasks.promptTokens(item), episode, learnErrors);
  };
  const formed: TaskSet = delegating(tasks, {
    codec,
    environment,
    maxCompletionTokens,
    demonstration,
    demonstrationTokens: (...of) => demonstration(...of).tokens,
    supervised: (stage) => {
      const stageTasks = tasks.supervised(stage);
      return stageTasks === tasks ? formed : delegating(stageTasks, { codec });
    },
  });
  return formed;
}

/** An environment's texts, changed by forms. */
interface Written {
  readonly joint: string;
  readonly longest: TurnLimits;
  turnTokens(action: number): number;
}

function inForms(inner: Environment, forms: readonly TurnForm[], { joint, longest, turnTokens }: Written): Environment {
  const actionsIn = (turn: string): readonly string[] =>
    forms.reduceRight<readonly string[]>(
      (texts, { read, mostActions }) => texts.flatMap((text) => read(text).slice(0, mostActions)),
      [turn],
    );
  return {
    ...inner,
    longest,
    forms: [...(inner.forms ?? []), ...forms.map(({ id }) => id)],
    turnTokens: (item: TaskItem) => (inner.plays(item) ? turnTokens(inner.turnTokens(item)) : inner.turnTokens(item)),
    step(item, before, turn, stream, context) {
      const steps: EpisodeStep[] = [];
      for (const action of context.finishReason === 'length' ? [turn] : actionsIn(turn)) {
        const step = inner.step(item, steps.at(-1)?.next ?? before, action, stream, context);
        steps.push(step);
        if (isLast(step)) break;
      }
      return joined(steps, joint);
    },
    distant: (item) => {
      const distant = inner.distant(item);
      return distant && distantInForms(distant, actionsIn, joint);
    },
  };
}

function distantInForms(
  distant: DistantEnvironment,
  actionsIn: (turn: string) => readonly string[],
  joint: string,
): DistantEnvironment {
  return {
    mostAtOnce: distant.mostAtOnce,
    play(...of) {
      const episode = distant.play(...of);
      return {
        async step(before, turn, context) {
          const steps: EpisodeStep[] = [];
          for (const action of context.finishReason === 'length' ? [turn] : actionsIn(turn)) {
            const step = await episode.step(steps.at(-1)?.next ?? before, action, context);
            steps.push(step);
            if (isLast(step)) break;
          }
          return joined(steps, joint);
        },
        end: () => episode.end(),
      };
    },
    recordIn: (files) => distant.recordIn(files),
    checkpointed: (...of) => distant.checkpointed(...of),
    close: () => distant.close(),
  };
}

/** Whether later actions of the turn are skipped, because they assumed that this one would work. */
function isLast({ verdict, illegal, denied }: EpisodeStep): boolean {
  return verdict !== undefined || illegal === true || denied === true;
}

/** The joint result of a turn's actions. @param steps  at least one */
function joined(steps: readonly EpisodeStep[], joint: string): EpisodeStep {
  const last = steps[steps.length - 1];
  if (steps.length === 1) return last;
  const [{ before }] = steps;
  const rewards = steps.flatMap(({ reward }) => reward ?? []);
  return {
    ...last,
    observation: steps.map(({ observation = '' }) => observation).join(joint),
    actions: steps.length,
    ...(rewards.length > 0 && { reward: rewards.reduce((sum, reward) => sum + reward, 0) }),
    ...(before && { before }),
  };
}
