/**
 * What does an episode of eight turns cost, against the same tokens in one turn?
 *
 *   npm run bench -- episodes [--repeats 15] [--quick] [--threads 2] [--json FILE]
 *
 * Whole GRPO steps at the race's shape. The policy of random weights ends a turn when it draws one of four words, so turns
 * have very different lengths; each but the last is read as text, answered by four tokens, and the next one follows. Another side
 * samples, prompt by prompt, completions of exactly the same lengths without a stop. Two more play the episodes as a fleet does, a
 * task for each turn: of a worker that has the keys and values of the turn before, and of another one, which computes the
 * tokens before it again; nothing goes over a wire. The four take turns.
 */
import { KeptTurns } from '../build/packages/fleet/episodes/kept_turns.js';
import { sampleEpisodes } from '../build/packages/fleet/episodes/turns.js';
import { wasmBackend } from '../build/packages/rlvr-train/index.js';
import { localGenerator } from '../build/src/grpo/generator.js';
import { generateEpisodes } from '../build/src/model/sampling/episodes.js';
import { completionOf } from '../build/src/model/sampling/generation.js';
import { openSampler } from '../build/src/model/sampling/sampler.js';
import {
  describeMachine,
  machineLine,
  readFlags,
  readThreads,
  spread,
  THREADS_FLAG,
  table,
  writeJson,
} from './command.mjs';
import { openSide, RACE_SIZE } from './policy_side.mjs';
import { compare, takeTurns } from './turns.mjs';

const TURNS = 8;
const TURN_TOKENS = 16;
const OBSERVATION_TOKENS = 4;
/** Words that end a turn: one in eight. */
const ENDS = [2, 3, 4, 5];
/** Most seconds that a side takes. */
const LIMIT_SECONDS = 600;

const flags = readFlags({ further: THREADS_FLAG });
const { repeats, quick, json } = flags;
const threads = readThreads(flags);
const machine = describeMachine();
const size = { ...RACE_SIZE, completionTokens: TURNS * TURN_TOKENS + (TURNS - 1) * OBSERVATION_TOKENS };

/** Lengths of the episodes of each step, for the side that samples them in one turn. */
const lengths = [];
const tokens = [];

/** Answers turns as `grpo/` does: a turn becomes text, and what is said becomes tokens. */
function answering(requests) {
  const played = requests.map(({ rolloutNumbers }) => rolloutNumbers.map(() => 0));
  return (ended) =>
    ended.map(({ request, completion, tokens: all, begin }) => {
      if (++played[request][completion] === TURNS) return 'stop';
      const said = String.fromCharCode(...all.subarray(begin).map((id) => 64 + id));
      return Array.from({ length: OBSERVATION_TOKENS }, (_, i) => 6 + ((said.length + i) % 20));
    });
}

const turnsOf = (requests) => ({ turnTokens: requests.map(() => TURN_TOKENS), after: answering(requests) });

async function inTurns(policy, requests, settings) {
  const kept = await generateEpisodes(
    policy,
    requests,
    { ...settings, fixedCompletionTokens: undefined, stopIds: ENDS, keep: true },
    turnsOf(requests),
  );
  lengths.push(kept.completions.map((group) => group.map((completion) => completion.tokens.length)));
  tokens.push(kept.completions.flat().map((completion) => completion.tokens.length - given(completion)));
  return kept;
}

/** @param sample  requests and settings of a task → [requests][rollouts] completions */
async function inTasks(requests, settings, sample) {
  const asked = requests.map(({ prompt, rolloutNumbers }) => ({
    prompt,
    rollouts: rolloutNumbers.map((rollout) => ({ rollout })),
  }));
  const how = { ...settings, fixedCompletionTokens: undefined, stopIds: ENDS };
  return { completions: await sampleEpisodes(asked, how, turnsOf(requests), sample), places: undefined };
}

const again = (policy, requests, settings) => {
  const local = localGenerator(policy, () => 0);
  return inTasks(requests, settings, async (...task) => (await local.sample(...task)).completions);
};

