/** Environments: each keeps the rules that `tasks check` knows, and its problems stay those of their digests. */
import { describe, expect, it } from 'vitest';
import { budget, fewOf } from '../../../../../test/support/budget.ts';
import { registeredTasks } from '../../../../../test/support/everything.ts';
import { settingsOf } from '../../../data/check/check_task.ts';
import { ShownProblems } from '../../../data/check/shown.ts';
import { bindTask, checkTask, findingText } from '../../../data/index.ts';
import { digestsOf } from '../../support/task_digests.ts';
import { GAMES } from '../second_checkers/games.ts';
import { TOOLS } from '../second_checkers/tools.ts';

const CHECKERS = { ...GAMES, ...TOOLS };

/** Of each level: one that changes means other problems; raise the version, then write what the failure shows here. */
const DIGESTS: Readonly<Record<string, readonly string[]>> = {
  guess_number: ['f1e08018', 'b9acabea', 'b8f2ac33', 'b4deb8a4'],
  frozen_lake: ['b605e33e', 'a194ab7a', '5d080798', '20b0dbdd'],
  fsm_site: ['6162ad93', '9fd95e60', 'ced2be70', '71479e30'],
  form_state: ['22a3020f', '886a363d', '694029bf', '00fd7044'],
  tic_tac_toe: ['26741823', '5d58b23e', '80ab283a', '122c3850'],
  blackjack: ['6a34f566', 'dd323c39', '4e98df17'],
  calculator: ['d192484a', '30d1f795', '0bb33a87', 'c2894854'],
  retry: ['3388b359', 'd6bc1c28', '5c1b0602'],
  lookup: ['15005c84', 'e5b4b4d4', 'f4cf2306'],
  mini_search: ['dbb2a5f7', 'bf1fe8e1', 'd3dfd4a4'],
  state_db: ['d5350f1c', '10fd9a7d', '5ffdb62d', '7f788703'],
  mastermind: ['f1f75be5', '33a25b33', 'fe93dd04', '53fb9ae1'],
  hangman: ['5d9d07bc', '7b70f444', 'd5b37ec9', '843520a7'],
  kuhn_poker: ['b17dcafe', 'de956b59', 'a3f4dacf'],
  nim: ['4fac017f', 'aba11691', '7c923250', '9b6abff1'],
  wordle: ['28a587b0', 'abf3f9c8', '455ec98a', 'b56b7f70'],
  sokoban: ['d7825c35', 'b4e829c5', '03f701db', '67f0c239'],
  minesweeper: ['1448ad2f', 'df591e50', '74926de4', '72814152'],
};

/** Without those whose answers are run: tried.long.test.ts has them. */
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
      settings: fewOf(settingsOf(definition), { quick: 2, all: 2 }),
      items: budget({ quick: 3, all: 4, release: 30 }),
      ...(Object.hasOwn(CHECKERS, name) && { second: CHECKERS[name] }),
    });
    expect(findings.map(findingText)).toEqual([]);
    expect(settings.length).toBeGreaterThan(1);
  }, 120_000);

  it('trains on no problem that shows what a held-out one shows', async () => {
    const definition = await registeredTasks[name].load();
    for (const [level] of definition.levels.entries()) {
      const task = bindTask(definition, { level }, { heldOutSample: 32 });
      const shown = new ShownProblems(definition, task.knobs, task.heldOutItems().slice(0, 32));
      expect(shown.doubled()).toEqual([]);
      const alike = Array.from({ length: 100 }, (_, index) => task.trainItem(1, index)).filter((item) =>
        shown.like(item),
      );
      expect(alike.map(({ key }) => key)).toEqual([]);
    }
  }, 120_000);

  it('draws the same problems as ever', async () => {
    expect(await digestsOf(name)).toEqual(DIGESTS[name]);
  });
});
