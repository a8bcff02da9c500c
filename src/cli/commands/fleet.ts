/** `rlvr-train fleet init`: the config of a NATS server for a fleet. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { FleetError } from '../../errors.ts';
import { serverConfig } from '../../fleet/nats/server_config.ts';
import { randomHex } from '../../fleet/random_hex.ts';
import { printable, shellQuoted } from '../../format.ts';
import { print } from '../display/output.ts';
import { command } from '../flags/command.ts';
import { integer, text, withDefault } from '../flags/flag.ts';
import { refuseWords } from '../mistaken_words.ts';

const PASSWORD_BYTES = 16;
const FILE = 'nats.conf';
const MOST_PORT = 65_535;

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
  },
  examples: [{ words: 'fleet init', does: 'write fleet/nats.conf; then: nats-server -c fleet/nats.conf' }],
  run(words, { output, host = hostname(), port }, all) {
    refuseWords(words, all);
    const file = join(output, FILE);
    if (existsSync(file)) {
      const rule = 'is there already, with passwords that are in use; remove it, or give another --output';
      throw new FleetError('fleet-config', `${printable(file)}  ${rule}.`);
    }
    const passwords = { learner: secret(), worker: secret(), visitor: secret() };
    mkdirSync(output, { recursive: true });
    const text = serverConfig({ listen: `0.0.0.0:${port}`, store: resolve(output, 'files'), passwords });
    writeFileSync(file, text, { mode: 0o600 });
    const url = (user: keyof typeof passwords): string => `nats://${user}:${passwords[user]}@${host}:${port}`;
    print(`the server:   nats-server -c ${shellQuoted(file)}`);
    print(`a training:   rlvr-train --fleet ${url('learner')} --config …`);
    print(`each worker:  rlvr-train worker --fleet ${url('worker')}`);
    print(`strangers:    rlvr-train worker --fleet ${url('visitor')}`);
  },
});

export const FLEET = command({
  name: 'fleet',
  does: 'several machines for one training',
  usage: 'init',
  inner: [INIT],
});

function secret(): string {
  return randomHex(PASSWORD_BYTES);
}