async function byItsOwn(policy, requests, settings) {
  const turns = new KeptTurns(policy);
  const weights = { version: 0, sha256: '', bytes: 4 };
  const isGiven = (length, begun) => new Uint8Array(length).fill(1, 0, begun);
  return inTasks(requests, settings, async (asked, how) => {
    const sampled = await turns.sample({ requests: asked, settings: how, weights });
    return sampled.map((own, i) =>
      own.map((completion, k) => ({
        ...completion,
        labels: isGiven(completion.tokens.length, asked[i].rollouts[k].tokens?.length ?? 0),
      })),
    );
  });
}

const given = ({ labels }) => (labels ?? []).filter((label) => label !== 0).length;

async function inOneTurn(policy, requests, settings) {
  const own = lengths.shift();
  const sampler = openSampler(policy, { ...settings, keep: true });
  const sequences = requests.map(({ prompt, rolloutNumbers }, i) =>
    sampler.add(
      rolloutNumbers.map((number, k) => ({
        prefix: prompt,
        rolloutNumbers: [number],
        stopIds: [],
        maxTokens: own[i][k],
      })),
    ),
  );
  await sampler.run(sequences.flat());
  return {
    completions: sequences.map((group) => group.map((sequence) => completionOf(sequence, 'stop'))),
    places: sequences.map((group) => sampler.keptRows(group)),
  };
}

const backend = () => wasmBackend({ threads });
const sides = {
  'eight turns': await openSide(await backend(), size, { sample: inTurns }),
  'one turn': await openSide(await backend(), size, { sample: inOneTurn }),
  'a task a turn': await openSide(await backend(), size, { sample: again }),
  'its own worker': await openSide(await backend(), size, { sample: byItsOwn }),
};
try {
  const work = Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, () => side.step()]));
  const taken = await takeTurns(work, { warmup: quick ? 1 : 3, repeats, limitSeconds: LIMIT_SECONDS });
  report(taken);
} finally {
  for (const side of Object.values(sides)) await side.close();
}

function report(taken) {
  const parts = {
    step: ({ seconds }) => seconds,
    rollout: ({ split }) => split.rollout,
    update: ({ split }) => split.update,
  };
  const figures = Object.fromEntries(Object.entries(parts).map(([part, of]) => [part, compare(taken, of, 'one turn')]));
  const ratio = ({ ratio: { ofMedians, paired } }) =>
    `${ofMedians.toFixed(2)} (${paired.low.toFixed(2)}–${paired.high.toFixed(2)})`;
  const rows = Object.entries(figures).map(
    ([part, { 'one turn': one, 'eight turns': eight, 'a task a turn': task, 'its own worker': going }]) => [
      part,
      ...[one, eight, task, going].map((seconds) => spread(seconds)),
      ...[eight, task, going].map(ratio),
    ],
  );
  const sampled = tokens.flat();
  const meanSampled = sampled.reduce((sum, count) => sum + count, 0) / sampled.length;
  const meanLength = meanSampled + (TURNS - 1) * OBSERVATION_TOKENS;
  process.stdout.write(
    `${[
      machineLine(machine),
      `${size.prompts} prompts × ${size.groupSize} episodes of ${TURNS} turns: ${meanLength.toFixed(1)} tokens on average, of which ${meanSampled.toFixed(1)} are sampled`,
      `${threads} threads, ${repeats} repeats in turn; seconds, with quartiles`,
      '',
      table(
        [
          '',
          'one turn',
          'eight turns',
          'a task a turn',
          'its own worker',
          'ratio of eight turns',
          'of a task a turn',
          'of its own worker',
        ],
        rows,
      ),
    ].join('\n')}\n`,
  );
  if (json === undefined) return;
  const settings = { turns: TURNS, turnTokens: TURN_TOKENS, observationTokens: OBSERVATION_TOKENS, threads };
  writeJson(json, 'episodes', { machine, settings, meanLength, meanSampled, figures });
}
