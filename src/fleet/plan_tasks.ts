/** Cuts what is asked at once into tasks: enough for all workers to be busy, and none whose answer is too large a message. */
import { FleetError } from '../errors.ts';
import type { RolloutRequest, SampleRequest } from '../grpo/generator.ts';
import { type Completion, type GenerationSettings, maxTokens } from '../model/sampling/generation.ts';
import { TOKEN } from '../token_kinds.ts';
import { MESSAGE_BYTES, mostCompletionBytes, type SampledCompletion } from './protocol.ts';

/** A part of what is asked. */
export interface TaskPart {
  readonly requests: readonly SampleRequest[];
  /** [requests] of which request each is a part, and of which of its rollouts the first is. */
  readonly places: readonly { readonly request: number; readonly first: number }[];
}

/** Parts for each of several workers: one that is slow then holds up a part of its share. One alone is given all at once. */
const PARTS_PER_WORKER = 3;

/** Fewer completions side by side cost a processor more each. */
const LEAST_ROLLOUTS = 8;

/** What a message has besides completions and tokens. */
const HEAD_BYTES = 8192;

/**
 * @param workers  that there are
 * @throws FleetError where one completion alone could be too large
 */
export function planTasks(
  requests: readonly SampleRequest[],
  settings: GenerationSettings,
  workers: number,
): TaskPart[] {
  const each = mostCompletionBytes(maxTokens(settings));
  const room = MESSAGE_BYTES - HEAD_BYTES;
  if (each > room) {
    const rule = `${maxTokens(settings)} tokens of a completion take ${each} bytes, and a message has ${room}`;
    throw new FleetError('fleet-too-long', `max_completion_length: ${rule}; train without a fleet, or with fewer.`);
  }
  const all = requests.reduce((sum, { rollouts }) => sum + rollouts.length, 0);
  const wanted = Math.max(LEAST_ROLLOUTS, Math.ceil(all / (workers > 1 ? PARTS_PER_WORKER * workers : 1)));
  const most = Math.min(wanted, Math.floor(room / each));
  const parts: { requests: SampleRequest[]; places: TaskPart['places'][number][] }[] = [];
  let rollouts = most;
  let bytes = 0;
  requests.forEach((request, index) => {
    for (let first = 0; first < request.rollouts.length; ) {
      const asked = requestBytes(request);
      if (rollouts >= most || bytes + asked > room) {
        parts.push({ requests: [], places: [] });
        rollouts = 0;
        bytes = 0;
      }
      const own = request.rollouts.slice(first, first + most - rollouts);
      const last = parts[parts.length - 1];
      last.requests.push({ prompt: request.prompt, rollouts: own.map(({ labels: _, ...rest }) => rest) });
      last.places.push({ request: index, first });
      rollouts += own.length;
      bytes += asked;
      first += own.length;
    }
  });
  return parts;
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
