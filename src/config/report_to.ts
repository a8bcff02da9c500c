/** `report_to`: which trackers a run is shown in, beside its own logs. */
import { z } from 'zod';
import { key } from '../options/keys.ts';
import type { Problems } from './problems.ts';
import { SENT_TRACKERS, TRACKER_CARDS, type TrackerName } from './tracker_cards.ts';

const NAMES = TRACKER_CARDS.map(({ name }) => name);
const RULE = `nothing reports there; use none, all, or a list of ${listed(NAMES)} (metrics.jsonl is always written)`;
const MEANT_BY_ALL = TRACKER_CARDS.map((card) =>
  'variable' in card ? `${card.name} where ${card.variable} is set` : card.name,
);
/** Trackers that configs of TRL have, and that nothing is sent to here: no reason to stop. */
const OTHERS = [
  'azure_ml', 'clearml', 'codecarbon', 'comet_ml', 'dagshub', 'dvclive', 'flyte', 'neptune', 'swanlab', 'wandb',
] as const; // biome-ignore format: a list
const name = z.enum([...NAMES, ...OTHERS, 'all', 'none'], { error: RULE });
const tracker = z.enum([...NAMES, ...OTHERS, 'all'], { error: RULE });
const isOther = (one: unknown): boolean => OTHERS.some((other) => other === one);

/** What is written for it becomes a list; TRL's `none` is the empty one. */
export const REPORT_TO = key(
  'report_to',
  z
    .union([name, z.tuple([name], { error: RULE }), z.array(tracker, { error: RULE })], { error: RULE })
    .default('none')
    .transform((written): readonly (TrackerName | 'all')[] =>
      [written].flat().flatMap((one) => (one === 'none' || isOther(one) ? [] : [one as TrackerName | 'all'])),
    )
    .describe(
      `Trackers beside metrics.jsonl: ${TRACKER_CARDS.map(({ name, does }) => `${name} ${does}`).join(', ')}. ` +
        `A list of them, none, or all: ${listed(MEANT_BY_ALL)}.`,
    ),
);

/** Says of trackers that are not here what there is instead. @param written  of the file */
export function noteOtherTrackers(written: unknown, problems: Pick<Problems, 'note'>): void {
  const unsupported = [written].flat().filter(isOther);
  if (unsupported.length === 0) return;
  problems.note('report_to', written, `nothing is sent to ${unsupported.join(', ')}; there are ${listed(NAMES)}`);
}

/** The trackers that a config names and that something is sent to. */
export function sentTrackers({ reportTo }: { readonly reportTo: readonly (TrackerName | 'all')[] }): TrackerName[] {
  return SENT_TRACKERS.map(({ name }) => name).filter((name) => reportTo.includes(name));
}

/** `a`, `a and b`, `a, b and c`. */
function listed(words: readonly string[]): string {
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
