import { command } from '../../../src/cli/flags/command.ts';
import { integer, withDefault } from '../../../src/cli/flags/flag.ts';
import { HOST, KEY, PORT } from './shared_flags.ts';
import { KNOBS } from './tasks.ts';

const SERVE = command({
  name: 'serve',
  does: 'be an OpenEnv server of tasks, for trainers of others: TRL, verl, unsloth',
  words: [{ syntax: '<task...>', text: 'tasks, or files of yours such as ./tasks/mine.ts' }],
  flags: {
    ...KNOBS,
    port: PORT,
    host: HOST,
    key: KEY,
    sessions: withDefault(integer('<number>', 'episodes that are played at once', { min: 1, max: 4096 }), 64),
  },
  run: async (names, flags) => (await import('../actions/env.ts')).serveTasks(names, flags),
});

export const ENV = command({
  name: 'env',
  does: 'the tasks as environments for trainers of others, over OpenEnv',
  usage: 'serve TASK... [options]',
  inner: [SERVE],
  examples: [
    { words: 'env serve gcd', does: 'at http://127.0.0.1:8000, for this machine alone' },
    { words: 'env serve wordle calculator --level 1 --port 0', does: 'two, at a port that is free' },
  ],
});
