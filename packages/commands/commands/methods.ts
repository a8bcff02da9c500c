/** `rlvr-train methods`: what a step can be made of, a line each, all that is known of one, and the check of one of the user's. */

import { command } from '../../../src/cli/flags/command.ts';
import { text, toggle, withDefault } from '../../../src/cli/flags/flag.ts';

export const METHODS = command({
  name: 'methods',
  does: 'what a grpo stage is made of, and the check of a method of yours',
  usage: 'ls [words] | show <id> | check <file or id>',
  inner: [
    command({
      name: 'ls',
      isDefault: true,
      does: 'ten to begin with, with what was measured of them, and the names of all others in twelve families',
      words: [
        {
          syntax: '[words...]',
          text: 'points, or words that a method must have: its id, what it does, its paper, its options',
        },
      ],
      flags: {
        all: toggle('a line for each, by the point of a step at which it acts'),
        for: text('<diagnosis>', 'only those made against it, e.g. entropy-collapse'),
        json: toggle('print all of them as JSON'),
      },
      run: async (words, flags) => (await import('../actions/methods.ts')).listMethods(words, flags),
    }),
    command({
      name: 'show',
      does: 'formula, source, options, what it says of others, and the YAML to copy',
      words: [{ syntax: '<id...>' }],
      flags: { json: toggle('print it as JSON') },
      run: async (words, flags) => (await import('../actions/methods.ts')).showMethods(words, flags),
    }),
    command({
      name: 'check',
      does: 'try a method in a few steps of a small policy: what it gives, for null and equal rewards too, whether it always gives the same, its derivatives, its time; exit status 1 where no run can be trained with it',
      words: [
        {
          syntax: '<method>',
          text: "a file, or an entry of a config: ./methods/mine.ts, '{name: ./methods/mine.ts, scale: 2}'",
        },
      ],
      flags: {
        task: withDefault(
          text('<task>', "whose problems are answered, as in a config: ./tasks/mine.ts, '{name: gcd, max: 30}'"),
          'chain_sum',
        ),
        json: toggle('print what was found as JSON'),
      },
      run: async ([entry], flags) => (await import('../own_files/check_method.ts')).checkMethodCommand(entry, flags),
    }),
  ],
  examples: [
    { words: 'methods show cispo', does: 'formula, source, options' },
    { words: 'methods check ./methods/mine.ts', does: 'try a method of yours' },
    {
      words: 'methods ls',
      does: 'ten to begin with, and all others by family',
    },
  ],
});
