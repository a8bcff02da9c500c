/** Types of peer.mjs, for the tests. */
export class PeerError extends Error {}
export function startPeer(
  script: string,
  setup: { readonly threads: number },
  options: { readonly python: string; readonly isPinned?: boolean; readonly answerSeconds?: number },
): Promise<unknown>;
