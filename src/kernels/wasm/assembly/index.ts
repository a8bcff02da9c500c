// The engine: a loop over recorded commands, run by every thread in lock-step.
//
// Job block in shared memory: number of the job (the host raises it) and of the finished one, count of programs
// (−1: stop), then pairs (first command, number of commands).
import { setCommand, WORD } from './arguments';
import { COMMAND_WORDS } from './command';
import { PANEL_BYTES } from './matmul';
import { chains, STRIP_BYTES } from './micro_kernel';
import { began } from './profile';
import { runCommand } from './run_command';
import { JOB_FINISHED, JOB_LIST, JOB_NUMBER, JOB_PROGRAMS } from './sizes';
import { barrier, setThread, thread } from './threads';

/** Bytes from the start of the job block. */
const NUMBER: usize = JOB_NUMBER << 2;
const FINISHED: usize = JOB_FINISHED << 2;
const PROGRAMS: usize = JOB_PROGRAMS << 2;
const LIST: usize = JOB_LIST << 2;
/** Bytes of a command. */
const COMMAND_BYTES: usize = COMMAND_WORDS * WORD;

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
