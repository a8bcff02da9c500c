/** Facts about the states of an episode: `Turn.before` and `Turn.after`. */
import type { StateFact } from '../../data/environment.ts';
import { severalTurns } from './several_turns.ts';
import type { Use } from './use.ts';

const WANTED: Use = { id: 'states', implies: [severalTurns] };

const SAYS: Readonly<Record<StateFact, string>> = {
  distance: 'how many actions a state is from won',
  milestones: 'which milestones a state has reached',
  compared: 'how a state differs from the one that wins',
  guard: 'which actions should not be taken',
  calls: 'which calls of tools are made and which are open',
};

/** Only this table names environments that give a fact, as examples in an error. */
const EXAMPLES: Readonly<Record<StateFact, string>> = {
  distance: 'fsm_site, frozen_lake',
  milestones: 'form_state',
  compared: 'form_state',
  guard: 'frozen_lake',
  calls: 'calculator, lookup',
};

/** Environments that know this fact about their states. */
function knows(fact: StateFact): Use {
  return {
    id: `states-${fact}`,
    says: `an environment that knows ${SAYS[fact]}`,
    implies: [WANTED],
    refuses({ shares, name }) {
      if (shares.some(({ task }) => task.environment?.knows.includes(fact))) return undefined;
      return {
        code: 'no-state-facts',
        rule: `reads ${SAYS[fact]}, and ${name} does not say`,
        remedy: `use ${EXAMPLES[fact]}, an environment of yours with ${fact}(), or another method`,
        facts: { task: name, fact },
      };
    },
  };
}

/** The states of environments. @param fact  the fact that a method needs */
export function states(fact?: StateFact): Use {
  return fact === undefined ? WANTED : knows(fact);
}
