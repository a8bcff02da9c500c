import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { type KeyInput, Keys } from '../../display/live/keys.ts';

class Input extends EventEmitter {
  readonly calls: string[] = [];
  setRawMode(raw: boolean): this {
    this.calls.push(raw ? 'raw' : 'cooked');
    return this;
  }
  resume(): this {
    this.calls.push('resume');
    return this;
  }
  pause(): this {
    this.calls.push('pause');
    return this;
  }
}

function open(): { input: Input; keys: Keys; pressed: string[] } {
  const input = new Input();
  const pressed: string[] = [];
  const keys = new Keys(input as unknown as KeyInput, {
    onLetter: (letter) => pressed.push(letter),
    onInterrupt: () => pressed.push('interrupt'),
    onSuspend: () => pressed.push('suspend'),
  });
  keys.listen();
  return { input, keys, pressed };
}

it('reads letters one by one, whatever their case, and the two keys that raw mode no longer makes signals', () => {
  const { input, pressed } = open();
  input.emit('data', Buffer.from('pE'));
  input.emit('data', Buffer.from('\u0003'));
  input.emit('data', Buffer.from('\u001a'));
  expect(pressed).toEqual(['p', 'e', 'interrupt', 'suspend']);
});

it('takes the letters of an arrow or function key for nothing', () => {
  const { input, pressed } = open();
  for (const sequence of ['\u001b[A', '\u001bOP', '\u001b']) input.emit('data', Buffer.from(sequence));
  expect(pressed).toEqual([]);
});

it('gives the terminal back as it was', () => {
  const { input, keys, pressed } = open();
  keys.close();
  keys.close(); // once more changes nothing
  input.emit('data', Buffer.from('q'));
  expect(pressed).toEqual([]);
  expect(input.calls).toEqual(['raw', 'resume', 'cooked', 'pause']);
});
