/** `rlvr-train show NAME`: all that is known of a thing that has a name. */

import { command } from '../../../src/cli/flags/command.ts';
import { toggle } from '../../../src/cli/flags/flag.ts';

export const SHOW = command({
  name: 'show',
  does: 'all about a task, reward, method, key, metric, published system or shipped config, by its name',
  usage: 'NAME... [--json]',
  words: [{ syntax: '<name...>', text: 'as a config or a log spells it: countdown, cispo, epsilon_high, reward_std' }],
  flags: { json: toggle('print it as JSON') },
  examples: [
    { words: 'show countdown', does: 'a task and its knobs, and the config of that name' },
    { words: 'show cispo', does: 'a method: formula, source, options, what it reached' },
  ],
  run: async (names, flags) => (await import('../actions/show.ts')).showCommand(names, flags),
});
