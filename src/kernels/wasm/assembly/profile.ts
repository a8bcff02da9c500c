// Hooks of a build that is made to be measured (PROFILE defined; bench/profile): each tells the host of this thread what
// happens now. In every other build they are nothing at all.

// @ts-ignore: decorator
@external('profile', 'began')
declare function tellBegan(command: usize): void;
// @ts-ignore: decorator
@external('profile', 'reached')
declare function tellReached(): void;
// @ts-ignore: decorator
@external('profile', 'passed')
declare function tellPassed(): void;

/** A command begins; 0: a job. */
// @ts-ignore: decorator
@inline
export function began(command: usize): void {
  if (isDefined(PROFILE)) tellBegan(command);
}

/** This thread has come to a barrier. */
// @ts-ignore: decorator
@inline
export function reached(): void {
  if (isDefined(PROFILE)) tellReached();
}

/** It leaves it again. */
// @ts-ignore: decorator
@inline
export function passed(): void {
  if (isDefined(PROFILE)) tellPassed();
}
