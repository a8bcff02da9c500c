/**
 * The environment takes the actions one after the other, and stops at one that breaks the rules or ends the episode; the
 * policy then reads all that it was answered. After the hybrid actions of arXiv:2510.17790, whose macros are calls of
 * tools.
 */
import type { PlayedEpisode, PlayedTurn } from '../../../../src/data/environment.ts';
import type { TurnForm } from '../../../../src/data/prompts/turn_forms.ts';
import type { Rng } from '../../../../src/kernels/philox.ts';
import { type GroupStep, integer, keys, meanOf, method, number, text } from '../kit.ts';
import { payTurns, warnUncredited } from '../support/rewards/paid_turns.ts';
import { turnForm } from '../uses/turn_form.ts';

export const macroActions = method({
  id: 'macro-actions',
  about: {
    does: 'Lets a turn be several actions, which are taken one after the other, and charges each turn.',
    names: ['hybrid actions', 'UltraCUA', 'options'],
    formula: 'a turn a¹ mark a² mark … leads where the turns a¹, a², … lead; r_k ← r_k − turn_cost',
    source: '2510.17790',
    certainty: 'after the paper',
    when: 'For episodes of many cheap turns; longer turns are harder to credit.',
  },
  options: keys({
    mostActions: integer({ min: 2, max: 64, example: 3 })
      .default(3)
      .describe('Actions of a turn, at most: what follows them is not taken.'),
    mark: text(';').default(';').describe('What is between two actions of a turn.'),
    turnCost: number({ min: 0, example: 0.02 }).default(0.02).describe('What a turn is charged.'),
    joinedShare: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Share of the actions that the teacher of a warm start writes into the turn before.'),
  }),
  warn: (written, ...stage) => (written.turn_cost === 0 ? undefined : warnUncredited(written, ...stage)),
  note: () => 'a pretrained model does not know that it may write several actions: say so in `system` of its task',
  uses: (options) => [turnForm(macroForm(options))],
  create: (options): GroupStep => {
    const { turnCost } = options;
    const { read, mostActions } = macroForm(options);
    return {
      scope: 'group',
      apply: (groups, { metric }) => {
        const actions: number[] = [];
        const paid = payTurns(groups, (own) => {
          actions.push(...own.map((turn) => Math.min(mostActions, read(turn.text).length)));
          return turnCost === 0 ? undefined : own.map(() => -turnCost);
        });
        if (actions.length > 0) metric('actions', meanOf(actions));
        return paid;
      },
    };
  },
});

interface MacroOptions {
  readonly mostActions: number;
  readonly mark: string;
  readonly joinedShare: number;
}

function macroForm(options: MacroOptions): TurnForm {
  const { mostActions, mark, joinedShare } = options;
  return {
    id: `macro-actions ${mostActions} ${joinedShare} ${mark}`,
    marks: [mark],
    mostActions,
    read: (turn) => (turn.includes(mark) ? turn.split(mark).map((action) => action.trim()) : [turn]),
    turnTokens: (action, { lengthOf }) => mostActions * (action - 1) + (mostActions - 1) * lengthOf(mark) + 1,
    show: (episode, rng, { joint }) => grouped(episode, options, rng, joint),
  };
}

/** Actions that follow each other in one turn, and what they were answered with after it. */
function grouped(
  { turns, ...played }: PlayedEpisode,
  { mostActions, mark, joinedShare }: MacroOptions,
  rng: Rng,
  joint: string,
): PlayedEpisode {
  const groups: { readonly action: PlayedTurn; readonly answer: PlayedTurn | undefined; readonly count: number }[] = [];
  for (let at = 0; at < turns.length; at += 2) {
    const [action, answer] = [turns[at], turns.at(at + 1)];
    const before = groups.at(-1);
    // What follows an action that breaks the rules is not taken, and only errors do.
    const mayJoin = before?.answer !== undefined && before.action.errs === undefined && before.count < mostActions;
    if (!mayJoin || rng.float() >= joinedShare) {
      groups.push({ action, answer, count: 1 });
      continue;
    }
    groups[groups.length - 1] = {
      action: { ...action, text: `${before.action.text}${mark}${action.text}` },
      answer: answer && { ...answer, text: `${before.answer?.text}${joint}${answer.text}` },
      count: before.count + 1,
    };
  }
  return {
    ...played,
    turns: groups.flatMap(({ action, answer }) => (answer === undefined ? [action] : [action, answer])),
  };
}
