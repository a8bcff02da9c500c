import { THREADS } from '../../../src/cli/commands/train.ts';
import { command } from '../../../src/cli/flags/command.ts';
import { text, toggle } from '../../../src/cli/flags/flag.ts';
import { refuseWords } from '../../../src/cli/mistaken_words.ts';
import { FleetError } from '../../../src/errors.ts';

export const WORKER = command({
  name: 'worker',
  does: 'sample completions for trainings with --fleet, until it is stopped; it joins and leaves at any moment',
  usage: '--fleet <url>',
  explainsWords: true,
  flags: {
    fleet: text('<url>', 'the NATS server, as nats://worker:password@host:4222 or tls://…', {
      otherwise: 'RLVR_FLEET of the environment',
    }),
    threads: THREADS,
    quiet: toggle('print nothing but mistakes'),
  },
  examples: [
    { words: 'worker --fleet nats://10.0.0.5:4222', does: 'lend this machine to the runs of a fleet (docs/fleet.md)' },
    { words: 'worker --fleet nats://10.0.0.5:4222 --threads 1', does: 'lend one thread of it' },
  ],
  async run(words, { fleet = process.env.RLVR_FLEET, ...flags }, all) {
    refuseWords(words, all);
    if (fleet === undefined || fleet === '') {
      throw new FleetError('fleet-address', '--fleet: missing — give the server of the fleet, as nats://host:4222.');
    }
    await (await import('../actions/worker.ts')).workerCommand(fleet, flags);
  },
});
