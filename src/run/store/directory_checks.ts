/** Whether a directory may take a run, holds one to resume, and is still there when the run saves. */

import { commandName } from '../../command_name.ts';
import { resolvedYaml } from '../../config/dump.ts';
import type { RunConfig } from '../../config/run_config.ts';
import { CheckpointError } from '../../errors.ts';
import { printable, shellQuoted } from '../../format.ts';
import { BEST_FOLDER } from '../checkpoint/best_weights.ts';
import { describeRun } from '../describe_run.ts';
import { type Fingerprint, readFingerprint } from '../fingerprint/fingerprint.ts';
import { MODEL_FOLDER } from '../model/model_files.ts';
import { resumeCommand } from '../resume_command.ts';
import type { Claim, Store } from './store.ts';

/** A run directory, and its name for messages. */
interface Place {
  readonly store: Store;
  readonly directory?: string;
}

const UNNAMED = 'the output directory';

/** Files of a run besides config.yaml, and metrics.jsonl and fingerprint.json, which show that there is a run. */
const WRITTEN = [
  'completions.jsonl',
  'fleet.jsonl',
  'checkpoints',
  BEST_FOLDER,
  MODEL_FOLDER,
  'summary.json',
  'failure.json',
] as const;

/**
 * Checks that a save can be found again. @throws CheckpointError `directory-lost` if the directory was removed, or
 * another run has taken it
 */
export async function requireDirectory({ store, directory = UNNAMED }: Place, claim: Claim): Promise<void> {
  const isThere = (await store.exists('config.yaml')) && (await store.exists('fingerprint.json'));
  if (isThere && (await claim.holds())) return;
  const loss = isThere ? 'was taken by another run' : 'was removed';
  throw new CheckpointError(
    'directory-lost',
    `${directory}  ${loss} while this run was under way: it ends here, and nothing more of it is saved.`,
    { directory },
  );
}

/** @throws CheckpointError where the directory holds a run, or files that a run would write over */
export async function requireFresh({ store, directory = UNNAMED }: Place, config: RunConfig): Promise<void> {
  if ((await store.exists('fingerprint.json')) || (await store.exists('metrics.jsonl'))) {
    const isFinished = await store.exists('summary.json');
    const way = isFinished
      ? `look at it     ${commandName()} eval ${shellQuoted(directory)}`
      : `resume it      ${resumeCommand(directory)}`;
    throw new CheckpointError(
      'directory-in-use',
      `${printable(directory)}  holds ${await describeRun(store)}; a second run in it would mix the two.\n` +
        `  ${way}\n` +
        '  keep it        give this run another --output, or none for a new directory under runs/\n' +
        `  start over     remove ${directory} first`,
    );
  }
  const written = await store.read('config.yaml'); // of a start that was cut short, where it is this very config
  const isOurs = written !== undefined && new TextDecoder().decode(written) === resolvedYaml(config);
  for (const name of ['config.yaml', ...WRITTEN]) {
    if ((name === 'config.yaml' && isOurs) || !(await store.exists(name))) continue;
    const rule = `holds ${name}, which is of no run and would be written over`;
    throw new CheckpointError('directory-in-use', `${directory}  ${rule}; give an empty or new --output.`);
  }
}

/** The fingerprint of the directory's run. @throws CheckpointError if there is none */
export async function requireRun({ store, directory = UNNAMED }: Place): Promise<Fingerprint> {
  const recorded = await readFingerprint(store);
  if (recorded !== undefined) return recorded;
  const rule = 'holds no run to resume (no fingerprint.json)';
  throw new CheckpointError(
    'no-run',
    `${directory}  ${rule}; give the --output of one, or start one without --resume.`,
  );
}
