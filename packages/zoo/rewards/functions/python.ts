/** A function in a file of Python, called in a process of its own. Node alone opens it. */
import { ConfigError } from '../../../../src/errors.ts';
import { choice, keys, text } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';

/** What it is called in a config. */
export const PYTHON = 'python';

export const PYTHON_OPTIONS = keys({
  file: text('rewards.py').describe('The file, from the config. It runs with the rights of whoever trains.'),
  function: text('brevity').describe('The function in it.'),
  signature: choice(['trl', 'verl'])
    .default('trl')
    .describe(
      'How it is called. trl: f(prompts, completions, **columns) gives a list of numbers or None; verl: ' +
        'f(data_source, solution_str, ground_truth, extra_info) gives one, or a dict with score.',
    ),
  python: text('python3.12')
    .optional()
    .describe(
      'The Python that runs it: a command, or a file from the config. Default: PYTHON of the environment, else python3.',
    ),
});

export const pythonReward = defineReward({
  does: 'What a function in a Python file of yours gives, called as TRL or verl calls it.',
  options: PYTHON_OPTIONS,
  create: ({ file }) => {
    const rule = 'a file of Python is run by Node, by openPlugins of rlvr-train/node; a page has no Python';
    throw new ConfigError('no-python', `reward_funcs: ${PYTHON}.file: ${JSON.stringify(file)} — ${rule}.`);
  },
});
