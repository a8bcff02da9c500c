/** `rlvr-train list [NAME]`: the tasks with their knobs, the rewards and methods with their options. */

import { command } from '../../../src/cli/flags/command.ts';
import { toggle } from '../../../src/cli/flags/flag.ts';

export const LIST = command({
  name: 'list',
  isAlias: true,
  does: 'the tasks with their knobs, the rewards and methods with their options',
  usage: '[tasks | rewards | methods | <name>]',
  words: [{ syntax: '[name]', text: 'a group, a point of methods, or one task, reward or method; default: all names' }],
  flags: {
    json: toggle('print them as JSON'),
    markdown: toggle('print all of them as docs/reference/catalogue.md has them'),
  },
  examples: [{ words: 'list', does: 'tasks, rewards and methods, with their options' }],
  run: async ([name], flags) => (await import('../actions/list.ts')).listCommand(name, flags),
});
