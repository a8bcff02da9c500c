/** Cuts what is asked at once into tasks: enough for all workers to be busy, and none whose answer is too large a message. */
import { FleetError } from '../../src/errors.ts';
import type { RolloutRequest, SampleRequest } from '../../src/grpo/generator.ts';
import { type Completion, type GenerationSettings, maxTokens } from '../../src/model/sampling/generation.ts';
import { TOKEN } from '../../src/token_kinds.ts';
import { MESSAGE_BYTES, mostCompletionBytes, type SampledCompletion } from './protocol.ts';

/** A part of what is asked. */
export interface TaskPart {
  readonly requests: readonly SampleRequest[];
  /** [requests] of which request each is a part, and of which of its rollouts the first is. */
  readonly places: readonly { readonly request: number; readonly first: number }[];
  /** Who has the keys and values of what its completions begin with; absent: nobody, or nobody knows. */
  readonly holder?: string;
}

/** A part while it is filled. */
interface OpenPart {
  readonly requests: SampleRequest[];
  readonly places: TaskPart['places'][number][];
  readonly holder?: string;
  rollouts: number;
  bytes: number;
}

/** Parts for each of several workers: one that is slow then holds up a part of its share. One alone is given all at once. */
const PARTS_PER_WORKER = 3;

/** Fewer completions side by side cost a processor more each. */
const LEAST_ROLLOUTS = 8;

/** What a message has besides completions and tokens. */
const HEAD_BYTES = 8192;

/**
 * @param workers  that there are
 * @param holderOf  who has the keys and values of what a completion begins with: all of a worker's are one part, as far as a
 * message has room; absent: nobody has
 * @throws FleetError where one completion alone could be too large
 */
export function planTasks(
  requests: readonly SampleRequest[],
  settings: GenerationSettings,
  workers: number,
  holderOf: (rollout: RolloutRequest) => string | undefined = () => undefined,
): TaskPart[] {
  const each = mostCompletionBytes(maxTokens(settings));
  const room = MESSAGE_BYTES - HEAD_BYTES;
  if (each > room) {
    const rule = `${maxTokens(settings)} tokens of a completion take ${each} bytes, and a message has ${room}`;
    throw new FleetError('fleet-too-long', `max_completion_length: ${rule}; train without a fleet, or with fewer.`);
  }
  const holders = requests.map(({ rollouts }) => rollouts.map(holderOf));
  const free = holders.flat().filter((holder) => holder === undefined).length;
  const wanted = Math.max(LEAST_ROLLOUTS, Math.ceil(free / (workers > 1 ? PARTS_PER_WORKER * workers : 1)));
  const fitting = Math.floor(room / each);
  const parts: OpenPart[] = [];
  const open = new Map<string | undefined, OpenPart>();
  requests.forEach((request, index) => {
    for (let first = 0; first < request.rollouts.length; ) {
      const holder = holders[index][first];
      const most = holder === undefined ? Math.min(wanted, fitting) : fitting;
      const asked = requestBytes(request);
      let part = open.get(holder);
      if (part === undefined || part.rollouts >= most || part.bytes + asked > room) {
        part = { requests: [], places: [], ...(holder !== undefined && { holder }), rollouts: 0, bytes: 0 };
        parts.push(part);
        open.set(holder, part);
      }
      const end = endOf(holders[index], first, most - part.rollouts);
      const own = request.rollouts.slice(first, end);
      part.requests.push({ prompt: request.prompt, rollouts: own.map(({ labels: _, ...rest }) => rest) });
      part.places.push({ request: index, first });
      part.rollouts += own.length;
      part.bytes += asked;
      first = end;
    }
  });
  return parts;
}

/** End of those that the holder of the first one has, of `most` at most. */
function endOf(holders: readonly (string | undefined)[], first: number, most: number): number {
  const other = holders.findIndex((holder, i) => i > first && holder !== holders[first]);
  return Math.min(first + most, other < 0 ? holders.length : other);
}

/** Puts the completions of all parts where they belong. @param answers  of each part */
export function joinAnswers(
  requests: readonly SampleRequest[],
  parts: readonly TaskPart[],
  answers: readonly (readonly (readonly SampledCompletion[])[])[],
): Completion[][] {
  const joined = requests.map((): Completion[] => []);
  parts.forEach(({ places }, p) => {
    places.forEach(({ request, first }, i) => {
      answers[p][i].forEach((completion, k) => {
        joined[request][first + k] = withGiven(completion, requests[request].rollouts[first + k]);
      });
    });
  });
  return joined;
}

/** What a completion begins with was given. */
function withGiven(completion: SampledCompletion, { tokens }: RolloutRequest): Completion {
  if (tokens === undefined || tokens.length === 0) return completion;
  const labels = new Uint8Array(completion.tokens.length);
  return { ...completion, labels: labels.fill(TOKEN.given, 0, tokens.length) };
}

/** Bytes that the request of one group takes, with what all of its completions begin with. */
function requestBytes({ prompt, rollouts }: SampleRequest): number {
  return 4 * prompt.length + rollouts.reduce((sum, { tokens }) => sum + 19 + 4 * (tokens?.length ?? 0), 6);
}
