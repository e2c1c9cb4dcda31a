/**
 * Before anything is cut, what took no effect is removed up to there, and what each writer's last
 * sequence was is remembered: so a reader of the rest does not have to judge it. The records are read
 * once, so what of them a cut removes is noted in the same walk. It is long work, done in
 * slices between which the event loop serves requests.
 */
import type { Slices } from '../../api/meta/slices.ts';
import type { EventHead } from '../../streams/event.ts';
import type { EventHeads, EventLog } from '../../streams/event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { ObjectHistory } from '../store/object-history.ts';
import type { LogCuts } from '../../streams/log-cuts.ts';
import type { TrimmableLog, TrimStep } from '../../streams/trimmable-log.ts';
import type { Goal, Survey } from './cutting.ts';

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

/** The log that is walked, which tells heads where it can. */
type WalkedLog = Pick<TrimmableLog, 'at' | 'cuts'> & Pick<EventLog, 'heads'>;

/** The records one behind the other, of which no more than the head is decoded where the log can do that. */
class RisingHeads {
  readonly #log: WalkedLog;
  readonly #heads: EventHeads | undefined;

  /** @param first the version that is asked for first; each next one follows it. */
  constructor(log: WalkedLog, first: ResourceVersion) {
    this.#log = log;
    this.#heads = log.heads?.(first, () => undefined);
  }

  at(version: ResourceVersion): EventHead | undefined {
    return this.#heads?.next() ?? this.#log.at(version);
  }
}

interface SettlingParts {
  readonly log: WalkedLog;
  readonly history: ObjectHistory;
  readonly slices: Slices;
  /** Is told of all that took effect. */
  readonly survey: Survey;
  /** Asked between the slices: whether the rest is of no use. */
  readonly stopped: () => boolean;
}

/** What is removed in one transaction. */
const GONE_MAX = 512;

/** Walks through the records of the goal. @returns the steps that settle the log: each must be done before the next is asked for. */
export async function* settling(
  { log, history, slices, survey, stopped }: SettlingParts,
  { from, to }: Pick<Goal, 'from' | 'to'>,
): AsyncGenerator<TrimStep> {
  const before = log.cuts();
  const { settled } = before;
  const effective = new EffectiveVersions(history, settled);
  const writers = new Map(before.writers);
  const heads = new RisingHeads(log, resourceVersion(from + 1));
  let gone: ResourceVersion[] = [];
  for (let version = from + 1; version <= to; version += 1) {
    const at = resourceVersion(version);
    const head = heads.at(at);
    if (head !== undefined) {
      if (at > settled) noteWriter(writers, head);
      // All that is left of what was settled before took effect.
      if (at <= settled || effective.has(head.resource, at)) survey.note(head);
      else gone.push(at);
    }
    if (gone.length === GONE_MAX) {
      yield stepTo(at, { before, writers, gone });
      gone = [];
    }
    if (slices.isOver()) await slices.next();
    if (stopped()) return;
  }
  if (to > settled) yield stepTo(to, { before, writers, gone });
}

function noteWriter(writers: Map<string, number>, { writer, sequence }: EventHead): void {
  const last = writers.get(writer);
  if (last === undefined || sequence > last) writers.set(writer, sequence);
}

interface Settled {
  readonly before: LogCuts;
  readonly writers: ReadonlyMap<string, number>;
  readonly gone: readonly ResourceVersion[];
}

function stepTo(settled: ResourceVersion, { before, writers, gone }: Settled): TrimStep {
  return { gone, cuts: { ...before, settled, writers: new Map(writers) } };
}
