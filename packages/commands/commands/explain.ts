/**
 * `rlvr-train explain NAME`: what a key of a config, an option, a metric, a method, a reward or a task is, and where it is
 * written; of a published system, what runs it here.
 */

import { command } from '../../../src/cli/flags/command.ts';
import { toggle } from '../../../src/cli/flags/flag.ts';

export const EXPLAIN = command({
  name: 'explain',
  does: 'what a key of a config, an option, a metric, a method or a published system is, and where it is written',
  usage: '<name...>',
  words: [
    {
      syntax: '<name...>',
      text: 'keys as the YAML spells them, metrics as the log does, papers by name or number: epsilon_high, kl, DAPO, 2504.16084',
    },
  ],
  flags: { json: toggle('print it as JSON') },
  examples: [
    { words: 'explain epsilon_high', does: 'what a key is, what it takes, where it is written' },
    { words: 'explain Pref-GRPO', does: 'what a paper proposes, and the lines of a config that run it' },
  ],
  run: async (names, flags) => (await import('../actions/explain.ts')).explainCommand(names, flags),
});
