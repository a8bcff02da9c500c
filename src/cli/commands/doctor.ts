/** `rlvr-train doctor`: what this machine gives a training, in lines that can be pasted into a bug report. */

import { command } from '../flags/command.ts';
import { toggle } from '../flags/flag.ts';

export const DOCTOR = command({
  name: 'doctor',
  does: 'what this machine gives a training; for bug reports',
  flags: { json: toggle('print it as JSON') },
  examples: [{ words: 'doctor', does: 'what this machine gives; for bug reports' }],
  run: async (_words, flags) => (await import('../actions/doctor.ts')).doctorCommand(flags),
});
