/** What a tracker is that runs are sent to: one file has it, beside a card in `cards.ts` and a line in `trackers.ts`. */
import type { RunConfig } from '../../src/config/run_config.ts';
import { SENT_TRACKERS, type SentTrackerName } from '../../src/config/tracker_cards.ts';
import type { Store } from '../../src/run/store/store.ts';
import type { Tracker } from '../../src/run/tracker.ts';

/** Variables by name, as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** JSON has no NaN: the logs write it as a text. */
export type LoggedNumber = number | 'NaN' | 'Infinity' | '-Infinity';

/** A run directory that is shown elsewhere. */
export interface SentRun {
  readonly store: Store;
  /** What the run is called there. */
  readonly name: string;
  /** As the user spelled it, for the command that sends what was missed. */
  readonly directory: string;
}

export interface SentTracker {
  /** Keeps a run up while it trains. @throws ConfigError where the environment names no place of it */
  live(run: SentRun, env: Environment): Tracker;
  /**
   * Sends what is missing of a run that nobody works on.
   *
   * @param say  called with what the user should know
   * @returns where the run can be seen
   * @throws RlvrError where the place does not take it
   */
  catchUp(run: SentRun, env: Environment, say: (message: string) => void): Promise<string>;
}

/** Those that a config asks for; `all` asks for those that the environment names. */
export function wantedTrackers({ reportTo }: Pick<RunConfig, 'reportTo'>, env: Environment): SentTrackerName[] {
  const isAsked = (name: SentTrackerName, variable: string): boolean =>
    reportTo.includes(name) || (reportTo.includes('all') && Boolean(env[variable]));
  return SENT_TRACKERS.filter(({ name, variable }) => isAsked(name, variable)).map(({ name }) => name);
}
