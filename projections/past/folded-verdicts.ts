/** A log folded from its beginning, and compared with what whoever shows it says of its events. */
import { isChange, type LoggedEvent } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { Arbiter, type Verdict } from '../fold/arbiter.ts';
import { VersionTable } from '../fold/live-versions.ts';
import { comparePaths } from '../objects/store-key.ts';
import type { LogSource } from './log-source.ts';
import { hashOfState, type HashedState } from './state-hash.ts';

export interface FoldedVerdicts extends HashedState {
  readonly events: number;
  readonly effective: number;
  /** Verdicts that the fold does not find, in words. */
  readonly differences: readonly string[];
}

const NONE = resourceVersion(0);

/** @param cut up to here the log is not whole, and what is left took effect. */
export async function foldedVerdicts(
  source: LogSource,
  { upTo, cut, signal }: { upTo: ResourceVersion; cut: number; signal: AbortSignal },
): Promise<FoldedVerdicts> {
  const current = new Map<string, LoggedEvent>();
  const versions = new VersionTable();
  const arbiter = new Arbiter(new Map(), versions);
  const differences: string[] = [];
  let events = 0;
  let effective = 0;
  for await (const batch of source.events({ from: NONE, to: upTo }, signal)) {
    for (const { event, verdict: told } of batch) {
      const found = arbiter.judge(event);
      const verdict = event.resourceVersion > cut ? found : told;
      if (isDifferent(verdict, told, cut)) {
        const version = String(event.resourceVersion);
        differences.push(`the event at ${version} is ${verdict}, and there it is ${told}`);
      }
      events += 1;
      if (verdict !== 'effective' || !isChange(event)) continue;
      effective += 1;
      versions.note(event);
      const key = `${event.resource} ${event.path}`;
      if (event.type === 'deleted') current.delete(key);
      // A copy, for the bytes given are a piece of something larger.
      else current.set(key, { ...event, json: Buffer.from(event.json) });
    }
  }
  const state = [...current.values()].sort(
    (a, b) => comparePaths(a.resource, b.resource) || comparePaths(a.path, b.path),
  );
  return { events, effective, differences, ...(await hashOfState(inOneSlice(state))) };
}

/** Of a log that was cut nobody who folds it can know a copy of what is gone from what is late. */
function isDifferent(found: Verdict, told: Verdict, cut: number): boolean {
  return cut > 0 ? (found === 'effective') !== (told === 'effective') : found !== told;
}

async function* inOneSlice(state: readonly LoggedEvent[]): AsyncGenerator<readonly LoggedEvent[]> {
  await Promise.resolve();
  yield state;
}
