import { command } from '../../../src/cli/flags/command.ts';
import { toggle } from '../../../src/cli/flags/flag.ts';

export const RUNS = command({
  name: 'runs',
  does: 'the runs there are, newest first',
  usage: 'ls [directory]',
  inner: [
    command({
      name: 'ls',
      isDefault: true,
      does: 'state, steps, accuracy, size of each, and in which keys they differ',
      words: [{ syntax: '[directory]', text: 'where they lie (default: runs)' }],
      flags: { json: toggle('print them as JSON') },
      run: async ([directory], flags) => (await import('../actions/runs.ts')).listRuns(directory, flags),
    }),
  ],
  examples: [
    { words: 'runs ls', does: 'the runs there are: state, steps, accuracy, what differs' },
    { words: 'runs ls runs --json', does: 'the same of a folder, for a program' },
  ],
});
