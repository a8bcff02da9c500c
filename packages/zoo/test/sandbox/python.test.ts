import { expect, it } from 'vitest';
import { openPython } from '../../sandbox/python.node.ts';

it('a Python that is not there is named, with what to do', async () => {
  await expect(openPython('no-such-python')).rejects.toThrow(
    'the sandbox for Python needs "no-such-python", which does not run here; install Python 3, or name another',
  );
});
