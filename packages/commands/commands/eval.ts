/** `rlvr-train eval`: all held-out problems, greedy and sampled, asked of a run's policy or of a model of the user's. */

import { THREADS } from '../../../src/cli/commands/train.ts';
import { command } from '../../../src/cli/flags/command.ts';
import { choice, integer, list, text, toggle, withDefault } from '../../../src/cli/flags/flag.ts';
import { MOST_SAMPLES } from '../../../src/config/keys/limits.ts';
import { ADAPTER, ASKED_WORD, MODEL_TEXT, RUN, TRUST, USE_ANYWAY } from './shared_flags.ts';

export const EVAL = command({
  name: 'eval',
  does: 'evaluate a trained policy, or a model of yours, on all held-out problems',
  usage: 'RUN [options], or MODEL --task <task> [options]',
  words: [ASKED_WORD],
  flags: {
    run: RUN,
    model: text('<path>', MODEL_TEXT, { excludes: ['run', 'force'] }),
    adapter: ADAPTER,
    task: text('<task>', "what --model is asked, as in a config: reverse_text, or '{name: sort_digits, digits: 3}'"),
    suite: text('<file>', 'YAML list of tasks and data sets that --model is asked, one table', { excludes: ['task'] }),
    set: list('<key=value>', 'a key of the config, e.g. max_completion_length=64; of a run too: task.max_number=6'),
    samples: withDefault(
      integer('<number>', 'sampled completions per problem (num_generations_eval)', { min: 1, max: MOST_SAMPLES }),
      4,
    ),
    figures: text('<figures>', 'further figures, e.g. weighted-maj,m-length, as evaluation_figures takes them'),
    split: withDefault(
      choice('<split>', 'held-out problems, or as many of the training stream', ['eval', 'train']),
      'eval',
    ),
    average: list('<path>', 'a model or checkpoint of the same shape, whose weights are averaged with those'),
    force: USE_ANYWAY,
    threads: THREADS,
    trust: TRUST,
    json: toggle('print the figures as JSON'),
  },
  examples: [
    { words: 'eval runs/countdown', does: 'all held-out problems' },
    { words: 'eval runs/countdown --figures weighted-maj', does: 'a further figure of each' },
    { words: 'eval runs/countdown --set task.max_number=6', does: 'another range of the task' },
    { words: 'eval models/mine --task gcd', does: 'a model of yours, on a task' },
    { words: 'eval --model runs/countdown --suite suite.yaml', does: 'one table of several tasks and data sets' },
  ],
  async run(words, flags) {
    const { evaluateGiven } = await import('../actions/eval.ts');
    await evaluateGiven(words, flags);
  },
});
