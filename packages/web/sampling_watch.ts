/** Tells of completions while they are sampled, for a page that shows them as they come. It changes no bit. */
import { delegating, type TaskSet } from '../../src/data/task_set.ts';
import {
  localGenerator,
  type MakeGenerator,
  type SampleRequest,
  type SampleSettings,
} from '../../src/grpo/generator.ts';
import { samplingKey } from '../../src/grpo/run.ts';
import type { WatchSampling } from '../../src/model/sampling/settings.ts';
import type { Sampling } from './browser_run.ts';

/** Completions whose texts are told. */
const TEXTS = 8;

export class SamplingWatch {
  readonly #ms: number;
  readonly #seed: number;
  #listener: (sampling: Sampling) => void = () => {};
  #tasks: TaskSet | undefined;
  #saidAt = Number.NEGATIVE_INFINITY;
  /** By the tokens that they were asked in. */
  readonly #prompts = new WeakMap<Int32Array, string>();

  /** @param ms  between two tellings, at least @param seed  of the run */
  constructor(ms: number, seed: number) {
    this.#ms = ms;
    this.#seed = seed;
  }

  listen(listener: (sampling: Sampling) => void): void {
    this.#listener = listener;
  }

  /** The same tasks; their prompts are remembered. */
  watched(tasks: TaskSet): TaskSet {
    this.#tasks = tasks;
    const remember = (tokens: Int32Array, prompt: string): Int32Array => {
      this.#prompts.set(tokens, prompt);
      return tokens;
    };
    return delegating(tasks, {
      promptTokens: (item) => remember(tasks.promptTokens(item), item.prompt),
      typedTokens: (prompt) => remember(tasks.typedTokens(prompt), prompt),
    });
  }

  readonly makeGenerator: MakeGenerator = (policy, weightsVersion) => {
    const generator = localGenerator(policy, weightsVersion);
    return {
      sample: (requests, settings) =>
        generator.sample(requests, { ...settings, watch: this.#watchOf(requests, settings) }),
      score: generator.score,
      get weightsVersion() {
        return generator.weightsVersion;
      },
    };
  };

  #watchOf(requests: readonly SampleRequest[], settings: SampleSettings): WatchSampling {
    const prompts = requests.flatMap(({ prompt, rollouts }) => rollouts.map(() => this.#prompts.get(prompt) ?? ''));
    const asks = this.#asks(prompts.length, settings);
    return (sequences, before) => {
      const ended = before + sequences.filter(({ finishReason }) => finishReason !== undefined).length;
      const now = performance.now();
      if (now - this.#saidAt < this.#ms && ended < prompts.length) return;
      this.#saidAt = now;
      const texts = sequences.slice(0, TEXTS).map(({ tokens, finishReason }, i) => ({
        prompt: prompts[before + i] ?? '',
        text: this.#tasks?.codec.decode(finishReason === 'eos' ? tokens.subarray(0, -1) : tokens) ?? '',
      }));
      this.#listener({ asks, completions: prompts.length, ended, texts });
    };
  }

  #asks(completions: number, { samplingKey: key, sampling }: SampleSettings): Sampling['asks'] {
    const ofEvaluation = samplingKey(this.#seed, 'eval');
    if (key.every((word, i) => word === ofEvaluation[i])) return sampling.temperature === 0 ? 'greedy' : 'sampled';
    return completions === 1 ? 'visitor' : 'training';
  }
}
