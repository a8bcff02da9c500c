/** How many groups' distributions over the whole vocabulary are held at once, and the refusal of those that are too large. */
import type { TaskSet } from '../data/task_set.ts';
import { ConfigError } from '../errors.ts';
import { completionLimit } from '../grpo/rollout/completion_end.ts';
import type { StageConfig } from '../methods/stage.ts';

/** Most bytes of them in the engine. The host holds some five times as much: copies, and derivatives in float64. */
const DISTRIBUTION_BYTES = 64 * 1024 ** 2;

/**
 * Groups of a micro-batch whose distributions fit, at least 1.
 *
 * @param askedBy  ids of the methods that ask for them
 * @throws ConfigError where those of one group, or of as many as the config asks for, do not
 */
export function mostDistributed(stage: StageConfig, tasks: TaskSet, askedBy: readonly string[]): number {
  const samples = stage.stage === 'grpo' ? stage.batch.numGenerations : 1;
  const requested = (stage.stage === 'grpo' && stage.batch.completionsPerMicroBatch) || samples;
  const tokens = completionLimit(tasks, stage);
  const { vocabSize } = tasks.codec;
  const perCompletion = 4 * tokens * vocabSize;
  const completions = Math.floor(DISTRIBUTION_BYTES / perCompletion);
  if (requested > completions) throw tooLarge({ asked: requested, samples, tokens, vocabSize, completions, askedBy });
  return Math.floor(completions / samples);
}

interface Asked {
  readonly asked: number;
  readonly samples: number;
  readonly tokens: number;
  readonly vocabSize: number;
  /** That fit. */
  readonly completions: number;
  readonly askedBy: readonly string[];
}

function tooLarge({ asked, samples, tokens, vocabSize, completions, askedBy }: Asked): ConfigError {
  const mebibytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
  const bytes = mebibytes(4 * asked * tokens * vocabSize);
  const groups = Math.floor(completions / samples);
  const mostTokens = Math.floor(DISTRIBUTION_BYTES / (4 * asked * vocabSize));
  const key = groups > 0 ? 'per_device_train_batch_size' : 'num_generations';
  const remedies = [
    groups > 0
      ? `lower per_device_train_batch_size to ${groups * samples}`
      : completions > 1
        ? `lower num_generations to ${completions}`
        : undefined,
    mostTokens > 0 ? `max_completion_length to ${mostTokens}` : undefined,
  ].filter((remedy) => remedy !== undefined);
  const instead = `${remedies.length > 0 ? `${remedies.join(', or ')}, or ` : ''}leave the method out`;
  return new ConfigError(
    'distributions',
    `${askedBy.join(', ')}: whole distributions of ${asked} completions of ${tokens} tokens over ${vocabSize} words take ` +
      `${bytes}, and ${mebibytes(DISTRIBUTION_BYTES)} are the most — ${instead}.`,
    { key, bytes: 4 * asked * tokens * vocabSize, limit: DISTRIBUTION_BYTES },
  );
}
