/**
 * Sampling with handles: sequences come and go at any time, each with its own rollout number, stop ids and limits; any
 * of them may be given tokens (`append`) or branch (`fork`) between two turns.
 *
 * The token at a position is a function of (weights, tokens before it, sampling key, rollout number, position) alone,
 * and its log-prob is the scorer's, bit for bit: a row's bits do not depend on the rows beside it, nor on the step in
 * which its keys were computed. So a sequence's next step simply includes whatever the cache lacks of it: a prefix
 * (once for all that share it), forced tokens, the newest token, or all of it after something else has used the cache.
 *
 * Common first tokens of prefixes are computed once (`openings.ts`), and so are equal tokens that sequences sample or
 * inherit (`shared_rows.ts`).
 */
import { BackendError } from '../../errors.ts';
import { SAMPLING } from '../../kernels/kernels.ts';
import { mostCopied } from '../memory/capacity.ts';
import type { Policy } from '../policy.ts';
import { CacheCopies } from './cache_copies.ts';
import { CacheSpans } from './cache_spans.ts';
import { Decoder } from './decoder.ts';
import type { RolloutRows } from './kept_rollouts.ts';
import { PrefixCache } from './prefix_cache.ts';
import type { SampleRequest, SamplerSettings } from './sample_request.ts';
import { checkRoom, checkTokens } from './sample_request.ts';
import type { CachedPrefix, SampledSequence, TurnRules } from './sampled_sequence.ts';
import { ownRows, SequenceState, TokenArrays } from './sampled_sequence.ts';
import { SharedRows } from './shared_rows.ts';

/** Opens a sampler over the policy's cache. Several may be open; each change from one to another costs a prefill. */
export function openSampler(policy: Policy, settings: SamplerSettings): Sampler {
  return new Sampler(policy, settings);
}

export class Sampler {
  /** Whether its sequences' rows stay for `Policy.keep`, which also needs their cache rows. */
  readonly keeps: boolean;
  readonly #policy: Policy;
  readonly #settings: SamplerSettings;
  #temperature: number;
  /** The device has the current settings. */
  #isSet = false;
  readonly #spans: CacheSpans;
  readonly #decoder: Decoder;
  readonly #prefixes: PrefixCache;
  readonly #sequences = new Set<SequenceState>();
  /** Sequences whose turn is being sampled, in the order of `run`. */
  #active: SequenceState[] = [];
  /** Copies of openings, made after the step. */
  readonly #opened: CacheCopies;
  readonly #shared: SharedRows;
  #block: Promise<void> | undefined;
  #step = 0;

  constructor(policy: Policy, settings: SamplerSettings) {
    this.#policy = policy;
    this.#settings = settings;
    this.#temperature = settings.sampling.temperature;
    this.#spans = new CacheSpans(policy.capacity.kvRows);
    this.#opened = new CacheCopies(mostCopied(policy.capacity));
    this.#shared = new SharedRows(this.#sequences, mostCopied(policy.capacity));
    this.#prefixes = new PrefixCache(this.#spans);
    const steps = policy.stepsOf(settings);
    this.keeps = steps.keeps;
    this.#decoder = new Decoder(policy, steps);
  }

