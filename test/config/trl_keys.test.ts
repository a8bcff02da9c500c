/** Every key of TRL 1.16's GRPOConfig is taken or refused with a reason, and TRL's own default of it is taken. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseConfig } from '../../src/config/load.ts';

interface TrlKeys {
  readonly defaults: Readonly<Record<string, unknown>>;
}

const { defaults } = JSON.parse(readFileSync(new URL('../golden/trl_keys.json', import.meta.url), 'utf8')) as TrlKeys; // written by make_trl_keys.py

/** Keys whose default cannot hold here, each with what is said. */
const REFUSED: Readonly<Record<string, string>> = {
  gradient_accumulation_steps: 'counts micro-batches of per_device_train_batch_size, which is missing',
};

/** Of these the file of the test has its own. */
const GIVEN: readonly string[] = ['max_steps'];

const keys = Object.keys(defaults).filter((key) => !GIVEN.includes(key));

function messageFor(lines: Readonly<Record<string, unknown>>): string {
  try {
    parseConfig(stringify({ task: 'sort_digits', max_steps: 10, ...lines }), { file: 'trl.yaml' });
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
}

describe("TRL's keys", () => {
  it.each(keys)('its default of %s is taken', (key) => {
    const message = messageFor({ [key]: defaults[key] });
    if (REFUSED[key] === undefined) expect(message).toBe('taken');
    else expect(message).toContain(REFUSED[key]);
  });

  it('all of its defaults together are a config, but for the length of the run', () => {
    expect(messageFor({ ...defaults, max_steps: 10 })).toBe('taken');
  });

  it('none is unknown, whatever its value', () => {
    const unknown = keys.filter((key) => messageFor({ [key]: 'a text' }).includes('unknown key'));
    expect(unknown).toEqual([]);
  });
});
