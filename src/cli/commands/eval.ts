/** `rlvr-train eval`: all held-out problems, greedy and sampled, asked of a run's policy or of a model of the user's. */
import { MOST_SAMPLES } from '../../config/keys/stage_keys.ts';
import type { TaskSet } from '../../data/task_set.ts';
import { ConfigError } from '../../errors.ts';
import type { InferenceLoad } from '../../planning/capacity.ts';
import { command } from '../flags/command.ts';
import { integer, list, text, toggle, withDefault } from '../flags/flag.ts';
import { ADAPTER, MODEL_TEXT, THREADS, TRAINED_RUN, TRUST, USE_ANYWAY } from '../flags/shared_flags.ts';
import { onlyRun } from '../mistaken_words.ts';
import { type InferenceFlags, openTrained } from '../runs/open_trained.ts';
import { evalModelCommand } from './eval_model.ts';
import { type EvaluationOptions, showEvaluation } from './show_evaluation.ts';

export const EVAL = command({
  name: 'eval',
  does: 'evaluate a trained policy, or a model of yours, on all held-out problems',
  usage: '--run <directory> | --model <path> --task <task> [options]',
  explainsWords: true,
  flags: {
    run: TRAINED_RUN,
    model: text('<path>', MODEL_TEXT, { excludes: ['run', 'force'] }),
    adapter: ADAPTER,
    task: text('<task>', "what --model is asked, as in a config: reverse_text, or '{name: sort_digits, digits: 3}'"),
    set: list('<key=value>', 'a key of the config for --model, e.g. max_completion_length=64'),
    samples: withDefault(
      integer('<number>', 'sampled completions per problem (num_generations_eval)', { min: 1, max: MOST_SAMPLES }),
      4,
    ),
    force: USE_ANYWAY,
    threads: THREADS,
    trust: TRUST,
    json: toggle('print the figures as JSON'),
  },
  examples: [{ words: 'eval --run runs/countdown --json', does: 'all held-out problems' }],
  run(words, flags) {
    const { model, task } = flags;
    if (model === undefined) return evalCommand({ ...flags, run: onlyRun(words, flags.run) });
    if (task === undefined) {
      const rule = 'missing — what the model is asked; for example --task reverse_text';
      throw new ConfigError('missing-flag', `--task: ${rule}.`, { flag: 'task' });
    }
    onlyRun(words, model);
    return evalModelCommand({ ...flags, model, task });
  },
});

export interface EvalOptions extends InferenceFlags, EvaluationOptions {
  readonly run: string;
}

export async function evalCommand(options: EvalOptions): Promise<void> {
  const { samples } = options;
  const load = (tasks: TaskSet): InferenceLoad => ({ prompts: tasks.heldOutItems().length, samples });
  const { model, stageIndex, from, close } = await openTrained(options.run, options, load);
  try {
    await showEvaluation(model, stageIndex, from, options);
  } finally {
    await close();
  }
}
