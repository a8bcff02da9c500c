/**
 * Episodes over a fleet: a task for each turn. Environments and tools stay with the learner; the tokens so far go along, and who
 * samples the next turn computes them again. A token is a function of (weights, tokens before it, sampling key, rollout number,
 * position), so the bits are those of an episode that is sampled in one place.
 */
import type { SampleRequest } from '../../../src/grpo/generator.ts';
import type { EndedTurn, TurnAnswer, TurnControl } from '../../../src/model/sampling/episodes.ts';
import { type Completion, type GenerationSettings, maxTokens } from '../../../src/model/sampling/generation.ts';
import { TOKEN } from '../../../src/token_kinds.ts';

/** An episode under way. */
interface Episode {
  readonly request: number;
  readonly completion: number;
  so: Completion;
  /** Where its turn begins. */
  begin: number;
}

/** Samples turns: what each begins with is given. */
export type SampleTurns = (requests: readonly SampleRequest[], settings: GenerationSettings) => Promise<Completion[][]>;

/** [requests][rollouts] episodes, as `generateEpisodes` samples them. */
export async function sampleEpisodes(
  requests: readonly SampleRequest[],
  settings: GenerationSettings,
  turns: TurnControl,
  sample: SampleTurns,
): Promise<Completion[][]> {
  const { mostAtOnce = Number.POSITIVE_INFINITY } = turns;
  const done = requests.map((): Completion[] => []);
  const waiting = requests.flatMap(({ rollouts }, request) =>
    rollouts.map(({ tokens }, completion): Episode => {
      const opening = given(tokens ?? new Int32Array());
      return { request, completion, so: opening, begin: opening.tokens.length };
    }),
  );
  let open: Episode[] = [];
  while (waiting.length + open.length > 0) {
    open.push(...waiting.splice(0, mostAtOnce - open.length));
    await sampleTurn(open, requests, { settings, turns, sample });
    const answers = await Promise.all(turns.after(open.map(endedTurn)));
    open = open.filter((episode, i) => {
      const next = answered(episode, answers[i], maxTokens(settings));
      if (next === undefined) return true;
      done[episode.request][episode.completion] = next;
      return false;
    });
  }
  return done;
}

interface How {
  readonly settings: GenerationSettings;
  readonly turns: TurnControl;
  readonly sample: SampleTurns;
}

/** One turn of each episode; those whose turns may have as many tokens are asked for together. */
async function sampleTurn(
  episodes: readonly Episode[],
  requests: readonly SampleRequest[],
  { settings, turns, sample }: How,
): Promise<void> {
  const { fixedCompletionTokens: _, ...usual } = settings;
  const room = maxTokens(settings);
  for (const turnTokens of new Set(episodes.map(({ request }) => turns.turnTokens[request]))) {
    const own = episodes.filter(
      ({ request, so }) => turns.turnTokens[request] === turnTokens && so.tokens.length < room,
    );
    const asked = [...new Set(own.map(({ request }) => request))];
    if (asked.length === 0) continue;
    const grouped = asked.map((request) => own.filter((episode) => episode.request === request));
    const sampled = await sample(
      grouped.map((group, i) => ({
        prompt: requests[asked[i]].prompt,
        rollouts: group.map(({ completion, so: { tokens } }) => {
          const { rollout, turn = 0 } = requests[asked[i]].rollouts[completion];
          return { rollout, turn, ...(tokens.length > 0 && { tokens }) };
        }),
      })),
      { ...usual, maxCompletionTokens: room, turnTokens },
    );
    grouped.forEach((group, i) => {
      group.forEach((episode, k) => {
        const turn = sampled[i][k];
        episode.so = joined(episode.so, turn, episode.so.tokens.length);
      });
    });
  }
}

function endedTurn({ request, completion, so, begin }: Episode): EndedTurn {
  const { tokens, logprobs, keptLogMass, finishReason } = so;
  return { request, completion, tokens, begin, logprobs, keptLogMass, finishReason };
}

/** The episode where it is over; else its next turn is open. */
function answered(episode: Episode, answer: TurnAnswer, room: number): Completion | undefined {
  const { so } = episode;
  if (answer === 'stop') return ended(so);
  if (so.tokens.length + answer.length >= room) return ended({ ...so, finishReason: 'length' });
  const next = given(Int32Array.from(answer));
  episode.so = joined(so, next, 0);
  episode.begin = episode.so.tokens.length;
  return undefined;
}

function ended({ labels, ...completion }: Completion): Completion {
  return { ...completion, ...(labels?.includes(TOKEN.given) && { labels }) };
}

/** Tokens that nobody sampled. */
function given(tokens: Int32Array): Completion {
  const none = (): Float32Array => new Float32Array(tokens.length);
  const labels = new Uint8Array(tokens.length).fill(TOKEN.given);
  return { tokens, labels, logprobs: none(), entropies: none(), keptLogMass: none(), finishReason: 'length' };
}

/** Two parts of an episode, of the second what comes from `from` on. */
function joined(first: Completion, second: Completion, from: number): Completion {
  const floats = (field: 'logprobs' | 'entropies' | 'keptLogMass'): Float32Array =>
    Float32Array.from([...first[field], ...second[field].subarray(from)]);
  const tokens = Int32Array.from([...first.tokens, ...second.tokens.subarray(from)]);
  const labels = new Uint8Array(tokens.length);
  labels.set(first.labels ?? []);
  labels.set((second.labels ?? new Uint8Array(second.tokens.length)).subarray(from), first.tokens.length);
  return {
    tokens,
    labels,
    logprobs: floats('logprobs'),
    entropies: floats('entropies'),
    keptLogMass: floats('keptLogMass'),
    finishReason: second.finishReason,
  };
}
