/** Environments: each keeps the rules that `tasks check` knows, and its problems stay those of their digests. */
import { describe, expect, it } from 'vitest';
import { checkTask, findingText, registeredTasks } from '../../../src/data/index.ts';
import { budget } from '../../support/budget.ts';
import { digestsOf } from '../../support/task_digests.ts';
import { GAMES } from '../second_checkers/games.ts';
import { TOOLS } from '../second_checkers/tools.ts';

const CHECKERS = { ...GAMES, ...TOOLS };

/** Of each level: one that changes means other problems; raise the version, then write what the failure shows here. */
const DIGESTS: Readonly<Record<string, readonly string[]>> = {
  guess_number: ['c5eaa8af', '64b7859a', '2225cbae', 'a209ea76'],
  frozen_lake: ['44c5714d', '37d3c173', '2a07b36b', 'f1fa3fe7'],
  fsm_site: ['04960980', '831d0ada', '2ade8be0', '26ab378a'],
  form_state: ['6d1c2c9d', '77c5a60d', '79e70475', '2eed0fda'],
  tic_tac_toe: ['9397e618', 'd66fc69a', 'fb9b8553', '34d31f89'],
  blackjack: ['486ae6f1', 'eedcae4f', 'ac85bbb5'],
  calculator: ['11ac2e43', 'e0f9b86e', '17d18dd4', '91faf1a1'],
  retry: ['fba08ce6', '5051514d', '93bbb0cf'],
  lookup: ['09ba7317', '956d78a4', '41811dd9', 'ef2d2385'],
  mini_search: ['ce0eded9', 'b1a30b2e', '365f6548', 'b1d3a010'],
  state_db: ['f7a5ef35', '3ca60fb1', 'bdeccf7a', '937bb395'],
  mastermind: ['57ce9539', 'e9fe1059', 'f25deda2', 'e986f7fb'],
  hangman: ['f7d8c8b4', 'f4da7ec1', '804a6879', '59f67415'],
  kuhn_poker: ['7731d091', '878e5570', 'b6b0b24f'],
  nim: ['691812f6', '62930a13', 'e97b47c9', '6d73aa26'],
  wordle: ['cb4c3f6b', '40bdd8fc', '8f241955', '2294a7f3'],
  sokoban: ['8185e852', '2430c282', '8b2e1691', '4b425c4b'],
  minesweeper: ['6c949d9e', '90cb85c9', '9e12722c', '8f1519fb'],
};

/** Without those whose answers are run: tried.test.ts has them. */
const environments: string[] = [];
for (const [name, { card, load }] of Object.entries(registeredTasks)) {
  if (card.sandbox !== undefined) continue;
  if ((await load()).environment !== undefined) environments.push(name);
}

it('every environment has its digests', () => {
  expect(Object.keys(DIGESTS).sort()).toEqual(environments.sort());
});

describe.each(environments)('%s', (name) => {
  it('keeps the rules of an environment', async () => {
    const definition = await registeredTasks[name].load();
    const { findings, settings } = checkTask(definition, {
      items: budget({ quick: 4, all: 6, release: 30 }),
      ...(Object.hasOwn(CHECKERS, name) && { second: CHECKERS[name] }),
    });
    expect(findings.map(findingText)).toEqual([]);
    expect(settings.length).toBeGreaterThan(1);
  }, 120_000);

  it('draws the same problems as ever', async () => {
    expect(await digestsOf(name)).toEqual(DIGESTS[name]);
  });
});
