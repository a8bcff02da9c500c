/** The rules of a task that is played in turns: its environment is pure, total, within its limits, and won by an expert alone. */
import { mostEpisodeTokens } from '../../../../src/data/environment.ts';
import {
  type AnyEnvironment,
  actionsOf,
  bindEnvironment,
  playEpisode,
  teacherAction,
} from '../../../../src/data/play.ts';
import type { TaskItem } from '../../../../src/data/problem.ts';
import { type Rng, rngFor } from '../../../../src/kernels/philox.ts';
import type { Json } from '../../../../src/options/json.ts';
import { checkKnownStates } from './known_states.ts';
import { JUNK } from './probes.ts';
import type { Setting } from './setting.ts';

/** Problems that are played: each by an expert, a teacher, at random and by junk. */
const MOST_ITEMS = 100;
/** How many standard deviations the random player's share of won episodes may lie above `chance`. */
const DEVIATIONS = 4;

type Player = (state: Json, rng: Rng) => string;

/** Plays problems of a setting, and reports every rule that an episode breaks. */
export function playsByItsRules(
  setting: Setting,
  definition: AnyEnvironment,
): { readonly expert: number; readonly random: number } {
  const { knobs } = setting;
  const players: Readonly<Record<'expert' | 'teacher' | 'random', Player>> = {
    expert: (state, rng) => definition.expert(state, knobs, rng),
    teacher: (state, rng) => teacherAction(definition, state, knobs, rng),
    random: (state, rng) => definition.random(state, knobs, rng),
  };
  const items = setting.items.slice(0, MOST_ITEMS);
  const won = { expert: 0, teacher: 0, random: 0 };
  for (const [name, player] of Object.entries(players) as [keyof typeof won, Player][]) {
    const isExpert = name === 'expert';
    for (const [index, item] of items.entries())
      won[name] += playedScore(setting, definition, item, index, player, isExpert);
  }
  withJunk(setting, definition, items.slice(0, 4));
  const shares = { expert: won.expert / items.length, random: won.random / items.length };
  if (!definition.chanceDecides?.(knobs) && shares.expert < 1) {
    setting.report(
      'expert',
      `the expert wins ${percent(shares.expert)} of the episodes; say chanceDecides where that is as it should be`,
    );
  }
  const { chance } = setting.task;
  const spread = Math.sqrt((chance * (1 - chance)) / items.length) + 1e-9;
  if (shares.random > chance + DEVIATIONS * spread) {
    setting.report('chance', `a random player wins ${percent(shares.random)}, more than chance(), ${percent(chance)}`);
  }
  return shares;
}

/** An episode, twice, with every step looked at. @returns 1 where it was won */
function playedScore(
  setting: Setting,
  definition: AnyEnvironment,
  item: TaskItem,
  index: number,
  player: Player,
  isExpert: boolean,
): number {
  const { knobs, tasks } = setting;
  const { actionTokens, observationTokens, maxTurns } = definition.turnLimits(knobs);
  const watched: AnyEnvironment = {
    ...definition,
    step(state, action, ...rest) {
      const before = JSON.stringify(state);
      const step = definition.step(state, action, ...rest);
      if (JSON.stringify(state) !== before) report('step() changes the state that it is given', action);
      if (JSON.stringify(JSON.parse(JSON.stringify(step.state))) !== JSON.stringify(step.state)) {
        report('step() gives a state that is no plain JSON', action);
      }
      for (const [name, value] of [
        ['reward', step.reward],
        ['potential', step.potential],
      ] as const) {
        if (value !== undefined && !Number.isFinite(value)) report(`step() gives ${value} as ${name}`, action);
      }
      const { potential = 0 } = step;
      if (potential < 0 || potential > 1)
        report(`step() gives a potential of ${potential}; it lies from 0 to 1`, action);
      checkKnown(state, action, step);
      if (step.verdict === undefined && !fits(step.observation ?? '', observationTokens)) {
        report(
          `step() says ${JSON.stringify(step.observation)}, and turnLimits() has room for ${observationTokens} tokens`,
          action,
        );
      }
      return step;
    },
  };
  const fits = (text: string, most: number): boolean => {
    try {
      return tasks.codec.encode(text).length <= most;
    } catch {
      return false; // it cannot be written
    }
  };
  const report = (what: string, answer?: string): void =>
    setting.report('environment', what, { prompt: item.prompt, answer });
  const known = { isExpert, fits: (text: string) => fits(text, observationTokens) };
  const checkKnown = checkKnownStates(definition, knobs, known, report);
  const play = (environment: AnyEnvironment) => {
    const rng = rngFor(`check|${index}`);
    const bound = bindEnvironment(environment, setting.task.name, knobs);
    return playEpisode(bound, item, String(index), (state) => player(state, rng));
  };
  const played = play(watched);
  if (JSON.stringify(play(definition)) !== JSON.stringify(played))
    report('the same actions lead elsewhere when they are played again');
  for (const { from, text } of played.turns) {
    if (from === 'policy' && !fits(text, actionTokens - 1)) {
      report(`an action, and turnLimits() has room for ${actionTokens - 1} tokens and its end`, text);
    }
  }
  const isWon = played.verdict.score === 1;
  const second = setting.secondly(item, actionsOf(played), played.turns);
  if (second !== undefined && second !== isWon) {
    setting.report(
      'second checker',
      `it says ${second ? 'won' : 'not won'}, and the environment ${isWon ? 'won' : 'not won'}`,
      {
        prompt: item.prompt,
        answer: actionsOf(played),
      },
    );
  }
  if (actionsOf(played).split('\n').length > maxTurns) report(`an episode of more than ${maxTurns} turns`);
  if (tasks.maxCompletionTokens < mostEpisodeTokens({ actionTokens, observationTokens, maxTurns })) {
    report('limits() has less room than the turns of turnLimits() take');
  }
  return isWon ? 1 : 0;
}

/** Any text is an action: it throws nothing, is answered in the vocabulary, and wins nothing. */
function withJunk(setting: Setting, definition: AnyEnvironment, items: readonly TaskItem[]): void {
  const { knobs } = setting;
  const bound = bindEnvironment(definition, setting.task.name, knobs);
  for (const item of items) {
    for (const junk of [...JUNK, item.prompt]) {
      try {
        const { verdict } = playEpisode(bound, item, 'junk', () => junk);
        if (verdict.score === 1)
          setting.report('junk', 'what is no action wins', { prompt: item.prompt, answer: junk, verdict });
      } catch (error) {
        setting.report('total', `step threw ${String(error)}`, { prompt: item.prompt, answer: junk.slice(0, 80) });
      }
    }
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
