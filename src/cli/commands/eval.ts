/** `rlvr-train eval`: all held-out problems, greedy and sampled, asked of a run's policy or of a model of the user's. */
import { MOST_SAMPLES } from '../../config/keys/stage_keys.ts';
import type { TaskSet } from '../../data/task_set.ts';
import { ConfigError } from '../../errors.ts';
import { printable } from '../../format.ts';
import { evaluate } from '../../grpo/evaluate.ts';
import { evaluationMetrics } from '../../grpo/metrics.ts';
import type { InferenceLoad } from '../../planning/capacity.ts';
import { print, printJson } from '../display/output.ts';
import { evaluationLine, exampleLine } from '../display/reporter.ts';
import { command } from '../flags/command.ts';
import { integer, list, text, toggle, withDefault } from '../flags/flag.ts';
import { ADAPTER, MODEL_TEXT, THREADS, TRAINED_RUN, TRUST, USE_ANYWAY } from '../flags/shared_flags.ts';
import { onlyRun } from '../mistaken_words.ts';
import { openAsked } from '../runs/open_asked.ts';
import { type OpenedModel, openTrained } from '../runs/open_trained.ts';
import { tellingEngine } from '../runs/told_generator.ts';

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
  async run(words, flags) {
    const { model, task, samples } = flags;
    if (model === undefined) {
      const load = (tasks: TaskSet): InferenceLoad => ({ prompts: tasks.heldOutItems().length, samples });
      return evaluateOpened(await openTrained(onlyRun(words, flags.run), flags, load), flags);
    }
    if (task === undefined) {
      const rule = 'missing — what the model is asked; for example --task reverse_text';
      throw new ConfigError('missing-flag', `--task: ${rule}.`, { flag: 'task' });
    }
    onlyRun(words, model);
    return evaluateOpened(await openAsked({ ...flags, model, task }), { ...flags, keepsProblems: true });
  },
});

interface EvaluationFlags {
  readonly samples: number;
  readonly json?: boolean;
  /** `eval_samples` was typed for this evaluation: as many problems are asked. Default: all, whatever a training asked. */
  readonly keepsProblems?: boolean;
}

/** Asks held-out problems, prints the figures, and closes the model. */
export async function evaluateOpened(opened: OpenedModel, flags: EvaluationFlags): Promise<void> {
  const { samples, json, keepsProblems = false } = flags;
  try {
    const { config, engine, figures } = opened.model;
    const stage = config.stages[opened.stageIndex];
    const all = engine.tasks.heldOutItems().length;
    const problems = keepsProblems ? Math.min(all, stage.evaluation.problems ?? all) : all;
    const told = tellingEngine(engine, { what: 'evaluating', total: problems * (1 + samples) });
    const evaluator = { engine: told, figures: figures[opened.stageIndex] ?? [], seed: config.seed };
    const evaluation = await evaluate(evaluator, { ...stage, evaluation: { ...stage.evaluation, problems, samples } });
    if (json) {
      printJson(JSON.stringify(evaluationMetrics(evaluation)));
      return;
    }
    print(`${printable(`${opened.from}: ${engine.tasks.name}`)}, ${evaluation.accuracy.count} held-out problems`);
    print(evaluationLine(evaluation));
    for (const example of evaluation.examples) print(exampleLine(example));
  } finally {
    await opened.close();
  }
}
