// The engine: a loop over recorded commands, run by every thread in lock-step.
//
// Job block in shared memory: number of the job (the host raises it) and of the finished one, count of programs
// (−1: stop), then pairs (first command, number of commands).
import { adamw, gradientNorm } from './adamw';
import { setCommand, WORD } from './arguments';
import { attention } from './attention';
import { attentionBackward } from './attention_backward';
import { Command, COMMAND_WORDS } from './command';
import { add, copy, fill, mix, scale } from './elementwise';
import { embedding, embeddingBackward } from './embedding';
import { gatherRows, gatherRowsBackward } from './gather_rows';
import { groupAdvantages } from './group_advantages';
import { linear, linearInputGradient, linearWeightGradient, packWeight } from './linear';
import { linearLogprob, linearLogprobBackward } from './linear_logprob';
import { magnitudeGradient, magnitudeScale, scaleColumns } from './magnitudes';
import { PANEL_BYTES } from './matmul';
import { chains, STRIP_BYTES } from './micro_kernel';
import { policyObjective } from './policy_objective';
import { began } from './profile';
import { rmsNorm, rmsNormBackward } from './rms_norm';
import { rotary, rotaryBackward } from './rotary';
import { sample } from './sample';
import { JOB_FINISHED, JOB_LIST, JOB_NUMBER, JOB_PROGRAMS } from './sizes';
import { swiglu, swigluBackward } from './swiglu';
import { barrier, setThread, thread } from './threads';

/** Bytes from the start of the job block. */
const NUMBER: usize = JOB_NUMBER << 2;
const FINISHED: usize = JOB_FINISHED << 2;
const PROGRAMS: usize = JOB_PROGRAMS << 2;
const LIST: usize = JOB_LIST << 2;
/** Bytes of a command. */
const COMMAND_BYTES: usize = COMMAND_WORDS * WORD;

function runCommand(kernel: i32): void {
  switch (kernel) {
    case Command.embedding: return embedding();
    case Command.embeddingBackward: return embeddingBackward();
    case Command.rmsNorm: return rmsNorm();
    case Command.rmsNormBackward: return rmsNormBackward();
    case Command.linear: return linear();
    case Command.linearInputGradient: return linearInputGradient();
    case Command.linearWeightGradient: return linearWeightGradient();
    case Command.rotary: return rotary();
    case Command.rotaryBackward: return rotaryBackward();
    case Command.attention: return attention();
    case Command.attentionBackward: return attentionBackward();
    case Command.swiglu: return swiglu();
    case Command.swigluBackward: return swigluBackward();
    case Command.gatherRows: return gatherRows();
    case Command.gatherRowsBackward: return gatherRowsBackward();
    case Command.linearLogprob: return linearLogprob();
    case Command.linearLogprobBackward: return linearLogprobBackward();
    case Command.sample: return sample();
    case Command.groupAdvantages: return groupAdvantages();
    case Command.policyObjective: return policyObjective();
    case Command.gradientNorm: return gradientNorm();
    case Command.adamw: return adamw();
    case Command.fill: return fill();
    case Command.add: return add();
    case Command.copy: return copy();
    case Command.packWeight: return packWeight();
    case Command.mix: return mix();
    case Command.scale: return scale();
    case Command.scaleColumns: return scaleColumns();
    case Command.magnitudeScale: return magnitudeScale();
    case Command.magnitudeGradient: return magnitudeGradient();
    default: unreachable();
  }
}

function runPrograms(job: usize): void {
  const programs = load<i32>(job, PROGRAMS);
  for (let p = 0; p < programs; p++) {
    let command = <usize>load<i32>(job + LIST + (<usize>p << 3));
    const end = command + <usize>load<i32>(job + LIST + 4 + (<usize>p << 3)) * COMMAND_BYTES;
    for (; command < end; command += COMMAND_BYTES) {
      began(command);
      setCommand(command);
      runCommand(load<i32>(command));
      barrier();
    }
  }
}

/** Runs the micro-kernel `rounds` times over what lies at `at`: how fast is it in this engine? */
export function tryTile(at: usize, K: i32, rounds: i32): void {
  const panel = at + <usize>K * STRIP_BYTES;
  const out = panel + <usize>K * PANEL_BYTES;
  for (let i = 0; i < rounds; i++) chains(at, panel, K, out, PANEL_BYTES, false, false);
}

/** One thread alone: runs the posted programs and returns. */
export function runHere(job: usize, control: usize, strips: usize, scratch: usize): void {
  setThread(0, 1, control, strips, scratch, false);
  barrier();
  runPrograms(job);
}

/** A worker's life: waits for jobs until the count of programs is −1. */
export function work(
  index: i32, count: i32, job: usize, control: usize, strips: usize, scratch: usize, oversubscribed: i32,
): void {
  if (ASC_FEATURE_THREADS) {
    setThread(index, count, control, strips, scratch, oversubscribed != 0);
    let seen = 0;
    while (true) {
      while (atomic.load<i32>(job + NUMBER) == seen) atomic.wait<i32>(job + NUMBER, seen, -1);
      seen++;
      if (load<i32>(job, PROGRAMS) < 0) return;
      began(0);
      barrier();
      runPrograms(job);
      if (thread == 0) {
        atomic.store<i32>(job + FINISHED, seen);
        atomic.notify(job + FINISHED, -1);
      }
    }
  }
}
