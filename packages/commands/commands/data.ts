import { command } from '../../../src/cli/flags/command.ts';
import { integer, list, text, toggle } from '../../../src/cli/flags/flag.ts';
import { DATA_ROUTE } from './data_route.ts';
import { TRUST } from './shared_flags.ts';

export const DATA = command({
  name: 'data',
  does: 'problems of a config, or rows of a file of yours, as the model will see them',
  usage: 'show [file] | route <run> -o <directory>',
  inner: [
    command({
      name: 'show',
      isDefault: true,
      does: 'prompts with their template and tokens, right answers, and what a supervised stage shows',
      words: [{ syntax: '[file]', text: 'rows of yours (.jsonl, .csv, .parquet); default: what the config asks' }],
      flags: {
        config: text('<file>', 'YAML config, or the name of a shipped one', {
          letter: 'c',
          otherwise: 'the main job, countdown; a file of rows needs none',
        }),
        set: list('<key=value>', 'override a key of the config, e.g. task.prompt=question'),
        count: integer('<number>', 'problems', { min: 1, max: 1000, letter: 'n', otherwise: '3' }),
        trust: TRUST,
        tokens: toggle('each token of prompt and demonstration as well, + where it has a loss in a supervised stage'),
        json: toggle('one JSON object per problem'),
      },
      run: async ([file], flags) => (await import('../actions/data.ts')).showData(file, flags),
    }),
    DATA_ROUTE,
  ],
  examples: [
    { words: 'data show mine.csv --set task.prompt=question', does: 'rows of a file' },
    { words: 'data show --config mine.yaml -n 5', does: "what a config asks, with its model's template" },
    { words: 'data show --config mine.yaml --tokens', does: 'the same, token by token, with what has a loss' },
    { words: 'data route runs/mine -o routed', does: 'right answers, preferences and prompts of a run' },
  ],
});
