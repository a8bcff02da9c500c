/**
 * The policy is asked for this by a word, so that its turns in an episode stay as they are. Only what is known to be
 * worse is shown: an action that breaks the rules, loses, or leads less near to won. After the self-reflection of
 * arXiv:2510.08558, whose rationales a language model writes; here they are the outcomes themselves.
 */
import type { EpisodeState, EpisodeStep } from '../../../../src/data/environment.ts';
import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import type { DemonstrationMethod, DemonstrationSource, PlayedOnce, PlayedProblem } from '../kit.ts';
import { integer, keys, method, number } from '../kit.ts';
import { LabelledTokens } from '../support/rollouts/labelled_tokens.ts';
import { words } from '../uses/words.ts';

const [REFLECT, LEADS, LOST, BETTER] = ['<reflect>', '<leads>', '<lost>', '<better>'];

/** Draws of a player at random for each action that is wanted. */
const DRAWS = 4;

export const reflectionSft: DemonstrationMethod = method({
  id: 'reflection-sft',
  about: {
    does: 'Shows worse actions with what they lead to before what an expert does.',
    names: ['self-reflection', 'Early Experience'],
    formula:
      '−mean_t log π over o¹ … o^K and a*: the outcomes of K worse actions, and that of the expert, after the turns up to a state of his, <reflect> and each worse action',
    source: '2510.08558',
    certainty: 'after the paper',
    when: 'Before reinforcement in an environment whose expert can be played; needs room for several outcomes in a prompt.',
  },
  options: keys({
    reflectedShare: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Share of the problems that are shown so, the others as their task demonstrates them.'),
    worseActions: integer({ min: 1, max: 16, example: 2 }).default(2).describe('Worse actions before the better one.'),
  }),
  uses: () => [
    severalTurns,
    words({
      [REFLECT]: 'Other actions first, and what they lead to: ',
      [LEADS]: ' leads to ',
      [LOST]: 'a loss',
      [BETTER]: '. Better: ',
    }),
  ],
  create: ({ reflectedShare, worseActions }): DemonstrationSource => ({
    show(problem) {
      if (problem.rng.float() >= reflectedShare) return undefined;
      const once = problem.episode(0);
      const states = expertStates(problem, once);
      const { at, before } = states[problem.rng.int(0, states.length - 1)];
      const best = once.act('expert', at);
      const worse = worseThan(once.step(at, best), once, at, worseActions);
      // As many as there is room for.
      for (let count = worse.length; count > 0; count--) {
        const text = reflection(problem, before, worse.slice(0, count), best);
        if (text.length <= problem.mostTokens) return text.after(problem.prompt);
      }
      return undefined;
    },
  }),
});

/** A state on the way of an expert, with what was written before it. */
interface OnTheWay {
  readonly at: EpisodeState;
  readonly before: readonly number[];
}

function expertStates({ action, answer }: PlayedProblem, { start, act, step }: PlayedOnce): OnTheWay[] {
  const states: OnTheWay[] = [];
  const written: number[] = [];
  for (let at = start(); ; ) {
    states.push({ at, before: written.slice() });
    const chosen = act('expert', at);
    const led = step(at, chosen);
    if (led.verdict !== undefined) return states;
    written.push(...action(chosen), ...answer(led));
    at = led.next;
  }
}

/** An action, and what it leads to. */
interface Tried {
  readonly action: string;
  readonly led: EpisodeStep;
}

/** Different actions of a player at random that are worse than one that leads to `best`. */
function worseThan(best: EpisodeStep, { act, step }: PlayedOnce, at: EpisodeState, most: number): Tried[] {
  const found = new Map<string, EpisodeStep>();
  for (let draw = 0; draw < DRAWS * most && found.size < most; draw++) {
    const action = act('random', at, draw);
    const led = step(at, action);
    if (isWorse(led, best)) found.set(action, led);
  }
  return [...found].map(([action, led]) => ({ action, led }));
}

function isWorse(led: EpisodeStep, best: EpisodeStep): boolean {
  if (led.verdict !== undefined) return (led.verdict.score ?? 0) < (best.verdict?.score ?? 1);
  if (led.illegal) return true;
  const near = best.verdict?.score ?? best.potential;
  return led.potential !== undefined && near !== undefined && led.potential < near;
}

function reflection(
  { tokensOf, word, action }: PlayedProblem,
  before: readonly number[],
  worse: readonly Tried[],
  best: string,
): LabelledTokens {
  const text = new LabelledTokens().add(before, TOKEN.given).add(word(REFLECT), TOKEN.given);
  for (const { action: other, led } of worse) {
    text.add(tokensOf(other), TOKEN.given).add(word(LEADS), TOKEN.given);
    text.add(led.verdict === undefined ? tokensOf(led.observation ?? '') : word(LOST), TOKEN.reference);
  }
  return text.add(word(BETTER), TOKEN.given).add(action(best), TOKEN.reference);
}
