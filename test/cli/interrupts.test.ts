/** What Ctrl-C does to a training: the first asks it to stop, the second is the system's. */
import { writeFileSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import type { Display } from '../../src/cli/display/display.ts';
import { QuietDisplay } from '../../src/cli/display/quiet_display.ts';
import { trainCommand } from '../../src/cli/training/train.ts';
import type { Attendance } from '../../src/cli/training/training_parts.ts';
import { eachInOwnFolder } from '../support/folders.ts';

eachInOwnFolder();
afterEach(() => vi.restoreAllMocks());

const YAML = `task: {name: sort_digits, digits: 3}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2}
stages: [{stage: sft, max_steps: 2, per_device_train_batch_size: 8}]
`;

interface Interrupted {
  readonly errors: string;
  readonly said: readonly string[];
  /** What this process was sent by itself. */
  readonly killedBy: readonly unknown[];
  readonly asked: number;
}

/** A training that is sent so many signals at its first event, and ends by itself. */
async function interrupted(signals: number): Promise<Interrupted> {
  writeFileSync('a.yaml', YAML);
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const said: string[] = [];
  let asked = 0;
  let sent = 0;
  const attend = (): Attendance => ({
    signal: new AbortController().signal, // never aborted: the second signal comes while the first waits
    stop: () => asked++,
    openDisplay: async (shown): Promise<Display> =>
      Object.assign(new QuietDisplay(shown), {
        say: (line: string) => said.push(line),
        handle: async () => {
          for (; sent < signals; sent++) process.emit('SIGINT', 'SIGINT');
        },
      }),
    begun: () => undefined,
    close: async () => undefined,
  });
  await trainCommand({ config: 'a.yaml', output: 'run' }, { attend });
  const errors = written.mock.calls.map(([text]) => String(text)).join('');
  return { errors, said, killedBy: kill.mock.calls.map(([, signal]) => signal), asked };
}

it('asks the training to stop, and says what a second one does', async () => {
  const { errors, said, killedBy, asked } = await interrupted(1);
  expect(asked).toBe(1);
  expect(said.join()).toContain('(Ctrl-C again: stop at once)');
  expect({ errors, killedBy }).toEqual({ errors: '', killedBy: [] });
});

it('a second one ends the training at once, and says how to go on', async () => {
  const { errors, killedBy, asked } = await interrupted(2);
  expect(asked).toBe(1);
  expect(errors).toMatch(/^stopped at once\. No step was saved yet\. Resume with: .* --resume --output run\n$/);
  expect(killedBy).toEqual(['SIGINT']);
});

it('leaves no listener behind', async () => {
  const before = process.listenerCount('SIGINT');
  await interrupted(1);
  expect(process.listenerCount('SIGINT')).toBe(before);
});
