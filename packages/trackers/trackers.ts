/** The trackers that runs are sent to, by their names in `report_to`. */
import type { RunConfig } from '../../src/config/run_config.ts';
import type { SentTrackerName } from '../../src/config/tracker_cards.ts';
import type { Tracker } from '../../src/run/tracker.ts';
import { MLFLOW } from './mlflow.ts';
import { type Environment, type SentRun, type SentTracker, wantedTrackers } from './sent_tracker.ts';
import { TRACKIO } from './trackio.ts';

export const TRACKERS: Readonly<Record<SentTrackerName, SentTracker>> = {
  mlflow: MLFLOW,
  trackio: TRACKIO,
};

/** Opens those that a config asks for. @throws ConfigError where the environment names no place of one */
export function liveTrackers(config: Pick<RunConfig, 'reportTo'>, run: SentRun, env: Environment): Tracker[] {
  return wantedTrackers(config, env).map((name) => TRACKERS[name].live(run, env));
}
