/** The names that `report_to` takes, and what each tracker says of itself; `trackers.ts` has those that are sent to. */

interface TrackerCard {
  /** As `report_to` has it. */
  readonly name: string;
  /** What it does: the rest of a sentence that begins with its name. */
  readonly does: string;
  /** The variable of the environment that makes `all` mean it, too; without one `all` always does. */
  readonly variable?: string;
}

export const TRACKER_CARDS = [
  { name: 'tensorboard', does: 'writes event files' },
  {
    name: 'mlflow',
    does: 'sends to the server of MLFLOW_TRACKING_URI (else http://127.0.0.1:5000)',
    variable: 'MLFLOW_TRACKING_URI',
  },
  {
    name: 'trackio',
    does: 'sends to the server of TRACKIO_SERVER_URL (else http://127.0.0.1:7860)',
    variable: 'TRACKIO_SERVER_URL',
  },
] as const satisfies readonly TrackerCard[];

/** A tracker that a run may report to. */
export type TrackerName = (typeof TRACKER_CARDS)[number]['name'];

/** The files of TensorBoard are logs of the run directory: the run writes them itself, in a browser too. */
export type SentTrackerName = Exclude<TrackerName, 'tensorboard'>;

/** Trackers that something is sent to, while a run trains or later. */
export const SENT_TRACKERS = TRACKER_CARDS.filter((card) => card.name !== 'tensorboard') as readonly Extract<
  (typeof TRACKER_CARDS)[number],
  { readonly name: SentTrackerName }
>[];
