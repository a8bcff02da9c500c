/** What other machines have done for a run, as its page shows it. */
import { thousands } from '../../src/format.ts';
import type { FleetLine } from '../fleet/fleet_log.ts';
import { figure } from './figure.ts';
import { duration } from './format.ts';
import { html, type Markup } from './markup.ts';

/** @param fleet  undefined where the run has had none */
export function fleetFigures(fleet: FleetLine | undefined): Markup | undefined {
  if (fleet === undefined) return undefined;
  const { workers, seconds, advice } = fleet;
  const share = (part: number): string => `${Math.round((100 * part) / Math.max(seconds, 1e-9))} %`;
  const byLearner = fleet.groups_by_learner > 0 ? `, ${thousands(fleet.groups_by_learner)} by the learner` : '';
  const doubled = fleet.answers_doubled > 0 ? `, ${thousands(fleet.answers_doubled)} came twice` : '';
  const megabytes = (fleet.broadcast_bytes / 1e6).toFixed(1);
  return html`
  <section aria-labelledby="fleet-title"><h2 id="fleet-title">Fleet</h2>
  <dl class="figures">
    ${figure('Workers', thousands(workers), `at ${fleet.stage} step ${fleet.step}`)}
    ${figure('Groups sampled', thousands(fleet.groups_by_workers), `by workers${byLearner}; ${thousands(fleet.groups_checked)} checked`)}
    ${figure('Groups under way', thousands(fleet.groups_under_way), 'at most, in the newest step')}
    ${figure('Learner waited', share(fleet.waited_seconds), `of ${duration(seconds)}`)}
    ${figure('Weights sent', `${megabytes} MB`, `${share(fleet.broadcast_seconds)} of the time`)}
    ${figure('Wasted', duration(fleet.wasted_seconds), `of workers${doubled}`)}
    ${figure('Refused', thousands(fleet.answers_refused), 'answers')}
  </dl>
  ${advice && html`<p class="notice">${advice}</p>`}
  </section>`;
}
