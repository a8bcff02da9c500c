/** The trackers that runs are sent to, by their names in `report_to`. */
import type { RunConfig } from '../../src/config/run_config.ts';
import { SENT_TRACKERS, type SentTrackerName } from '../../src/config/tracker_cards.ts';
import type { Tracker } from '../../src/run/tracker.ts';
import { MLFLOW } from './mlflow.ts';
import type { Environment, SentRun, SentTracker } from './sent_tracker.ts';
import { TRACKIO } from './trackio.ts';

export const TRACKERS: Readonly<Record<SentTrackerName, SentTracker>> = {
  mlflow: MLFLOW,
  trackio: TRACKIO,
};

/** Those that a config asks for; `all` asks for those that the environment names. @throws ConfigError */
export function liveTrackers({ reportTo }: Pick<RunConfig, 'reportTo'>, run: SentRun, env: Environment): Tracker[] {
  const wanted = SENT_TRACKERS.filter(
    ({ name, variable }) => reportTo.includes(name) || (reportTo.includes('all') && Boolean(env[variable])),
  );
  return wanted.map(({ name }) => TRACKERS[name].live(run, env));
}
