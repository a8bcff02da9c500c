/** What a config asks of trackers and reporters that a browser does not do, in words for the page. */
import { sentTrackers } from '../../src/config/report_to.ts';
import type { RunConfig } from '../../src/config/run_config.ts';

/** A line for each key that is not heeded here; `all` is what there is, which here is TensorBoard's files. */
export function trackerNotes(config: RunConfig): string[] {
  const { reporters = [] } = config;
  return [
    ...sentTrackers(config).map(
      (name) => `report_to: ${name} — a run in a browser sends nothing; rlvr-train track sends its directory later.`,
    ),
    ...(reporters.length > 0
      ? [`reporters: ${reporters.map(({ name }) => name).join(', ')} — files report runs of the command line alone.`]
      : []),
  ];
}
