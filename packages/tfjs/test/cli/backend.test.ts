/** Which backend a name opens, of those that the command is given and the core's own. */
import { expect, it } from 'vitest';
import { chooseBackend, threadsNote } from '../../../../src/cli/process/backend.ts';
import type { Backend, NamedBackend } from '../../../../src/kernels/engine.ts';
import { referenceBackend } from '../../../../src/kernels/reference/engine.ts';
import { parseConfig } from '../../../../test/support/everything.ts';
import { WEBGPU } from '../../../webgpu/named_backend.node.ts';
import { TFJS } from '../../kernels/open.node.ts';

const backendNamed = (name: string): Backend => ({ ...referenceBackend, name });
const given = (names: readonly string[], rest: Partial<NamedBackend> = {}): NamedBackend => ({
  names,
  open: async (name, { threads }) => backendNamed(`${name} on ${threads ?? 'all'}`),
  ...rest,
});

async function chosen(
  request: Parameters<typeof chooseBackend>[0],
  backends: readonly NamedBackend[],
): Promise<{ name: string; said: string[] }> {
  const said: string[] = [];
  const { name } = await chooseBackend(request, (line) => said.push(line), backends);
  return { name, said };
}

it('every name that a config may give, but auto, is that of one backend of the whole command', () => {
  const file = 'inline';
  let message = '';
  try {
    parseConfig('task: sort_digits\nmax_steps: 1\nbackend: none', { file });
  } catch (error) {
    message = String(error);
  }
  const names = (/; use ([^.]+)\.$/m.exec(message)?.[1] ?? '').split(', ');
  const opened = [...[WEBGPU, TFJS].flatMap((one) => one.names), 'wasm', 'reference', 'auto'];
  expect(names.sort()).toEqual(opened.sort());
});

it('auto takes the first that is faster here, and tells why each before it is not', async () => {
  const slow = given(['slow'], { openFaster: async () => 'it has no device' });
  const fast = given(['fast'], { openFaster: async () => backendNamed('fast') });
  const asked = { backend: 'auto' } as const;
  expect(await chosen(asked, [slow, given(['named']), fast])).toEqual({ name: 'fast', said: ['it has no device'] });
  expect(await chosen(asked, [slow])).toEqual({ name: 'wasm', said: ['it has no device'] });
  expect(await chosen(asked, [])).toEqual({ name: 'wasm', said: [] });
});

it('auto takes what alone stores the type that is asked for, faster or not', async () => {
  const halves = given(['halves'], { storesAlone: 'float16', openFaster: async () => backendNamed('fast') });
  const asked = { backend: 'auto', threads: 1 } as const;
  expect((await chosen({ ...asked, storageDtype: 'float16' }, [halves])).name).toBe('halves on 1');
  expect((await chosen({ ...asked, storageDtype: 'bfloat16' }, [halves])).name).toBe('wasm');
  expect((await chosen(asked, [halves])).name).toBe('fast');
});

it('a name opens its backend; one that is not a part of the command is refused with those that are', async () => {
  const asked = { backend: 'tfjs:wasm', threads: 2 } as const;
  expect((await chosen(asked, [given(['tfjs:cpu', 'tfjs:wasm'])])).name).toBe('tfjs:wasm on 2');
  expect((await chosen({ backend: 'reference' }, [])).name).toBe('reference');
  await expect(chosen({ backend: 'webgpu' }, [given(['tfjs:cpu'])])).rejects.toThrow(
    'backend: webgpu — it is not a part of this command; use tfjs:cpu, wasm, reference or auto.',
  );
});

it('more threads than cores are told of, others are not', () => {
  expect(threadsNote(99, 2)).toBe(
    'threads: 99 on 2 cores — more than one per core make a run slower; leave threads out, or use 2.',
  );
  expect(threadsNote(2, 1)).toContain('on 1 core —');
  expect(threadsNote(2, 2)).toBeUndefined();
  expect(threadsNote(undefined, 1)).toBeUndefined();
});
