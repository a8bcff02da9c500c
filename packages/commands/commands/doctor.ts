/**
 * `rlvr-train doctor`: what this machine gives a training, in lines that can be pasted into a bug report; with a file, what
 * the training of another program suffers from.
 */

import { command } from '../../../src/cli/flags/command.ts';
import { list, text, toggle } from '../../../src/cli/flags/flag.ts';
import { ConfigError } from '../../../src/errors.ts';

export const DOCTOR = command({
  name: 'doctor',
  does: 'what this machine gives a training, or what the log of TRL or verl shows',
  usage: '[log] [options]',
  words: [
    {
      syntax: '[log]',
      text:
        "a log of another trainer, or its folder: TRL's trainer_state.json, verl's console or JSON lines, event files of " +
        'TensorBoard; left out, this machine is examined',
    },
  ],
  flags: {
    accuracy: text('<figure>', 'figure of the log that says how many completions are right'),
    set: list('<key=value>', 'what the log does not say of its settings, e.g. num_generations=16'),
    json: toggle('print it as JSON'),
  },
  examples: [
    { words: 'doctor', does: 'what this machine gives; for bug reports' },
    { words: 'doctor outputs/checkpoint-500/trainer_state.json', does: 'what a training with TRL suffers from' },
    { words: 'doctor train.log --accuracy critic/score/mean', does: 'the same of what verl has printed' },
  ],
  async run([log], flags) {
    if (log !== undefined) return (await import('../actions/examine_log.ts')).examineLog(log, flags);
    const [flag] = Object.keys(flags).filter((name) => name !== 'json');
    if (flag === undefined) return (await import('../actions/doctor.ts')).doctorCommand(flags);
    throw new ConfigError(
      'missing-word',
      `--${flag} — is said of a log; give its file, as doctor trainer_state.json.`,
      {
        flag,
      },
    );
  },
});
