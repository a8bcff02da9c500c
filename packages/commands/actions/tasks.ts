/** `rlvr-train tasks`: the tasks there are, problems of one with verdicts, and the check that every task passes. */

import { colors } from '../../../src/cli/display/colors.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { commandName } from '../../../src/command_name.ts';
import { catalogue } from '../../zoo/catalogue/whole_catalogue.ts';

export function listTasks({ json = false }: { readonly json?: boolean }): void {
  const { tasks: cards } = catalogue();
  if (json) {
    const facts = cards.map(({ name, does, category, tier, levels, example }) => ({
      name,
      does,
      category,
      tier,
      levels: levels.length,
      example,
    }));
    printJson(JSON.stringify(facts));
    return;
  }
  const width = Math.max(...cards.map(({ name }) => name.length));
  const categories = [...new Set(cards.map(({ category }) => category))].sort();
  for (const category of categories) {
    print(colors.bold(category));
    for (const { name, does, tier, levels } of cards.filter((card) => card.category === category)) {
      const facts = levels.length === 0 ? `tier ${tier}` : `tier ${tier}, levels 0 to ${levels.length - 1}`;
      print(`  ${name.padEnd(width)}  ${does} ${colors.dim(facts)}`);
    }
  }
  print(colors.dim(`problems of one, with verdicts: ${commandName()} tasks show NAME --level 1`));
}
