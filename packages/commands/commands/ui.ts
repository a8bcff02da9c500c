import { command } from '../../../src/cli/flags/command.ts';
import { integer } from '../../../src/cli/flags/flag.ts';

export const UI = command({
  name: 'ui',
  does: 'the runs of a folder as pages in a browser: watch, compare, pause, evaluate, stop',
  usage: '[folder] [--port <number>]',
  words: [{ syntax: '[folder]', text: 'where they lie, or one of them (default: runs)' }],
  flags: { port: integer('<number>', 'port on 127.0.0.1', { min: 1, max: 65_535, otherwise: 'one that is free' }) },
  examples: [
    { words: 'ui', does: 'the runs as pages in a browser (docs/ui.md)' },
    { words: 'ui runs/countdown --port 8080', does: 'one run, at a port of your choice' },
  ],
  run: async ([folder], flags) => (await import('../actions/ui.ts')).uiCommand(folder, flags),
});
