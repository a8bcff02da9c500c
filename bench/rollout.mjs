/**
 * How fast is sampling, against transformers' generate on the same machine?
 *
 *   npm run bench -- rollout [--repeats 15] [--quick] [--threads 2] [--json FILE]
 *
 * Same weights, same prompts, temperature 1, full vocabulary, exactly 32 tokens per completion. generate gets every prompt
 * once per completion, as TRL calls it; ours gets it once per group. Ours also gives log-probs and entropies.
 */
import { generate } from '../build/src/model/sampling/generation.js';
import { describeMachine, fail, machineLine, readFlags, readThreads, THREADS_FLAG, writeJson } from './command.mjs';
import { startSide } from './peers/side.mjs';
import { race, raceTable, ratioLines, summaryOf } from './race.mjs';
import { openWorkload, RACE, VOCABULARY, workloadLine } from './workload.mjs';

const flags = readFlags({ further: THREADS_FLAG });
const { repeats, quick, json } = flags;
const threads = readThreads(flags);
const tokens = RACE.prompts * RACE.groupSize * RACE.completionTokens;
const machine = describeMachine();
const run = await openWorkload(RACE, { threads });
const peer = await startSide('generate.py', run, { threads, completionTokens: RACE.completionTokens });
try {
  const result = await race({
    ours: sample,
    theirs: peer && ((turn) => peer.ask({ prompts: promptsOf(turn).flatMap(repeated) })),
    warmup: quick ? 1 : 5,
    repeats,
  });
  for (const { tokens: seen } of [...result.ours.turns, ...(result.theirs?.turns ?? [])])
    if (seen !== tokens) fail(`a turn sampled ${seen} tokens, not ${tokens}.`);
  report(result);
} finally {
  peer?.close();
  await run.engine.policy.close();
}

/** Prompts of a turn; the two sides get the same ones. */
function promptsOf(turn) {
  return Array.from({ length: RACE.prompts }, (_, i) =>
    run.engine.tasks.promptTokens(run.engine.tasks.trainItem(Math.abs(turn), i + (turn < 0 ? RACE.prompts : 0))),
  );
}

function repeated(prompt) {
  return Array.from({ length: RACE.groupSize }, () => Array.from(prompt));
}

async function sample(turn) {
  const prompts = promptsOf(turn);
  const start = performance.now();
  const completions = await generate(
    run.engine.policy,
    prompts.map((prompt, group) => ({
      prompt,
      rolloutNumbers: Array.from({ length: RACE.groupSize }, (_, i) => group * RACE.groupSize + i),
    })),
    {
      sampling: { temperature: 1, topK: 0, topP: 1, minP: null },
      samplingKey: [turn, 0],
      maxCompletionTokens: RACE.completionTokens,
      stopIds: run.engine.tasks.codec.stopIds,
      fixedCompletionTokens: RACE.completionTokens,
    },
  );
  const seconds = (performance.now() - start) / 1000;
  return { seconds, tokens: completions.flat().reduce((sum, completion) => sum + completion.tokens.length, 0) };
}

function report(result) {
  const names = {
    ours: `rlvr-train ${machine.package}, wasm`,
    theirs: peer && `transformers ${peer.versions.transformers}, PyTorch ${peer.versions.torch}`,
  };
  process.stdout.write(
    `${[
      machineLine(machine),
      `a rollout: ${workloadLine(RACE, run)}`,
      `temperature 1, full vocabulary, no EOS; ${threads} threads a side, ${repeats} repeats in turn`,
      '',
      raceTable(result, names, { count: tokens, unit: 'completion tokens/s' }),
      '',
      ...ratioLines(result, names),
    ].join('\n')}\n`,
  );
  if (json === undefined) return;
  writeJson(json, 'rollout', {
    machine,
    peer: peer?.versions,
    settings: { ...RACE, vocabulary: VOCABULARY, threads },
    tokensPerTurn: tokens,
    ...summaryOf(result),
  });
}
