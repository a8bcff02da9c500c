/** What `rlvr-train --help` prints: what to type first, and every command in its group, on one screen. */
import { colors } from '../../src/cli/display/colors.ts';
import { commandName } from '../../src/command_name.ts';

/** Commands as they are typed, and what they are for. */
type Row = readonly [typed: string, does: string];

const GROUPS: readonly (readonly [name: string, rows: readonly Row[]])[] = [
  [
    'train',
    [
      ['train [FILE]', 'as a config says; “train” may be left out'],
      ['configs [cp NAME]', 'the shipped configs, and a copy to edit'],
      ['import FILE', 'a config of TRL, verl, axolotl or unsloth'],
      ['fetch NAME', 'a model or a data set of the hub'],
    ],
  ],
  [
    'look',
    [
      ['ui|runs [FOLDER]', 'runs in a browser, or in a table'],
      ['report RUN', 'a run as one HTML page'],
      ['compare RUN RUN', 'which is better, problem by problem'],
      ['advise RUN', 'what ails a run, and what helps against it'],
      ['track RUN', 'send a run to MLflow or Trackio'],
      ['doctor [LOG]', 'this machine, or a log of TRL or verl'],
    ],
  ],
  [
    'ask and use',
    [
      ['sample RUN [PROMPT]', 'ask a trained policy, or a model'],
      ['eval RUN', 'ask it all held-out problems'],
      ['export RUN', 'for llama.cpp, Ollama, transformers, ONNX'],
      ['serve|env|mcp', 'a policy, tasks or tools for programs'],
    ],
  ],
  [
    'make your own',
    [
      ['show NAME', 'a task, reward, method, key or config'],
      ['explain WORD', 'any word of the screen or of a config'],
      ['tasks|rewards|methods', 'lists of them, and the check of yours'],
      ['data [FILE]', 'your rows as the model will see them'],
      ['schema|completion', 'for editors and shells'],
    ],
  ],
  ['many machines', [['fleet|worker', 'other processes sample for a training']]],
];

/** Columns of the name of a group, and of the command. */
const WIDTHS = [15, 23] as const;

export function overview(): string {
  const name = commandName();
  const examples = [
    ['', 'learns Countdown, in 1–2 minutes'],
    [' sort-digits --ui', 'another config, in a browser'],
    [' eval --help', 'a command, with examples'],
  ] as const;
  const width = Math.max(...examples.map(([words]) => name.length + words.length));
  const first = examples.map(([words, does]) => `  ${`${name}${words}`.padEnd(width)}  ${colors.dim(does)}`);
  const rows = GROUPS.flatMap(([group, own]) =>
    own.map(([typed, does], i) => {
      const title = colors.bold((i === 0 ? group : '').padEnd(WIDTHS[0]));
      return `${title}${typed.padEnd(WIDTHS[1])}${colors.dim(does)}`;
    }),
  );
  return ['A small language model learns from rewards that can be verified. Type first:', ...first, '', ...rows].join(
    '\n',
  );
}
