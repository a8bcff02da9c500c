/** What a fleet has done, and whether it pays. */
import { counted } from '../../src/format.ts';

/** The counts of a fleet. */
export interface FleetFigures {
  /** Workers that are there. */
  readonly workers: number;
  /** Groups that workers have sampled, and those that the learner has sampled itself. */
  readonly groupsThere: number;
  readonly groupsHere: number;
  /** Groups that had been given out before they were asked for. */
  readonly ahead: number;
  /** Groups whose next turn was sampled by the worker that had the one before. */
  readonly continued: number;
  /** Groups that the learner has sampled again to compare them. */
  readonly checked: number;
  /** Most groups that were given out at once since this was asked last. */
  readonly underWay: number;
  /** Answers that came twice or for a task that was over, and those that were refused. */
  readonly doubled: number;
  readonly refused: number;
  /** Seconds that workers say they have spent on answers that were not taken. */
  readonly wastedSeconds: number;
  /** Bytes of weights that were sent. */
  readonly sentBytes: number;
  /** Seconds for which the learner waited for completions, sending included; for which it sent weights; and since it opened the fleet. */
  readonly waitedSeconds: number;
  readonly sentSeconds: number;
  readonly seconds: number;
}

/** Below this share of waiting, further workers change next to nothing. */
const BUSY = 0.05;
/** Seconds of a run after which it is said. */
const DIAGNOSED_AFTER = 60;

export class Tally {
  readonly #clock: () => number;
  #begun = 0;
  #waitedMs = 0;
  #sentMs = 0;
  #hasDiagnosed = false;
  #there = 0;
  #here = 0;
  #ahead = 0;
  #continued = 0;
  #checked = 0;
  #doubled = 0;
  #refused = 0;
  #wastedSeconds = 0;
  #sentBytes = 0;
  #underWay = 0;
  #mostUnderWay = 0;

  /** @param clock  milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  begin(): void {
    this.#begun = this.#clock();
  }

  waited(milliseconds: number): void {
    this.#waitedMs += milliseconds;
  }

  /** @param bytes  of weights */
  sent(milliseconds: number, bytes: number): void {
    this.#sentMs += milliseconds;
    this.#sentBytes += bytes;
  }

  /** Groups are given out, or, below 0, no longer so. */
  gaveOut(groups: number): void {
    this.#underWay += groups;
    this.#mostUnderWay = Math.max(this.#mostUnderWay, this.#underWay);
  }

  /** What is to be said while the run is under way, once: that further workers change nothing. */
  diagnosis(workers: number): string | undefined {
    const figures = this.#now(workers);
    if (this.#hasDiagnosed || figures.seconds < DIAGNOSED_AFTER) return undefined;
    const said = fleetAdvice(figures);
    this.#hasDiagnosed = said !== undefined;
    return said;
  }

  sampledThere(groups: number): void {
    this.#there += groups;
  }

  sampledHere(groups: number): void {
    this.#here += groups;
  }

  ahead(groups: number): void {
    this.#ahead += groups;
  }

  continued(groups: number): void {
    this.#continued += groups;
  }

  checked(groups: number): void {
    this.#checked += groups;
  }

  /** @param seconds  that it took, as its worker says */
  doubled(seconds: number): void {
    this.#doubled++;
    this.#wastedSeconds += seconds;
  }

  /** @param seconds  that it took, as its worker says */
  refused(seconds = 0): void {
    this.#refused++;
    this.#wastedSeconds += seconds;
  }

  /** What was given out ahead is not asked for. @param seconds  that it took, as its worker says */
  unused(seconds: number): void {
    this.#wastedSeconds += seconds;
  }

  figures(workers: number): FleetFigures {
    const figures = this.#now(workers);
    this.#mostUnderWay = this.#underWay;
    return figures;
  }

  #now(workers: number): FleetFigures {
    return {
      workers,
      groupsThere: this.#there,
      groupsHere: this.#here,
      ahead: this.#ahead,
      continued: this.#continued,
      checked: this.#checked,
      doubled: this.#doubled,
      refused: this.#refused,
      underWay: this.#mostUnderWay,
      wastedSeconds: this.#wastedSeconds,
      sentBytes: this.#sentBytes,
      waitedSeconds: this.#waitedMs / 1000,
      sentSeconds: this.#sentMs / 1000,
      seconds: (this.#clock() - this.#begun) / 1000,
    };
  }
}

/** What the figures come to, in a sentence; and another one where the fleet does not pay. */
export function fleetLines(figures: FleetFigures): string[] {
  const { groupsThere, groupsHere, checked, doubled, refused, wastedSeconds } = figures;
  const { waitedSeconds, sentSeconds, seconds } = figures;
  const share = (part: number): string => percent(seconds > 0 ? part / seconds : 0);
  const further = [
    ...(groupsHere > 0 ? [`${groupsHere} by the learner`] : []),
    ...(checked > 0 ? [`${checked} checked`] : []),
    ...(doubled > 0 ? [`${counted(doubled, 'answer')} came twice`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(wastedSeconds >= 1 ? [`${Math.round(wastedSeconds)} s of workers for nothing`] : []),
  ];
  const sampled = [`${counted(groupsThere, 'group was', 'groups were')} sampled by workers`, ...further].join(', ');
  const waited = `the learner waited ${share(waitedSeconds)} of the time, ${share(sentSeconds)} for weights to be sent`;
  const busy = fleetAdvice(figures);
  return [`fleet: ${sampled}; ${waited}`, ...(busy === undefined ? [] : [busy])];
}

/** That further workers change nothing; undefined where they may change something. */
export function fleetAdvice({ groupsThere, waitedSeconds, seconds }: FleetFigures): string | undefined {
  const waiting = seconds > 0 ? waitedSeconds / seconds : 0;
  if (waiting >= BUSY || groupsThere === 0) return undefined;
  return `fleet: the learner is busy ${percent(1 - waiting)} of the time: more workers change nothing`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
