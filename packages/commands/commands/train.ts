/** The command `train` with all that the package has: one run, or one per seed and setting. */

import {
  DIRECTORY_FLAGS,
  MACHINE_FLAGS,
  PRINTED_FLAGS,
  TRAIN_COMMAND,
  WHAT_FLAGS,
} from '../../../src/cli/commands/train.ts';
import { print } from '../../../src/cli/display/output.ts';
import { command } from '../../../src/cli/flags/command.ts';
import { type Flag, grouped, integer, text, toggle } from '../../../src/cli/flags/flag.ts';
import { withConfigWord } from '../../../src/cli/mistaken_words.ts';
import { parseSeeds } from '../training/seed_list.ts';
import { readSweep, type Sweep } from '../training/sweep_list.ts';
import { TRUST } from './shared_flags.ts';

const SWEEP: Flag<readonly Sweep[]> = {
  text: 'a run per value of a key, with each of --seeds: learning_rate=1e-4,3e-4; repeatable',
  value: '<key=values>',
  isRepeatable: true,
  excludes: ['dryRun'],
  read: readSweep,
};

const SEEDS: Flag<readonly number[]> = {
  text: 'a run per seed, one after the other: 0..4 or 0,3,7; ends with median and range',
  value: '<list>',
  excludes: ['seed', 'dryRun'],
  read: parseSeeds,
};

const VERIFY_SHARE: Flag<number> = {
  text: 'share of the groups of --fleet that are sampled again here, and compared',
  value: '<share>',
  otherwise: '0.05',
  excludes: ['dryRun'],
  read(given) {
    const share = Number(given);
    if (given.trim() !== '' && share >= 0 && share <= 1) return share;
    throw new RangeError('use a share from 0 to 1');
  },
};

const { config, set, seed, maxSteps } = WHAT_FLAGS;

export const TRAIN = command({
  ...TRAIN_COMMAND,
  flags: {
    ...grouped('What to train:', {
      config,
      set,
      seed,
      seeds: SEEDS,
      sweep: SWEEP,
      maxSteps,
      trust: TRUST,
      dryRun: toggle('show resolved config, memory, problems and time on this machine; write nothing'),
    }),
    ...grouped('Run directory:', DIRECTORY_FLAGS),
    ...grouped('Machine:', {
      ...MACHINE_FLAGS,
      listAdapters: toggle('print the WebGPU adapters of this machine, and stop'),
      ui: toggle('serve the page of the run on this machine while it is under way', { excludes: ['dryRun'] }),
    }),
    ...grouped('Other processes that sample (docs/fleet.md); they change no bit of the run:', {
      fleet: text('<url>', 'the NATS server that workers are at, as nats://learner:password@host:4222', {
        excludes: ['dryRun'],
      }),
      workers: integer('<number>', 'start workers on this machine; without --fleet a nats-server of their own, too', {
        min: 1,
        max: 256,
        excludes: ['dryRun'],
      }),
      verifyShare: VERIFY_SHARE,
    }),
    ...grouped('What is printed (a live region on a terminal, else lines; NO_COLOR is heeded):', PRINTED_FLAGS),
  },
  examples: [
    { words: '', does: 'the main job, configs/countdown.yaml' },
    { words: 'sort-digits', does: 'another shipped config, or a file of yours' },
    { words: 'sort-digits --seeds 0..4', does: 'five runs, then median and range; the same again resumes' },
    {
      words: 'sort-digits --sweep learning_rate=3e-4,1e-3',
      does: 'two runs, and which rate was better; the same again resumes',
    },
    { words: 'sort-digits --dry-run', does: 'resolved config, memory, problems, time; writes nothing' },
    { words: 'sort-digits --workers 2', does: 'two more processes sample; the bits are those of one' },
    { words: '--resume', does: 'resume the newest run that can be' },
    { words: '--resume --output runs/countdown', does: 'with this one; the directory knows the config' },
  ],
  async run(words, given, all) {
    const flags = withConfigWord(given, words, all);
    if (flags.listAdapters) return printAdapters();
    const { seeds, sweep, ...options } = flags;
    if (seeds ?? sweep) {
      const { seedsCommand } = await import('../training/seeds.ts');
      return seedsCommand({ ...options, seeds, sweep }, process.argv.slice(2));
    }
    return (await import('../training/whole_training.ts')).trainWhole(options);
  },
});

/** One line an adapter. @throws BackendError where the package is not installed or cannot be loaded */
async function printAdapters(): Promise<void> {
  const { probedAdapters } = await import('../../webgpu/gpu_probe.node.ts');
  const adapters = await probedAdapters();
  print(adapters.length === 0 ? 'no WebGPU adapter on this system' : adapters.join('\n'));
}
