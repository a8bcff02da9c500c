/** `report_to`: which trackers a run is shown in, beside its own logs. */
import { z } from 'zod';
import { key } from '../options/keys.ts';

const TRACKERS = ['tensorboard', 'mlflow'] as const;

/** A tracker that a run may report to. */
export type Tracker = (typeof TRACKERS)[number];

const RULE =
  'nothing reports there; use none, all, or a list of tensorboard and mlflow (metrics.jsonl is always written)';
const name = z.enum([...TRACKERS, 'all', 'none'], { error: RULE });
const tracker = z.enum([...TRACKERS, 'all'], { error: RULE });

/** What is written for it becomes a list; TRL's `none` is the empty one. */
export const REPORT_TO = key(
  'report_to',
  z
    .union([name, z.tuple([name], { error: RULE }), z.array(tracker, { error: RULE })], { error: RULE })
    .default('none')
    .transform((written): readonly (Tracker | 'all')[] =>
      [written].flat().flatMap((one) => (one === 'none' ? [] : [one])),
    )
    .describe(
      'Trackers beside metrics.jsonl: tensorboard writes event files, mlflow sends to the server of MLFLOW_TRACKING_URI ' +
        '(else http://127.0.0.1:5000). A list of them, none, or all: tensorboard, and mlflow where that variable is set. ' +
        'Default none.',
    ),
);

/** Whether a run reports there. @param config  of the run */
export function reportsTo(config: { readonly reportTo: readonly (Tracker | 'all')[] }, tracker: Tracker): boolean {
  return config.reportTo.includes(tracker) || config.reportTo.includes('all');
}
