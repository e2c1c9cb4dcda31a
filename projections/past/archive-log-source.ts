/**
 * An archive as a log to be looked at. It is read from its beginning for every question, and what
 * existed at a version is gathered in memory.
 */
import { Arbiter } from '../fold/arbiter.ts';
import { VersionTable } from '../fold/live-versions.ts';
import type { JudgedEvent, LogBounds, LogQuery, LogSource } from './log-source.ts';
import { openArchive, type CheckedArchive } from '../../streams/archive/archive-reader.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';

export class ArchiveLogSource implements LogSource {
  readonly name: string;
  readonly #path: string;
  readonly #checked: CheckedArchive;

  /** @param checked what was found when all of it was read. */
  constructor(path: string, checked: CheckedArchive) {
    this.name = path;
    this.#path = path;
    this.#checked = checked;
  }

  async *events(query: LogQuery, signal: AbortSignal): AsyncGenerator<readonly JudgedEvent[]> {
    const { from, to = Infinity, resource, path, effectiveOnly } = query;
    for await (const { part, events } of this.#judged(signal)) {
      if (part === 'state') continue;
      const wanted = events.filter(
        ({ event, verdict }) =>
          event.resourceVersion >= from &&
          event.resourceVersion <= to &&
          (resource === undefined || event.resource === resource) &&
          (path === undefined || event.path === path) &&
          (effectiveOnly !== true || verdict === 'effective'),
      );
      if (wanted.length > 0) yield wanted;
      if ((events.at(-1)?.event.resourceVersion ?? 0) >= to) return;
    }
  }

  bounds(): Promise<LogBounds> {
    const { from, to } = this.#checked.header;
    const everything = resourceVersion(from - 1);
    return Promise.resolve({
      oldest: from,
      newest: to,
      cuts: { everything, resources: new Map() },
    });
  }

  async versionAtTime(timeMs: number): Promise<ResourceVersion> {
    const { from, to } = this.#checked.header;
    let before = resourceVersion(from - 1);
    for await (const { part, events } of this.#judged(new AbortController().signal)) {
      for (const { event } of events) {
        if (event.time > timeMs && part === 'records') return before;
        if (part === 'records') before = event.resourceVersion;
      }
    }
    return to;
  }

  async *stateAt(
    version: ResourceVersion,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LoggedEvent[]> {
    const state = new Map<string, LoggedEvent>();
    for await (const { part, events } of this.#judged(signal)) {
      const isOver = part === 'records' && (events[0]?.event.resourceVersion ?? 0) > version;
      if (isOver) break;
      for (const { event, verdict } of events) {
        if (verdict !== 'effective' || event.resourceVersion > version) continue;
        const key = objectKeyOf(event);
        if (event.type === 'deleted') state.delete(key);
        else state.set(key, event);
      }
    }
    const all = [...state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, event]) => event);
    if (all.length > 0) yield all;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async *#judged(
    signal: AbortSignal,
  ): AsyncGenerator<{ part: 'state' | 'records'; events: readonly JudgedEvent[] }> {
    const versions = new VersionTable();
    const arbiter = new Arbiter(new Map(), versions);
    const archive = await openArchive(this.#path);
    try {
      for await (const { part, events } of archive.batches()) {
        if (signal.aborted) return;
        const judged = events.map((event): JudgedEvent => {
          // What is in a state took effect, or it would not be there.
          const verdict = part === 'state' ? 'effective' : arbiter.judge(event);
          if (verdict === 'effective') versions.note(event);
          return { event, verdict };
        });
        yield { part, events: judged };
      }
    } finally {
      await archive.close();
    }
  }
}

function objectKeyOf({ resource, path }: LoggedEvent): string {
  return `${resource}\0${path}`;
}
