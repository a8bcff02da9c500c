/** Explains system errors to the user: path, cause and remedy. */
import { CheckpointError } from '../../errors.ts';

export type FileAction = 'read' | 'written' | 'removed' | 'renamed';

/** The meaning of each system error for a run, and its remedy. */
const CAUSES: Readonly<Record<string, { code: string; cause: string; remedy: string }>> = {
  ENOSPC: {
    code: 'disk-full',
    cause: 'no space is left on the disk',
    remedy: 'Free space, or choose an output_dir on another disk',
  },
  EDQUOT: {
    code: 'disk-full',
    cause: 'your disk quota is used up',
    remedy: 'Free space, or choose an output_dir on another disk',
  },
  EACCES: {
    code: 'not-permitted',
    cause: 'permission is denied',
    remedy: 'Change its permissions, or choose an output_dir that you may write to',
  },
  EPERM: {
    code: 'not-permitted',
    cause: 'the system does not allow it',
    remedy: 'Change its permissions, or choose an output_dir that you may write to',
  },
  EROFS: {
    code: 'read-only',
    cause: 'the file system is read-only',
    remedy: 'Remount it, or choose an output_dir on another disk',
  },
  ENOENT: {
    code: 'no-directory',
    cause: 'its directory cannot be made there',
    remedy: 'Choose another output_dir',
  },
  ENOTDIR: {
    code: 'not-a-directory',
    cause: 'a file is where a directory is needed',
    remedy: 'Move that file away, or choose another output_dir',
  },
  EEXIST: {
    code: 'not-a-directory',
    cause: 'a file is where a directory is needed',
    remedy: 'Move that file away, or choose another output_dir',
  },
  EISDIR: {
    code: 'is-a-directory',
    cause: 'a directory is where a file is needed',
    remedy: 'Move that directory away, or choose another output_dir',
  },
};

/** Turns a failed file operation into the error that a user reads. `path` is absolute. */
export function describeFileError(error: unknown, action: FileAction, path: string): CheckpointError {
  const system = systemCode(error) ?? 'unknown';
  const message = error instanceof Error ? error.message : String(error);
  const explanation = CAUSES[system] ?? { code: 'file-failed', cause: message, remedy: 'Check the disk' };
  const cause =
    system === 'EEXIST' ? explanation.cause.replace('a file', blockerOf(error) ?? 'a file') : explanation.cause;
  const remedy =
    action === 'read'
      ? explanation.remedy.replace(/, or choose an output_dir.*/, '')
      : `${explanation.remedy}. Checkpoints that were complete before are untouched`;
  return new CheckpointError(explanation.code, `${path} cannot be ${action}: ${cause} (${system}). ${remedy}.`, {
    path,
    action,
    system,
    cause: message,
  });
}

/** The file that blocks a directory. */
function blockerOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string'
    ? `the file ${error.path}`
    : undefined;
}

/** `ENOENT`, …; undefined for an error that is not the system's. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
