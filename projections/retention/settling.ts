/**
 * Before anything is cut, what took no effect is removed up to there, and what each writer's last
 * sequence was is remembered: so whoever folds the rest does not have to judge it.
 */
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import type { LogCuts } from '../../streams/log-cuts.ts';
import type { TrimmableLog, TrimStep } from '../../streams/trimmable-log.ts';
import type { ObjectHistory } from '../objects/object-history.ts';
import { EffectiveVersions } from './effective-versions.ts';
import type { Slices } from './slices.ts';

export interface SettlingParts {
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
