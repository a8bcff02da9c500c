import { command } from '../../../src/cli/flags/command.ts';
import { choice, integer, text, toggle, withDefault } from '../../../src/cli/flags/flag.ts';
import { KEPT_MOMENTS } from '../../../src/run/logs/kept_moments.ts';

export const COMPARE = command({
  name: 'compare',
  does: 'compare trained runs problem by problem, with intervals',
  usage: '<run> <run...> [options]',
  words: [
    {
      syntax: '<run...>',
      text:
        'run directories; several runs of one method are joined by commas: runs/a-seed0,runs/a-seed1; ' +
        'runs/a@baseline is another evaluation of it than --at',
    },
  ],
  flags: {
    at: withDefault(choice('<evaluation>', 'which evaluation of each', KEPT_MOMENTS), 'final'),
    show: withDefault(integer('<number>', 'problems gained and lost that are shown', { min: 0, max: 10_000 }), 3),
    output: text('<file>', 'write one HTML page of it, complete in itself', { letter: 'o' }),
    mixture: toggle('fit a quadratic of task_weights to what the runs reached, and print its best mixture'),
    json: toggle('print everything as JSON'),
  },
  examples: [
    { words: 'compare runs/a runs/b', does: 'what b does better than a, with 95 % intervals' },
    {
      words: 'compare runs/a@baseline runs/a',
      does: 'what training changed: whether it solves more, or the same more often',
    },
    { words: 'compare runs/a runs/b -o compare.html', does: 'the same as one HTML page, too' },
  ],
  run: async (words, flags) => (await import('../actions/compare.ts')).compareCommand(words, flags),
});
