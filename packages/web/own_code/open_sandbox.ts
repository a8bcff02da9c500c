/** A sandbox of a visitor's code, reward or task, seen from the engine: its limits, and how its messages come and go. */
import type { SandboxLimits } from '../../zoo/rewards/sandbox/sandbox.ts';
import type { SandboxHost, SandboxThread } from '../../zoo/rewards/sandbox/sandbox_thread.ts';
import type { StartSandbox } from './sandboxes.ts';

/** Seconds: a visitor waits. The first time counts the start of a worker, on a busy device too. */
export const LIMITS: SandboxLimits = { load: 15, score: 5 };
/** Most characters of the code. */
export const LONGEST_CODE = 100_000;

/** Starts a sandbox. @param make  the engine's side of it, over what reaches it */
export function openSandbox<T extends SandboxThread>(start: StartSandbox, make: (host: SandboxHost) => T): T {
  const { port1, port2 } = new MessageChannel();
  const worker = start(port2, (reason) => thread.end(reason));
  const thread = make({
    post: (message) => port1.postMessage(message),
    terminate: () => {
      worker.terminate();
      port1.close();
    },
  });
  port1.onmessage = ({ data }) => thread.hear(data);
  return thread;
}

/** Without through which of its functions the browser read the code. */
export function withoutDomPrefix(message: string): string {
  return message.replace(/Failed to execute '\w+' on '\w+': /, '');
}
