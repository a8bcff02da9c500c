import { command } from '../../../src/cli/flags/command.ts';
import { choice, text, withDefault } from '../../../src/cli/flags/flag.ts';
import { SENT_TRACKERS, type SentTrackerName } from '../../../src/config/tracker_cards.ts';
import { onlyRun } from './required_run.ts';

const NAMES = SENT_TRACKERS.map(({ name }) => name) as [SentTrackerName, ...SentTrackerName[]];
const PLACES = SENT_TRACKERS.map(({ name, does }) => `${name} ${does}`).join('; ');

export const TRACK = command({
  name: 'track',
  does: 'send to a tracker what it does not have of a run: report_to does so while it trains',
  usage: '--run <directory> [--to <tracker>]',
  explainsWords: true,
  flags: {
    run: text('<directory>', 'run directory, finished or not, e.g. runs/countdown (required)'),
    to: withDefault(choice('<tracker>', PLACES, NAMES), NAMES[0]),
  },
  examples: [
    { words: 'track --run runs/countdown', does: 'send to its tracker what it lacks there (docs/trackers.md)' },
  ],
  run: async (words, { run, to }) => (await import('../actions/track.ts')).trackCommand(onlyRun(words, run), to),
});
