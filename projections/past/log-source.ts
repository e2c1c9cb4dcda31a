/**
 * A log to be looked at, with its verdicts, wherever it lies: in a data directory that no server
 * has open, in a Kafka topic, or behind a running server. What tools are made of.
 */
import type { JsonObject } from '../../api/json/json.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { Verdict } from '../fold/arbiter.ts';

/** A record of the log, and whether it took effect. */
export interface JudgedEvent {
  /** The record, with its object. */
  readonly event: LoggedEvent;
  /** Only an effective record changed anything; a duplicate is a second copy. */
  readonly verdict: Verdict;
}

/** Which part of the log; what is left out does not narrow it. */
export interface LogQuery {
  /** The first version; 0 and what is older than the log begin at its oldest. */
  readonly from: ResourceVersion;
  /** The last version; what comes after it is not waited for. */
  readonly to?: ResourceVersion;
  /** `core/configmaps`: events of this resource alone. */
  readonly resource?: string;
  /** `<namespace>/<name>`: events of this object alone; with `resource`. */
  readonly path?: string;
  /**
   * Whether to wait at the end for what is yet to come, until `signal` aborts. A reader that says it, either
   * way, gets through the absence of a server; of such a server, objects may be spelled anew.
   */
  readonly follow?: boolean;
  /** Whether those that changed nothing are left out: overtaken ones, duplicates and markers. */
  readonly effectiveOnly?: boolean;
}

/** One object of a log, where a question is about nothing else: then a server asks for fewer rights. */
export type ObjectOfLog = Required<Pick<LogQuery, 'resource' | 'path'>>;

/** From which version to which a log can be read. */
export interface LogBounds {
  /** From there on all events are there. */
  readonly oldest: ResourceVersion;
  /** 0 for an empty log. */
  readonly newest: ResourceVersion;
  /** As of which versions resources can be read, where not from the beginning on. */
  readonly cuts?: {
    /** Of all resources that are not named; 0: from the beginning on. */
    readonly everything: ResourceVersion;
    readonly resources: ReadonlyMap<string, ResourceVersion>;
  };
}

export interface LogSource {
  /** What a person would call it: a directory, a topic, a server's URL. */
  readonly name: string;

  /** The events in order, in batches of at least one. @throws Error when the log cannot be read. */
  events(query: LogQuery, signal: AbortSignal): AsyncIterable<readonly JudgedEvent[]>;

  /**
   * The oldest and the newest version that can be asked for. @param of undefined: of the whole log.
   */
  bounds(of?: ObjectOfLog): Promise<LogBounds>;

  /**
   * The moment of a time, in milliseconds since 1970: the version before the first record that
   * says a later one. @throws {NotRetainedError} it lies before what is retained.
   */
  versionAtTime(timeMs: number, of?: ObjectOfLog): Promise<ResourceVersion>;

  /**
   * Every object that existed at a version, as the event that made it so, in order of keys. Without
   * those of resources that cannot be read as of then any more, see {@link LogBounds}.
   */
  stateAt(version: ResourceVersion, signal: AbortSignal): AsyncIterable<readonly LoggedEvent[]>;

  /** The APIResourceLists of what is served now, where a server is asked. */
  servedResources?(signal: AbortSignal): Promise<readonly JsonObject[]>;

  /** Releases the connection or the files. Safe to call twice. */
  close(): Promise<void>;
}

/** It is not in the log any more. */
export class NotRetainedError extends Error {
  override readonly name = 'NotRetainedError';
}
