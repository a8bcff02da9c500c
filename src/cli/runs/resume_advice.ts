/** Advice after a run ended by something that the user can fix, by its GPU, or because it learned nothing more. */
import { commandName } from '../../command_name.ts';
import { BackendError, CheckpointError, PluginError, RlvrError } from '../../errors.ts';
import { shellQuoted } from '../../format.ts';
import { newestCheckpoint } from '../../run/checkpoint/checkpoints.ts';
import { resumeCommand } from '../../run/resume_command.ts';
import type { Store } from '../../run/store/store.ts';

/** Failures of the disk, after which nothing about the run has to change. */
const OF_THE_DISK = new Set(['disk-full', 'not-permitted', 'read-only', 'file-failed']);

/** The error, with the command that resumes below its message, if there is a run to resume. */
export async function withResumeAdvice(error: unknown, store: Store, directory: string): Promise<unknown> {
  const isPlugin = error instanceof PluginError;
  const isLostDevice = error instanceof BackendError && error.code === 'device-lost';
  const isDisk = error instanceof CheckpointError && OF_THE_DISK.has(error.code);
  const isStuck = error instanceof RlvrError && error.code === 'nothing-to-learn';
  if (!isPlugin && !isLostDevice && !isDisk && !isStuck) return error;
  const saved = await whatIsSaved(store);
  if (saved === undefined) return error;
  if (isStuck) {
    const reportHint = `See its answers with:\n  ${commandName()} report ${shellQuoted(directory)}`;
    const resume = `With other settings, resume with:\n  ${resumeCommand(directory)} --force --set <key>=<value>`;
    return new RlvrError(error.code, `${error.message}\n${saved} ${reportHint}\n${resume}`, error.facts);
  }
  // A corrected file has another hash, which a resume refuses without --force.
  const advice = isPlugin
    ? `When the file is corrected, resume with:\n  ${resumeCommand(directory)} --force`
    : `${isLostDevice ? 'Resume' : 'Then resume'} with:\n  ${resumeCommand(directory)}`;
  const Kind = error.constructor as typeof RlvrError;
  return new Kind(error.code, `${error.message}\n${saved} ${advice}`, error.facts);
}

/** Undefined if no run has begun, or the disk cannot be read. */
async function whatIsSaved(store: Store): Promise<string | undefined> {
  try {
    if (!(await store.exists('fingerprint.json'))) return undefined;
    const newest = await newestCheckpoint(store);
    return newest === undefined ? 'No step was saved yet.' : `Everything up to ${newest} is saved.`;
  } catch (error) {
    if (error instanceof RlvrError) return undefined; // the error that is being reported says the same of this disk
    throw error;
  }
}
