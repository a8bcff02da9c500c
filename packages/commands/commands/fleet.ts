import { command } from '../../../src/cli/flags/command.ts';
import { integer, text, withDefault } from '../../../src/cli/flags/flag.ts';
import { refuseWords } from '../../../src/cli/mistaken_words.ts';

const MOST_PORT = 65_534; // the next one is for tabs

const INIT = command({
  name: 'init',
  does: 'write the config of a NATS server, with a user for the learner, for workers and for visitors',
  flags: {
    output: withDefault(
      text('<directory>', 'where the config and the files of the server are', { letter: 'o' }),
      'fleet',
    ),
    host: text('<name>', 'how other machines reach this one', { otherwise: 'the name of this machine' }),
    port: withDefault(integer('<number>', 'that the server listens on', { min: 1, max: MOST_PORT }), 4222),
    page: text('<url>', 'where the web page is: visitors may lend their tabs, at the next port', {
      otherwise: 'no tabs',
    }),
    'tls-cert': text('<file>', 'certificate for the tabs, which a page at https: asks for', { otherwise: 'none' }),
    'tls-key': text('<file>', 'key of that certificate', { otherwise: 'none' }),
  },
  async run(words, flags, all) {
    refuseWords(words, all);
    (await import('../actions/fleet.ts')).initFleet(flags);
  },
});

export const FLEET = command({
  name: 'fleet',
  does: 'several machines for one training',
  usage: 'init',
  inner: [INIT],
  examples: [
    { words: 'fleet init', does: 'write fleet/nats.conf; then: nats-server -c fleet/nats.conf' },
    { words: 'fleet init --page http://localhost:4173/', does: 'the same, with a link for visitors of that page' },
  ],
});
