/**
 * What a worker samples, turn by turn. An episode's keys and values stay in the policy's cache after its turn, so that its next
 * turn begins where this one ended; without them everything before it is computed again, with the same bits.
 *
 * No memory is taken besides the cache that the policy has anyway: an episode that needs room takes that of those that were
 * sampled longest ago. Another model, other weights or other rules of sampling, and nothing is kept.
 */
import { localGenerator, rolloutNumber } from '../../../src/grpo/generator.ts';
import type { Policy } from '../../../src/model/policy.ts';
import { type GenerationSettings, maxTokens } from '../../../src/model/sampling/generation.ts';
import type { SampledSequence } from '../../../src/model/sampling/sampled_sequence.ts';
import { openSampler, type Sampler } from '../../../src/model/sampling/sampler.ts';
import type { FleetTask, SampledCompletion } from '../protocol.ts';

/** An episode of a task. */
interface Asked {
  readonly request: number;
  readonly completion: number;
  /** By which it is kept. */
  readonly key: string;
  readonly prompt: Int32Array;
  readonly number: number;
  /** Tokens before the turn. */
  readonly begun: Int32Array;
}

/** The episode of one rollout while its turn is sampled. */
interface Turn {
  readonly asked: Asked;
  readonly sequence: SampledSequence;
}

interface Open {
  /** Weights and rules of all that is kept. */
  readonly rules: string;
  readonly sampler: Sampler;
  /** By prompt and rollout; those that were sampled longest ago first. */
  readonly kept: Map<string, SampledSequence>;
}

export class KeptTurns {
  readonly #policy: Policy;
  #open: Open | undefined;

  /** @param policy  whose weights are those that tasks name */
  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** Episodes whose keys and values are kept. */
  get size(): number {
    return this.#open?.kept.size ?? 0;
  }

  /** [requests][rollouts] completions, as any generator with these weights samples them. */
  async sample({ requests, settings, weights }: Omit<FleetTask, 'id'>): Promise<SampledCompletion[][]> {
    if (settings.turnTokens === undefined || settings.fixedCompletionTokens !== undefined) {
      const { completions } = await localGenerator(this.#policy, () => weights.version).sample(requests, settings);
      return completions;
    }
    const open = this.#openFor(settings, weights.sha256);
    this.#open = undefined; // where something fails, nobody knows what the cache has
    const done = requests.map((): SampledCompletion[] => []);
    let waiting = requests.flatMap(({ prompt, rollouts }, request) =>
      rollouts.map(({ tokens = new Int32Array(), ...numbers }, completion): Asked => {
        const number = rolloutNumber(numbers);
        return { request, completion, key: `${number}|${prompt}`, prompt, number, begun: tokens };
      }),
    );
    while (waiting.length > 0) {
      const turns = this.#begin(open, waiting, settings);
      await open.sampler.run(turns.map(({ sequence }) => sequence));
      for (const { asked, sequence } of turns) {
        done[asked.request][asked.completion] = turnOf(sequence, asked.begun.length);
        const twin = open.kept.get(asked.key); // of a task that asks for the same twice
        if (twin !== undefined) open.sampler.release([twin]);
        open.kept.delete(asked.key);
        if (sequence.tokens.length < maxTokens(settings)) open.kept.set(asked.key, sequence);
        else open.sampler.release([sequence]);
      }
      const begun = new Set(turns.map(({ asked }) => asked));
      waiting = waiting.filter((asked) => !begun.has(asked));
    }
    this.#open = open;
    return done;
  }

  #openFor(settings: GenerationSettings, sha256: string): Open {
    const rules = JSON.stringify([sha256, settings]);
    if (this.#open?.rules === rules) return this.#open;
    return { rules, sampler: openSampler(this.#policy, settings), kept: new Map() };
  }

  /** Opens the turns of what is kept, and of as many others as there is room for. */
  #begin({ sampler, kept }: Open, waiting: readonly Asked[], settings: GenerationSettings): Turn[] {
    const turns: Turn[] = [];
    const others: Asked[] = [];
    for (const asked of waiting) {
      const sequence = kept.get(asked.key);
      kept.delete(asked.key);
      if (sequence === undefined) others.push(asked);
      else if (continues(asked.begun, sequence.tokens)) turns.push(this.#opened(sampler, sequence, asked));
      else {
        sampler.release([sequence]);
        others.push(asked);
      }
    }
    for (const asked of others) {
      const sequence = added({ sampler, kept }, asked, settings);
      if (sequence === undefined) break;
      turns.push(asked.begun.length > 0 ? this.#opened(sampler, sequence, asked) : { asked, sequence });
    }
    return turns;
  }

  /** Puts in what came since its tokens; the next turn is open. */
  #opened(sampler: Sampler, sequence: SampledSequence, asked: Asked): Turn {
    sampler.append(sequence, asked.begun.subarray(sequence.tokens.length));
    return { asked, sequence };
  }
}

/** Takes room for an episode, from those that are kept where there is no other; undefined where that has to wait. */
function added(
  { sampler, kept }: Pick<Open, 'sampler' | 'kept'>,
  { prompt, number }: Asked,
  settings: GenerationSettings,
): SampledSequence | undefined {
  const room = maxTokens(settings);
  const { stopIds, turnTokens: most = room } = settings;
  const request = { prefix: prompt, rolloutNumbers: [number], stopIds, maxTokens: most, room };
  for (;;) {
    const [oldest] = kept;
    const [sequence] = sampler.tryAdd(request) ?? []; // of a cache that is free it throws where there is no room
    if (sequence !== undefined || oldest === undefined) return sequence;
    const [key, old] = oldest;
    kept.delete(key);
    sampler.release([old]);
  }
}

/** Whether `tokens` begin with those that are kept. */
function continues(tokens: Int32Array, kept: Int32Array): boolean {
  return kept.length <= tokens.length && kept.every((token, i) => tokens[i] === token);
}

/** The completion as of one that began with `begun` given tokens: who sampled those has what is known of them. */
function turnOf(sequence: SampledSequence, begun: number): SampledCompletion {
  const { finishReason = 'length' } = sequence;
  const own = (values: Float32Array): Float32Array => values.slice().fill(0, 0, begun);
  return {
    tokens: sequence.tokens.slice(),
    logprobs: own(sequence.logprobs),
    entropies: own(sequence.entropies),
    keptLogMass: own(sequence.keptLogMass),
    finishReason,
  };
}
