/**
 * How fast does one worker process sample, beside the same process alone?
 *
 *   npm run bench -- fleet-worker [--repeats 15] [--quick] [--json FILE]
 *
 * A batch of the race's workload is sampled by this process, and then by one worker process over a NATS server of this machine
 * (`nats-server` on the PATH), by turns: one thread each, and while the worker samples this process waits, so that two cores
 * are enough. The weights are the same for all batches, as they are for the batches of an evaluation, and sent once; no answer
 * is sampled again. Seconds are those of a wall clock, what a core did besides included; seconds of a processor are counted
 * beside them, of this process for the one side and of the worker for the other, which a busy machine changes less.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Fleet } from '../build/packages/fleet/fleet.js';
import { startLocalServer } from '../build/packages/fleet/nats/local_server.node.js';
import { connectLearner } from '../build/packages/fleet/nats/nats_connect.node.js';
import { randomHex } from '../build/packages/fleet/random_hex.js';
import { runCard } from '../build/packages/fleet/run_card.js';
import { localGenerator } from '../build/src/grpo/generator.js';
import { packageVersion } from '../build/src/run/fingerprint/fingerprint.node.js';
import { describeMachine, fail, machineLine, readFlags, spread, table, writeJson } from './command.mjs';
import { summarize } from './statistics.mjs';
import { openWorkload, RACE, workloadLine } from './workload.mjs';

const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
/** Ticks of a processor in a second, as /proc counts them. */
const TICKS = 100;
/** Rollouts of a batch: a small one, and one as configs/countdown.yaml samples it. */
const BATCHES = [128, 512];

const flags = readFlags();
const machine = describeMachine();
const run = await openWorkload(RACE, { threads: 1 });
const { policy, tasks } = run.engine;
const server = await startLocalServer().catch(({ message }) => fail(message));
const fleet = new Fleet(await connectLearner(server.learnerUrl), { verifyShare: 0, say: () => undefined });
await fleet.open(randomHex(8), runCard(run, packageVersion()));
const worker = spawn(process.execPath, [COMMAND, 'worker', '--threads', '1', '--quiet'], {
  env: { ...process.env, RLVR_FLEET: server.workerUrl },
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
const local = localGenerator(policy, () => 0);
const remote = fleet.generator(policy, local);
while (fleet.figures.workers === 0) await new Promise((resolve) => setTimeout(resolve, 50));

const rows = [];
for (const rollouts of BATCHES) {
  const turns = { alone: [], worker: [] };
  for (let turn = -2; turn < flags.repeats; turn++) {
    // The first two warm both processes up, and the worker's first group is compared with this process's.
    const alone = await timed(
      local,
      rollouts,
      turn,
      () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
    );
    const there = await timed(remote, rollouts, turn, workerSeconds);
    if (turn >= 0) {
      turns.alone.push(alone);
      turns.worker.push(there);
    }
  }
  rows.push({ rollouts, ...figures(turns) });
}
worker.disconnect();
await fleet.close();
await server.close();
report();
process.exit(0); // the connections' timers would keep it for a while

async function timed(generator, rollouts, turn, processorSeconds) {
  const groups = rollouts / RACE.groupSize;
  const requests = Array.from({ length: groups }, (_, g) => ({
    prompt: tasks.promptTokens(tasks.trainItem(Math.abs(turn), g)),
    rollouts: Array.from({ length: RACE.groupSize }, (__, i) => ({ rollout: g * RACE.groupSize + i })),
  }));
  const before = processorSeconds();
  const start = performance.now();
  const { completions } = await generator.sample(requests, {
    sampling: { temperature: 1, topK: 0, topP: 1, minP: null },
    samplingKey: [Math.abs(turn), 0],
    maxCompletionTokens: RACE.completionTokens,
    stopIds: tasks.codec.stopIds,
    fixedCompletionTokens: RACE.completionTokens,
  });
  const seconds = (performance.now() - start) / 1000;
  const tokens = completions.flat().reduce((sum, completion) => sum + completion.tokens.length, 0);
  return { seconds, processor: processorSeconds() - before, tokens };
}

/** Seconds of a processor that the worker has had, as Linux counts them; NaN elsewhere. */
function workerSeconds() {
  try {
    const fields = readFileSync(`/proc/${worker.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return Number.NaN;
  }
}

function figures({ alone, worker: there }) {
  const ratio = (of) => alone.map((turn, i) => turn[of] / there[i][of]);
  const sum = (turns, of) => turns.reduce((total, turn) => total + turn[of], 0);
  const speed = (turns) => sum(turns, 'tokens') / sum(turns, 'seconds');
  return {
    tokensPerSecond: { alone: speed(alone), worker: speed(there) },
    wall: summarize(ratio('seconds')),
    processor: sum(alone, 'processor') / sum(there, 'processor'),
  };
}

function report() {
  const lines = rows.map(({ rollouts, tokensPerSecond, wall, processor }) => [
    rollouts,
    Math.round(tokensPerSecond.alone),
    Math.round(tokensPerSecond.worker),
    spread(wall),
    processor.toFixed(3),
  ]);
  const heads = ['rollouts', 'tokens/s here', 'by the worker', 'ratio (quartiles)', 'ratio of processor time'];
  process.stdout.write(
    `${[machineLine(machine), workloadLine(RACE, run), `one thread each, ${flags.repeats} repeats by turns`, '', table(heads, lines)].join('\n')}\n`,
  );
  if (flags.json !== undefined) writeJson(flags.json, 'fleet-worker', { machine, settings: RACE, rows });
}
