/** Requests for some of the completions of another one, or for more of them: each keeps its own beginning and temperature. */
import { type GroupRequest, withPlaces } from '../../../../../src/methods/group_request.ts';

/** Those from `first` on. */
export function membersOf(request: GroupRequest, first: number, samples: number): GroupRequest {
  return withPlaces(
    request,
    Array.from({ length: samples }, (_, i) => first + i),
  );
}

/** `samples` members, from the first one again after the last. */
export function resized(request: GroupRequest, samples: number): GroupRequest {
  return withPlaces(
    request,
    Array.from({ length: samples }, (_, i) => i % request.samples),
  );
}
