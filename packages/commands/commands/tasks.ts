import { command } from '../../../src/cli/flags/command.ts';
import { choice, integer, list, required, text, toggle } from '../../../src/cli/flags/flag.ts';
import { ConfigError } from '../../../src/errors.ts';

const NAME = { syntax: '<name>', text: 'a task, or a file of yours such as ./tasks/mine.ts' };
/** A preset, further knobs, and which problems. */
export const KNOBS = {
  level: integer('<number>', 'preset of its knobs', { min: 0 }),
  style: text('<style>', 'compact or plain'),
  set: list('<knob=value>', 'a knob and its value, e.g. max=99'),
};
const SEED = integer('<number>', 'seed of the training stream', { min: 0, otherwise: '0' });

export const TASKS = command({
  name: 'tasks',
  does: 'the tasks, problems of one with verdicts, and the check that every task passes',
  usage: 'ls | show|check|export NAME | score NAME --file ROWS',
  inner: [
    command({
      name: 'ls',
      isDefault: true,
      does: 'every task: what it asks, its tier and its levels',
      explainsWords: true,
      flags: { json: toggle('print them as JSON') },
      async run([word], flags) {
        if (word === undefined) return (await import('../actions/tasks.ts')).listTasks(flags);
        const remedy = 'tasks ls lists them, tasks show NAME shows one, tasks check NAME checks it';
        throw new ConfigError('unknown-command', `tasks ${word} — no such command; ${remedy}.`, { word });
      },
    }),
    command({
      name: 'show',
      does: 'problems of a task, a right answer and near misses, each with its verdict',
      words: [NAME],
      flags: {
        ...KNOBS,
        count: integer('<number>', 'problems', { min: 1, max: 1000, letter: 'n', otherwise: '3' }),
        seed: SEED,
        json: toggle('one JSON object per problem'),
      },
      run: async ([name], flags) => (await import('../tasks/show_task.ts')).showTask(name, flags),
    }),
    command({
      name: 'check',
      does: 'try to break a task: its verifier, split, limits and demonstrations; exit status 1 where that succeeds',
      words: [NAME],
      flags: {
        ...KNOBS,
        level: integer('<number>', 'at this preset alone', { min: 0, otherwise: 'at all of them' }),
        style: text('<style>', 'in this style alone: compact or plain'),
        count: integer('<number>', 'problems per setting', {
          min: 1,
          max: 100_000,
          letter: 'n',
          otherwise: '200; 40 where answers are run',
        }),
        attempts: integer('<number>', 'texts that are tried on the verifier per setting', {
          min: 0,
          max: 100_000_000,
          otherwise: '5000; 600 where answers are run',
        }),
        json: toggle('print what was found as JSON'),
      },
      run: async ([name], flags) => (await import('../tasks/check_task.ts')).checkTaskCommand(name, flags),
    }),
    command({
      name: 'export',
      does: 'problems as rows of JSON Lines: prompt, answer, and what a verdict needs',
      words: [NAME],
      flags: {
        ...KNOBS,
        count: integer('<number>', 'problems', { min: 1, max: 1_000_000, letter: 'n', otherwise: '100' }),
        seed: SEED,
        split: choice('<split>', 'of the training stream, or held out', ['train', 'eval']),
      },
      run: async ([name], flags) => (await import('../tasks/task_rows.ts')).exportTask(name, flags),
    }),
    command({
      name: 'score',
      does: 'the verdict of each row of a file, whose rows are those of export with a completion each',
      words: [NAME],
      flags: { file: required(text('<rows>', 'rows of JSON Lines; a row may say finish_reason: length')) },
      run: async ([name], flags) => (await import('../tasks/task_rows.ts')).scoreTask(name, flags),
    }),
  ],
  examples: [
    { words: 'tasks ls', does: 'every task' },
    { words: 'tasks show chain_sum --level 1', does: 'problems of one with verdicts' },
    { words: 'tasks check ./tasks/mine.ts', does: 'try to break one' },
    { words: 'tasks export gcd --count 500 > rows.jsonl', does: 'problems as JSON Lines' },
    { words: 'tasks score gcd --file rows.jsonl', does: 'the verdicts of their `completion`' },
  ],
});
