/** Collects the fingerprint of a run in Node. Nothing is spawned: the git commit is read from `.git`. */
import { readFileSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { packageFile } from '../../package_folder.node.ts';
import type { Fingerprint } from './fingerprint.ts';
import type { RunFingerprint } from './run_fingerprint.ts';

/** What only the caller knows; the machine supplies the rest. */
export type FingerprintInputs = RunFingerprint &
  Pick<Fingerprint, 'modules'> & {
    /** Whose git commit to record; default the working directory. */
    readonly directory?: string;
  };

/** The fingerprint of a run on this machine, with this Node and this version of the package. */
export function collectFingerprint({ directory = process.cwd(), ...given }: FingerprintInputs): Fingerprint {
  return {
    packageVersion: packageVersion(),
    backend: given.backend,
    backendFeatures: given.backendFeatures,
    engine: `v8 ${process.versions.v8}`,
    ...(given.mathematics !== undefined && { mathematics: given.mathematics }),
    runtime: `node ${process.versions.node}`,
    platform: process.platform,
    arch: process.arch,
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
    threads: given.threads,
    seed: given.seed,
    gitCommit: readGitCommit(directory),
    configHash: given.configHash,
    ...(given.base && { base: given.base }),
    ...(given.models && { models: given.models }),
    ...(given.start !== undefined && { start: given.start }),
    ...(given.taskNames && { taskNames: given.taskNames }),
    ...(given.sandboxes && { sandboxes: given.sandboxes }),
    ...(given.modules && Object.keys(given.modules).length > 0 && { modules: given.modules }),
  };
}

/** Version of this package. */
export function packageVersion(): string {
  const text = readFileSync(packageFile('package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string }; // npm refuses a package without one
  return version;
}

/** Commit checked out in the repository around `directory`; null outside one and before the first commit. */
export function readGitCommit(directory: string): string | null {
  const gitDirectory = findGitDirectory(resolve(directory));
  const head = gitDirectory && readText(join(gitDirectory, 'HEAD'));
  if (gitDirectory === undefined || head === undefined) return null;
  const reference = /^ref: (.+)$/.exec(head)?.[1];
  if (reference === undefined) return isCommit(head) ? head : null;
  // A linked worktree keeps its HEAD to itself and shares the branches.
  const common = readText(join(gitDirectory, 'commondir'));
  const shared = common === undefined ? gitDirectory : resolve(gitDirectory, common);
  const commit = readText(join(shared, reference)) ?? findPackedReference(shared, reference);
  return commit !== undefined && isCommit(commit) ? commit : null;
}

/** `.git` is a directory, or in worktrees and submodules a file that says where the directory is. */
function findGitDirectory(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, '.git');
    const status = statSync(candidate, { throwIfNoEntry: false });
    if (status?.isDirectory()) return candidate;
    if (status?.isFile()) {
      const target = /^gitdir: (.+)$/.exec(readText(candidate) ?? '')?.[1];
      return target === undefined || isAbsolute(target) ? target : resolve(folder, target);
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function findPackedReference(gitDirectory: string, reference: string): string | undefined {
  const lines = readText(join(gitDirectory, 'packed-refs'))?.split('\n') ?? [];
  return lines.find((line) => line.endsWith(` ${reference}`))?.split(' ')[0];
}

/** Text of a file without surrounding white space; undefined when it cannot be read, as on a branch unborn. */
function readText(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8').trim() : undefined;
}

function isCommit(text: string): boolean {
  return /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(text);
}
