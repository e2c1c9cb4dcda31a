/**
 * Before anything is cut, what took no effect is removed up to there, and what each writer's last
 * sequence was is remembered: so a reader of the rest does not have to judge it. It is long work, done in
 * slices between which the event loop serves requests.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { othersTurn } from '../../api/meta/others-turn.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { ObjectHistory } from '../store/object-history.ts';
import type { LogCuts } from '../../streams/log-cuts.ts';
import type { TrimmableLog, TrimStep } from '../../streams/trimmable-log.ts';

const SLICE_MS = 3;
/** So often the clock is asked. */
const STEPS_PER_LOOK = 16;

export class Slices {
  readonly #clock: Clock;
  #began: number;
  #steps = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.now();
  }

  /** To be asked behind every small step. */
  isOver(): boolean {
    this.#steps += 1;
    return this.#steps % STEPS_PER_LOOK === 0 && this.#clock.now() - this.#began >= SLICE_MS;
  }

  async next(): Promise<void> {
    await othersTurn();
    this.#began = this.#clock.now();
  }
}

/** Which events took effect, asked for in rising order: the history is walked beside the log. */
class EffectiveVersions {
  readonly #history: ObjectHistory;
  readonly #after: ResourceVersion;
  readonly #walks = new Map<string, Iterator<ResourceVersion, unknown>>();
  readonly #next = new Map<string, ResourceVersion>();

  /** @param after nothing up to here will be asked for. */
  constructor(history: ObjectHistory, after: ResourceVersion) {
    this.#history = history;
    this.#after = after;
  }

  has(resource: string, version: ResourceVersion): boolean {
    let walk = this.#walks.get(resource);
    if (walk === undefined) {
      walk = this.#history.changesAfter(resource, this.#after)[Symbol.iterator]();
      this.#walks.set(resource, walk);
    }
    for (let next = this.#next.get(resource) ?? 0; next <= version;) {
      if (next === version) return true;
      const step = walk.next();
      if (step.done === true) return false;
      next = step.value;
      this.#next.set(resource, step.value);
    }
    return false;
  }
}

interface SettlingParts {
  readonly log: TrimmableLog;
  readonly history: ObjectHistory;
  readonly slices: Slices;
}

/** What is removed in one transaction. */
const GONE_MAX = 512;

/** The steps that settle the log up to `target`. Each must be done before the next is asked for. */
export async function* settling(
  { log, history, slices }: SettlingParts,
  target: ResourceVersion,
): AsyncGenerator<TrimStep> {
  const before = log.cuts();
  const effective = new EffectiveVersions(history, before.settled);
  const writers = new Map(before.writers);
  let gone: ResourceVersion[] = [];
  for (let version = before.settled + 1; version <= target; version += 1) {
    const at = resourceVersion(version);
    const event = log.at(at);
    if (event !== undefined) {
      const last = writers.get(event.writer);
      if (last === undefined || event.sequence > last) writers.set(event.writer, event.sequence);
      if (!effective.has(event.resource, at)) gone.push(at);
    }
    if (gone.length === GONE_MAX) {
      yield stepTo(at, { before, writers, gone });
      gone = [];
    }
    if (slices.isOver()) await slices.next();
  }
  if (target > before.settled) yield stepTo(target, { before, writers, gone });
}

interface Settled {
  readonly before: LogCuts;
  readonly writers: ReadonlyMap<string, number>;
  readonly gone: readonly ResourceVersion[];
}

function stepTo(settled: ResourceVersion, { before, writers, gone }: Settled): TrimStep {
  return { gone, cuts: { ...before, settled, writers: new Map(writers) } };
}
