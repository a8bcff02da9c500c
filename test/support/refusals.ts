import { expect } from 'vitest';

/** What an attempt fails with, which has to be of this class. */
export async function refusalOf<E>(kind: new (...given: never[]) => E, attempt: Promise<unknown>): Promise<E> {
  const error: unknown = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(kind);
  return error as E;
}
