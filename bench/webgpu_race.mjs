/** Steps of one size on webgpu, and in turn with them on wasm, in plain PyTorch and in TRL: rollouts and whole steps. */
import { wasmBackend, webgpuBackend } from '../build/packages/rlvr-train/index.js';
import { fail } from './command.mjs';
import { startTorch, startTrl } from './peers/gpu_sides.mjs';
import { openSide, parametersOf } from './policy_side.mjs';
import { compare, takeTurns } from './turns.mjs';

const WARMUP = 2;
/** Nats, for the mean over 4,096 tokens; fewer tokens differ by more. */
const ENTROPY_TOLERANCE = 0.02;

/**
 * @param peers      what findPeers gave
 * @param endSeconds of process.uptime(): the sides share the time until then
 * @returns parameters; `peers`, what each says of itself; `stopped`, why a side has no figures or fewer; `limitSeconds`
 *   of a side; `results`, of rollouts and of steps; and the raw seconds of all turns
 */
export async function measureRace(gpu, size, { besideWasm, peers, repeats, endSeconds }) {
  const side = await openSide(await webgpuBackend(gpu), size);
  const wasm = besideWasm ? await openSide(await wasmBackend(), size) : undefined;
  const { started, stopped } = await startPeers(peers, size, side.policy, WARMUP + repeats);
  try {
    const sides = { webgpu: side.step, ...(wasm && { wasm: wasm.step }) };
    for (const [name, { ask }] of Object.entries(started)) sides[name] = () => ask({});
    const limitSeconds = (endSeconds - process.uptime()) / Object.keys(sides).length;
    const taken = await takeTurns(sides, { warmup: WARMUP, repeats, limitSeconds });
    check(taken, size);
    for (const [name, { stopped: why }] of Object.entries(taken)) if (why !== undefined) stopped[name] = why;
    return {
      parameters: parametersOf(side),
      peers: Object.fromEntries(Object.entries(started).map(([name, { hello }]) => [name, identityOf(hello)])),
      stopped,
      limitSeconds,
      results: {
        rollout: compare(taken, ({ split }) => split.rollout, 'webgpu'),
        step: compare(taken, ({ seconds }) => seconds, 'webgpu'),
      },
      turns: Object.fromEntries(Object.entries(taken).map(([name, { turns }]) => [name, turns.map(rawOf)])),
    };
  } finally {
    for (const { close } of Object.values(started)) close();
    await side.close();
    await wasm?.close();
  }
}

const identityOf = ({ device, cuda, versions, microBatch }) => ({ device, cuda, versions, microBatch });
const rawOf = ({ turn, seconds, split }) => ({ turn, seconds, rollout: split.rollout });

/** Starts both peers at once. One that does not start is said, and missed. */
async function startPeers(peers, size, policy, turns) {
  const started = {};
  const stopped = {};
  if (peers.python === undefined) return { started, stopped };
  const start = async (name, starting) => {
    try {
      started[name] = await starting;
    } catch (error) {
      if (error.name !== 'PeerError') throw error;
      stopped[name] = error.message;
    }
  };
  const starts = [start('torch', startTorch(peers, size))];
  if (peers.missing.length === 0) starts.push(start('trl', startTrl(peers, size, policy, turns)));
  await Promise.all(starts);
  return { started, stopped };
}

/** Ours has learned; TRL began with the same policy, and did the full work. TRL's figures do not count otherwise. */
function check(taken, size) {
  for (const name of ['webgpu', 'wasm'])
    for (const { gradNorm } of taken[name]?.turns ?? [])
      if (!(gradNorm > 0)) fail(`${name}: a step whose gradient has norm ${gradNorm}.`);
  const { trl, webgpu } = taken;
  if (trl === undefined || trl.turns.length === 0) return;
  const [mine, other] = [webgpu.turns[0].entropy, trl.turns[0].metrics.entropy];
  const tokens = size.prompts * size.groupSize * size.completionTokens;
  const tolerance = ENTROPY_TOLERANCE * Math.sqrt(Math.max(1, 4096 / tokens));
  const isShort = trl.turns.some(({ metrics }) => metrics['completions/mean_length'] !== size.completionTokens);
  if (Math.abs(mine - other) > tolerance)
    trl.stopped = `began with an entropy of ${other} nats, ours with ${mine}: not the same policy, so no figures`;
  else if (isShort) trl.stopped = `completions of other lengths than ${size.completionTokens}, so no figures`;
  else return;
  trl.turns = [];
}
