/** A generator that says how far it has come: asked in parts, which changes no bit of an answer. */

import { printError } from '../../../src/cli/display/output.ts';
import { duration, thousands } from '../../../src/format.ts';
import type { Engine } from '../../../src/grpo/engine.ts';
import type { Generator, SampleRequest } from '../../../src/grpo/generator.ts';
import type { Completion } from '../../../src/model/sampling/generation.ts';

/** Prompts of the first part: a large model takes long for it, and says so soon. */
const FIRST = 8;
/** Seconds that a part should take; work shorter than that is not spoken of. */
const PART_SECONDS = 5;

export interface Telling {
  /** What is going on: `evaluating`. */
  readonly what: string;
  /** Completions in all, over every call. */
  readonly total: number;
  /** Default: a line on standard error. */
  readonly say?: (line: string) => void;
  /** Milliseconds; default `performance.now`. */
  readonly clock?: () => number;
}

/** The same engine; while it samples for long, it says how many completions are there and how long the rest will take. */
export function tellingEngine<E extends Pick<Engine, 'generator'>>(
  engine: E,
  { what, total, say = printError, clock = () => performance.now() }: Telling,
): E {
  const { generator } = engine;
  const begin = clock();
  let done = 0;
  let spoken = begin;
  const tell = (asked: readonly SampleRequest[]): void => {
    done += asked.reduce((sum, { rollouts }) => sum + rollouts.length, 0);
    const now = clock();
    if (done >= total || now - spoken < 1000 * PART_SECONDS) return;
    spoken = now;
    const left = (((now - begin) / done) * (total - done)) / 1000;
    say(`${what}: ${thousands(done)} of ${thousands(total)} completions, about ${duration(left)} left`);
  };
  const telling: Generator = {
    score: (sequences, settings) => generator.score(sequences, settings),
    async sample(requests, settings) {
      // Episodes and token controls know requests by their place in the whole.
      const isWhole = settings.turns !== undefined || settings.control !== undefined || settings.keep === true;
      if (isWhole) return generator.sample(requests, settings);
      const completions: Completion[][] = [];
      for (let from = 0, size = FIRST; from < requests.length; ) {
        const part = requests.slice(from, from + size);
        const before = clock();
        completions.push(...(await generator.sample(part, settings)).completions);
        tell(part);
        const seconds = Math.max(1e-3, (clock() - before) / 1000);
        from += part.length;
        size = Math.max(1, Math.round((part.length * PART_SECONDS) / seconds));
      }
      return { completions, places: undefined };
    },
    get weightsVersion() {
      return generator.weightsVersion;
    },
  };
  return { ...engine, generator: telling };
}
