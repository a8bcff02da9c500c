import { command } from '../../../src/cli/flags/command.ts';
import { required, text } from '../../../src/cli/flags/flag.ts';

export const DATA_ROUTE = command({
  name: 'route',
  does: 'completions of a run as data: right ones, pairs of best and worst, problems solved sometimes',
  words: [{ syntax: '<run>', text: 'the directory of a run' }],
  flags: {
    output: required(text('<directory>', 'gets sft.jsonl, pairs.jsonl and prompts.jsonl (required)', { letter: 'o' })),
  },
  run: async ([path], { output }) => (await import('../actions/data_route.ts')).routeCompletions(path, output),
});