  /**
   * Takes cache rows for the sequences of the requests; nothing is computed before `run`.
   * @returns sequences, request by request
   * @throws BackendError where a prefix is empty or unknown, or the cache is full; nothing is added then
   */
  add(requests: readonly SampleRequest[]): SampledSequence[] {
    const nonEmpty = requests.filter(({ rolloutNumbers }) => rolloutNumbers.length > 0);
    for (const { prefix, maxTokens, room = maxTokens } of nonEmpty) checkRoom(this.#policy, prefix, room);
    const added: SequenceState[] = [];
    const prefixes: CachedPrefix[] = [];
    const tokens = nonEmpty.reduce(
      (sum, { rolloutNumbers, maxTokens, room = maxTokens }) => sum + rolloutNumbers.length * room,
      0,
    );
    const arrays = new TokenArrays(tokens, this.#decoder);
    try {
      for (const { prefix } of nonEmpty) prefixes.push(this.#prefixes.use(prefix, this.#decoder.keeps));
      nonEmpty.forEach(({ rolloutNumbers, maxTokens, stopIds, room = maxTokens }, i) => {
        const source = prefixes[i] as CachedPrefix;
        for (const number of rolloutNumbers)
          added.push(this.#open(source, number, { stopIds, maxTokens, room }, arrays));
      });
    } catch (error) {
      this.release(added);
      throw error;
    } finally {
      for (const prefix of prefixes) this.#prefixes.leave(prefix);
    }
    return added;
  }

  /** The same, or undefined where the cache is full for now. @throws BackendError where it could never have room */
  tryAdd(request: SampleRequest): SampledSequence[] | undefined {
    try {
      return this.add([request]);
    } catch (error) {
      if (this.#sequences.size > 0 && error instanceof BackendError && error.code === 'cache-full') return undefined;
      throw error;
    }
  }

  /**
   * Samples each of the sequences until its turn ends; one whose turn has ended stays as it is. May be called again
   * before it has returned: the sequences of all calls are sampled side by side.
   * @param until  `one ends`: the others are still being sampled then
   * @param afterBlock  called after each block of steps
   */
  async run(
    sequences: readonly SampledSequence[],
    until: 'all end' | 'one ends' = 'all end',
    afterBlock?: () => void,
  ): Promise<void> {
    const states = this.#activate(sequences);
    const isOpen = ({ finishReason }: SequenceState): boolean => finishReason === undefined;
    while (until === 'all end' ? states.some(isOpen) : states.every(isOpen)) {
      await this.#nextBlock();
      afterBlock?.();
    }
  }

  /** Opens the turns that are to be sampled. */
  #activate(sequences: readonly SampledSequence[]): SequenceState[] {
    const states = sequences.map((sequence) => this.#own(sequence));
    for (const sequence of states) {
      if (sequence.finishReason !== undefined || sequence.isActive) continue;
      if (sequence.remaining <= 0) {
        sequence.finishReason = 'length';
        continue;
      }
      sequence.isActive = true;
      this.#active.push(sequence);
    }
    return states;
  }

  /** The block being computed, or the next one, shared by all waiting callers. */
  #nextBlock(): Promise<void> {
    this.#block ??= this.#runBlock()
      .catch((error) => this.#giveUp(error))
      .finally(() => {
        this.#block = undefined;
      });
    return this.#block;
  }

  /** Changes the temperature of the next draws; keys and values do not depend on it, and stay. */
  useTemperature(temperature: number): void {
    if (temperature === this.#temperature) return;
    this.#temperature = temperature;
    this.#isSet = false;
  }

  /**
   * Appends tokens to a sequence, of kind `given`, and opens its next turn. They go in with its next step.
   * @throws BackendError where they exceed the sequence's room, or its turn is being sampled
   */
  append(sequence: SampledSequence, tokens: ArrayLike<number>): void {
    const state = this.#own(sequence);
    if (state.isActive)
      throw new BackendError('sequence', 'append to a sequence whose turn is not over — await run first.');
    checkTokens(this.#policy, tokens);
    const { room } = state.rules;
    if (state.count + tokens.length > room) {
      const lengths = `${tokens.length} tokens after ${state.count}`;
      throw new BackendError('room', `${lengths} — the sequence was added with room for ${room}; add it with more.`);
    }
    state.append(tokens);
  }

  /** The same, replacing the stop id that ended its last turn. */
  replaceEnd(sequence: SampledSequence, tokens: ArrayLike<number>): void {
    const state = this.#own(sequence);
    state.takeBack();
    this.append(state, tokens);
  }

  /**
   * A sequence that continues the first `cut` tokens of another, with draws of its own. Those tokens are of kind
   * `given` in it.
   * @param changes rules in which it differs from its parent
   * @throws BackendError where the cache is full
   */
  fork(
    sequence: SampledSequence,
    cut: number,
    rolloutNumber: number,
    changes: Partial<TurnRules> = {},
  ): SampledSequence {
    const parent = this.#own(sequence);
    const rules = { ...parent.rules, ...changes };
    if (!(cut >= 0 && cut <= Math.min(parent.count, rules.room))) {
      const rule = `the sequence has ${parent.count} tokens, and the branch room for ${rules.room}`;
      throw new BackendError('cut', `a fork after token ${cut} — ${rule}.`);
    }
    checkRoom(this.#policy, parent.prefix, rules.room);
    const arrays = new TokenArrays(rules.room, this.#decoder);
    const branch = this.#open(parent.source, rolloutNumber, rules, arrays);
    branch.inherit(parent, cut);
    return branch;
  }

  /** Gives back the cache rows of sequences. What was sampled can still be read. */
  release(sequences: readonly SampledSequence[]): void {
    for (const sequence of sequences) {
      const state = this.#own(sequence);
      if (state.isActive)
        throw new BackendError('sequence', 'release of a sequence whose turn is not over — await run.');
      this.#sequences.delete(state);
      this.#spans.giveBack(state.kvBegin, ownRows(state.rules));
      this.#prefixes.leave(state.source);
    }
  }

  /** Rows of sequences with one prefix, for `Policy.keep`, without those that could not be kept. */
  keptRows(sequences: readonly SampledSequence[]): RolloutRows {
    const states = this.#decoder.keeps ? sequences.map((sequence) => this.#own(sequence)) : [];
    const source = states[0]?.source;
    return {
      promptRows: source?.inputRows.slice(0, source.fed) ?? new Int32Array(),
      promptKvBegin: source?.kvBegin ?? 0,
      rows: states.map((sequence) =>
        (sequence.holder?.inputRows(sequence.held) ?? sequence.inputRows(sequence.fed)).slice(),
      ),
      kvBegins: states.map(({ holder, kvBegin }) => holder?.kvBegin ?? kvBegin),
    };
  }

  #own(sequence: SampledSequence): SequenceState {
    if (sequence instanceof SequenceState && this.#sequences.has(sequence)) return sequence;
    throw new BackendError('sequence', 'a sequence that this sampler does not hold — use one that was not released.');
  }

  #open(source: CachedPrefix, rolloutNumber: number, rules: TurnRules, arrays: TokenArrays): SequenceState {
    const kvBegin = this.#spans.take(ownRows(rules));
    source.users++;
    const sequence = new SequenceState(source, rolloutNumber, rules, { kvBegin, arrays });
    this.#sequences.add(sequence);
    return sequence;
  }

  /** Steps up to the next read, and what they sampled. */
  async #runBlock(): Promise<void> {
    this.#claimCache();
    const decoder = this.#decoder;
    const sampling = this.#schedule();
    const { draws } = this.#settings;
    const most = draws === undefined ? this.#policy.stepsPerRead : 1;
    const steps = sampling.reduce((least, { remaining }) => Math.min(least, remaining), most);
    const last = decoder.begin + decoder.rowCount + (steps - 1) * sampling.length;
    if (decoder.keeps && last > this.#policy.capacity.keptRows) decoder.stopKeeping();
    const { rounds } = this.#shared.copies;
    for (const copies of rounds.slice(0, -1)) await this.#policy.copyCacheRows(copies);
    await decoder.run(0, rounds.at(-1)); // one program less to start
    for (const copies of this.#opened.rounds) await this.#policy.copyCacheRows(copies);
    if (sampling.length === 0) return;
    for (let step = 1; step < steps; step++) {
      this.#scheduleFed(sampling, step);
      await decoder.run(step);
    }
    const read = await decoder.read(steps);
    const sampled = draws === undefined ? read : await draws.redraw(sampling, read, this.#temperature);
    const { tokens, logprobs, entropies, keptLogMass } = sampled;
    const all = steps * sampling.length;
    sampling.forEach((sequence, i) => {
      for (let at = i; at < all && sequence.finishReason === undefined; at += sampling.length) {
        sequence.push(tokens[at] as number, logprobs[at] as number, entropies[at] as number, keptLogMass[at] as number);
      }
      if (sequence.holder === undefined) sequence.fed = sequence.count - 1; // its last token is no input yet
      sequence.isActive = sequence.finishReason === undefined;
    });
    this.#active = this.#active.filter(({ isActive }) => isActive);
  }

  /** Ends all turns after a failed step, since the cache's contents are unknown. */
  #giveUp(error: unknown): never {
    for (const sequence of this.#active) sequence.isActive = false;
    this.#active = [];
    this.#policy.claimCache(undefined);
    throw error;
  }

  /** If something else has used the cache since the last step, everything is computed again. */
  #claimCache(): void {
    const { engine, slots } = this.#policy;
    const isOwn = this.#policy.claimCache(this);
    if (isOwn && this.#isSet) return;
    this.#isSet = true;
    const { sampling, samplingKey } = this.#settings;
    const values = new Float32Array(SAMPLING.length);
    values[SAMPLING.temperature] = this.#temperature;
    values[SAMPLING.topK] = sampling.topK;
    values[SAMPLING.topP] = sampling.topP;
    values[SAMPLING.minP] = sampling.minP ?? 0;
    engine.write(slots.results.sampling, values);
    engine.write(slots.inputs.samplingKey, Int32Array.from(samplingKey));
    if (isOwn) return;
    for (const sequence of this.#sequences) Object.assign(sequence, { fed: 0, holder: undefined, held: 0 });
    this.#prefixes.startOver();
    this.#decoder.startOver();
  }

  /**
   * Schedules a step's rows: whatever the cache lacks of each active sequence, in order, as far as it fits.
   *
   * @returns the sequences that then lack nothing, and sample
   */
  #schedule(): SequenceState[] {
    const { rows, completions } = this.#policy.capacity;
    const { draws, sharesRows = true } = this.#settings;
    const most = Math.min(rows, completions, draws?.most ?? completions);
    const decoder = this.#decoder;
    const sampling: SequenceState[] = [];
    decoder.clear();
    this.#opened.clear();
    // Between two reads, row i of a step takes the token that was sampled i-th in the one before.
    const sharesNewest = sharesRows && this.#policy.stepsPerRead === 1;
    this.#shared.begin(++this.#step);
    for (const sequence of this.#active) {
      if (decoder.rowCount >= rows || sampling.length >= most) break;
      const { source, count } = sequence;
      // Its first token is drawn from the prefix's last row, which has to be one of this step.
      if (count === 0 && source.lastStep !== this.#step) source.fed = Math.min(source.fed, source.tokens.length - 1);
      this.#addPrefix(source, rows);
      if (source.fed < source.tokens.length) continue;
      if (sequence.fed < count && source.openedIn === this.#step) continue; // it would attend to three intervals
      if (count === 0) sequence.row = source.lastRow;
      else if (!sharesNewest || !this.#shared.join(sequence)) {
        if (sharesNewest) this.#shared.part(sequence);
        if (sharesRows && this.#shared.fork(sequence)) continue;
        while (sequence.fed < count && decoder.rowCount < rows) this.#addInput(sequence, sequence.fed++, true);
        if (sequence.fed < count) continue;
      }
      decoder.addSample(sequence.row, count, sequence.rolloutNumber);
      sampling.push(sequence);
    }
    return sampling;
  }

  /** Rows of a step whose tokens the device has: the newest of each sequence, `step` after those that the host knows. */
  #scheduleFed(sampling: readonly SequenceState[], step: number): void {
    const decoder = this.#decoder;
    decoder.clear();
    for (const sequence of sampling) {
      const index = sequence.count + step - 1;
      decoder.addSample(this.#addInput(sequence, index, false), index + 1, sequence.rolloutNumber);
    }
  }

  /** Reuses the rows of an opening that another prefix has. */
  #openPrefix(prefix: CachedPrefix): void {
    const { opening, inputRows } = prefix;
    if (opening === undefined || prefix.fed > 0) return;
    const { of, length } = opening;
    if (!this.#prefixes.has(of) || of.fed < length) return;
    if (this.#decoder.keeps) inputRows.set(of.inputRows.subarray(0, length));
    prefix.fed = length;
    prefix.openedIn = this.#step;
    this.#opened.add({ from: of.kvBegin, to: prefix.kvBegin, length });
  }

  /** Adds the rows that the cache lacks of a prefix, as far as they fit. */
  #addPrefix(prefix: CachedPrefix, rows: number): void {
    const decoder = this.#decoder;
    const { tokens, kvBegin, inputRows } = prefix;
    this.#openPrefix(prefix);
    const opening = prefix.openedIn === this.#step ? prefix.opening : undefined;
    while (prefix.fed < tokens.length && decoder.rowCount < rows) {
      const at = prefix.fed++;
      const kvRow = kvBegin + at;
      const token = tokens[at] as number;
      if (opening === undefined) prefix.lastRow = decoder.addRow(token, at, kvRow, kvBegin, kvRow + 1, 0, 0);
      else {
        const { of, length } = opening;
        const end = of.kvBegin + length;
        prefix.lastRow = decoder.addRow(token, at, kvRow, of.kvBegin, end, kvBegin + length, kvRow + 1);
      }
      prefix.lastStep = this.#step;
      if (decoder.keeps) inputRows[at] = decoder.begin + prefix.lastRow;
    }
  }

  /** Adds a token of a sequence to the step. @param isKnown  whether the host has it @returns its row in the step */
  #addInput(sequence: SequenceState, index: number, isKnown: boolean): number {
    const decoder = this.#decoder;
    const { source, kvBegin } = sequence;
    const prefixEnd = source.kvBegin + source.tokens.length;
    const kvRow = kvBegin + index;
    const token = isKnown ? sequence.token(index) : 0;
    const position = source.tokens.length + index;
    const row = decoder.addRow(token, position, kvRow, source.kvBegin, prefixEnd, kvBegin, kvRow + 1);
    if (sequence.fedIn !== this.#step) {
      sequence.fedIn = this.#step;
      sequence.fedBefore = index;
    }
    if (decoder.keeps) sequence.setInputRow(index, decoder.begin + row);
    sequence.row = row;
    return row;
  }
}
