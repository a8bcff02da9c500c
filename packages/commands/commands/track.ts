import { command } from '../../../src/cli/flags/command.ts';
import { choice, withDefault } from '../../../src/cli/flags/flag.ts';
import { SENT_TRACKERS, type SentTrackerName } from '../../../src/config/tracker_cards.ts';
import { onlyRun } from './required_run.ts';
import { RUN, RUN_WORD } from './shared_flags.ts';

const NAMES = SENT_TRACKERS.map(({ name }) => name) as [SentTrackerName, ...SentTrackerName[]];
const PLACES = SENT_TRACKERS.map(({ name, does }) => `${name} ${does}`).join('; ');

export const TRACK = command({
  name: 'track',
  does: 'send to a tracker what it does not have of a run: report_to does so while it trains',
  usage: 'RUN [--to <tracker>]',
  words: [RUN_WORD],
  flags: {
    run: RUN,
    to: withDefault(choice('<tracker>', PLACES, NAMES), NAMES[0]),
  },
  examples: [
    { words: 'track runs/countdown', does: 'send to MLflow what it lacks there (docs/trackers.md)' },
    { words: 'track runs/countdown --to trackio', does: 'the same to Trackio' },
  ],
  run: async (words, { run, to }) => (await import('../actions/track.ts')).trackCommand(onlyRun(words, run), to),
});
