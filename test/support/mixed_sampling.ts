/** Random programs for a sampler: sequences are added, given tokens, branched, sampled in parts, and released. */
import fc from 'fast-check';
import { rngFor } from '../../src/kernels/philox.ts';
import { groupByPrefix, packBatch, splitGroups } from '../../src/model/batch.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { SamplerSettings } from '../../src/model/sampling/sample_request.ts';
import type { SampledSequence } from '../../src/model/sampling/sampled_sequence.ts';
import { openSampler } from '../../src/model/sampling/sampler.ts';
import { TOKEN } from '../../src/token_kinds.ts';
import { concatenated, SMALL_SHAPE } from './policies.ts';

export type Operation =
  | {
      readonly do: 'add';
      readonly prompt: number;
      readonly rollouts: number;
      readonly stopIds: readonly number[];
      readonly maxTokens: number;
      readonly room: number;
    }
  | { readonly do: 'append'; readonly which: number; readonly tokens: readonly number[] }
  | { readonly do: 'fork'; readonly which: number; readonly share: number; readonly maxTokens: number }
  | { readonly do: 'run'; readonly which: readonly boolean[] }
  | { readonly do: 'release'; readonly which: number }
  /** Something else uses the cache. */
  | { readonly do: 'score' };

/** A sequence, and which of its tokens somebody drew: of a fork's inherited ones, those that its parent had not been given. */
export interface Mixed {
  readonly sequence: SampledSequence;
  readonly labels: Uint8Array;
}

const PROMPTS = Array.from({ length: 5 }, (_, i) => {
  const rng = rngFor(`mixed prompts|${i}`);
  return new Int32Array(1 + 3 * i).map(() => rng.int(0, SMALL_SHAPE.vocabSize - 1));
});

/** Longest sequence that a program makes, its prefix included. */
export const MIXED_CONTEXT = 64;

const token = fc.nat({ max: SMALL_SHAPE.vocabSize - 1 });
const which = fc.nat({ max: 1000 });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      prompt: fc.nat({ max: PROMPTS.length - 1 }),
      rollouts: fc.integer({ min: 1, max: 4 }),
      stopIds: fc.array(token, { maxLength: 3 }),
      maxTokens: fc.integer({ min: 1, max: 20 }),
      room: fc.integer({ min: 20, max: 50 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('append' as const), which, tokens: fc.array(token, { maxLength: 9 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fork' as const),
      which,
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      maxTokens: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('run' as const), which: fc.array(fc.boolean(), { minLength: 1 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('score' as const) }) },
);

export const operations = fc.array(operation, { minLength: 60, maxLength: 100 });

/** Runs a program, then all turns to their end. What finds the cache full is left out. */
export async function sampleMixed(
  policy: Policy,
  settings: SamplerSettings,
  program: readonly Operation[],
): Promise<Mixed[]> {
  const sampler = openSampler(policy, settings);
  const all: { sequence: SampledSequence; inherited: Uint8Array; room: number; isReleased: boolean }[] = [];
  let rolloutNumber = 2 ** 32 - 10;
  const held = () => all.filter(({ isReleased }) => !isReleased);
  const drawn = ({ sequence: { labels }, inherited }: (typeof all)[number]): Uint8Array =>
    Uint8Array.from(labels, (label, i) => inherited[i] ?? label);
  const pick = (place: number) => held()[place % Math.max(1, held().length)];
  const whereThereIsRoom = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if ((error as { code?: string }).code !== 'cache-full') throw error;
    }
  };
  for (const asked of program) {
    if (asked.do === 'add') {
      const rolloutNumbers = Array.from({ length: asked.rollouts }, () => rolloutNumber++);
      whereThereIsRoom(() => {
        const added = sampler.add([{ ...asked, prefix: PROMPTS[asked.prompt], rolloutNumbers }]);
        all.push(
          ...added.map((sequence) => ({ sequence, inherited: new Uint8Array(), room: asked.room, isReleased: false })),
        );
      });
    } else if (asked.do === 'run') {
      await sampler.run(
        held()
          .filter((_, i) => asked.which[i % asked.which.length])
          .map(({ sequence }) => sequence),
      );
    } else if (asked.do === 'score') {
      await policy.score(packBatch([{ prompt: PROMPTS[1], completions: [PROMPTS[2]] }]), 1);
    } else {
      const found = pick(asked.which);
      if (found === undefined) continue;
      const { sequence, room } = found;
      if (asked.do === 'append') sampler.append(sequence, asked.tokens.slice(0, room - sequence.tokens.length));
      else if (asked.do === 'fork') {
        const cut = Math.round(asked.share * sequence.tokens.length);
        whereThereIsRoom(() => {
          const branch = sampler.fork(sequence, cut, rolloutNumber++, { maxTokens: asked.maxTokens });
          all.push({ sequence: branch, inherited: drawn(found).slice(0, cut), room, isReleased: false });
        });
      } else {
        sampler.release([sequence]);
        found.isReleased = true;
      }
    }
  }
  await sampler.run(held().map(({ sequence }) => sequence));
  return all.map((mixed) => ({ sequence: mixed.sequence, labels: drawn(mixed) }));
}

export interface MixedScores {
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
}

/** What the sampler said of each token that was drawn, sequence by sequence. */
export function sampledScores(mixed: readonly Mixed[]): MixedScores {
  const drawn = (of: (sequence: SampledSequence) => Float32Array): Float32Array =>
    concatenated(mixed.map(({ sequence, labels }) => of(sequence).filter((_, i) => labels[i] !== TOKEN.given)));
  return { logprobs: drawn(({ logprobs }) => logprobs), entropies: drawn(({ entropies }) => entropies) };
}

/** What the scorer says of the same tokens: packed by prefix, the given ones without a loss row. */
export async function scoredScores(policy: Policy, mixed: readonly Mixed[], temperature: number): Promise<MixedScores> {
  const sequences = mixed.map(({ sequence, labels }) => ({ ...sequenceOf(sequence), labels }));
  const logprobs: Float32Array[] = [];
  const entropies: Float32Array[] = [];
  for (const groups of splitGroups(groupByPrefix(sequences), policy.capacity)) {
    const batch = packBatch(groups);
    const scores = await policy.score(batch, temperature);
    const order = Array.from(batch.completionOf, (_, row) => row).sort(
      (a, b) => batch.completionOf[a] - batch.completionOf[b] || batch.tokenOf[a] - batch.tokenOf[b],
    );
    logprobs.push(Float32Array.from(order, (row) => scores.logprobs[row]));
    entropies.push(Float32Array.from(order, (row) => scores.entropies[row]));
  }
  return { logprobs: concatenated(logprobs), entropies: concatenated(entropies) };
}

function sequenceOf({ prefix, tokens }: SampledSequence) {
  return { prefix, tokens };
}
