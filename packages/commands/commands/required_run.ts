/** The run that a command cannot do without. */
import { ConfigError } from '../../../src/errors.ts';
import { shellQuoted } from '../../../src/format.ts';

/** The run of a command that takes no words. @throws ConfigError */
export function onlyRun([word]: readonly string[], run: string | undefined): string {
  const directory = requiredRun(run, word);
  if (word === undefined) return directory;
  throw new ConfigError('unknown-word', `${word} — not the value of a flag; leave it out.`, { word });
}

/**
 * @param word  what may have been meant to be the run
 * @throws ConfigError where the flag that a command cannot do without is not given
 */
export function requiredRun(run: string | undefined, word: string | undefined): string {
  if (run !== undefined) return run;
  const message =
    word === undefined
      ? '--run: missing — the directory of a trained run; for example --run runs/countdown.'
      : `${word} — a run needs its flag; use --run ${shellQuoted(word)}.`;
  throw new ConfigError('missing-flag', message, { flag: 'run' });
}
