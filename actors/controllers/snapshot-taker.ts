/**
 * Takes a snapshot when enough has happened since the last one, so that a new server need not fold
 * years. Of all servers on a log one does it: that whose claim takes effect in the log first.
 *
 * The state is read from the history as of one version, while the fold goes on; nothing waits for it.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import { stringAt, type JsonObject } from '../../api/json/json.ts';
import { othersTurn } from '../../api/meta/others-turn.ts';
import type { ObjectStore } from '../../projections/store/object-history.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { encodeRecord } from '../../streams/event-codec.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type {
  SnapshotHeader,
  SnapshotRecord,
  SnapshotRecords,
  SnapshotStore,
} from '../../streams/snapshots/snapshot.ts';
import type { Committer } from '../registry/commit/committer.ts';
import { pathOfOwn, writeOwnRecord, type OwnRecord } from './own-record.ts';

export interface SnapshotTakerParts {
  readonly objects: Pick<ObjectView, 'get'>;
  readonly store: ObjectStore;
  readonly log: Pick<EventReader, 'at'>;
  readonly committer: Pick<Committer, 'commit'>;
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Versions between two snapshots; at least 1. */
  readonly every: number;
  readonly failed: (error: unknown) => void;
  readonly taken: (taken: SnapshotTaken) => void;
}

/** A snapshot that is whole: the state as of `version`, of so many objects. */
export interface SnapshotTaken {
  /** The state as of this record, which is part of it. */
  readonly version: ResourceVersion;
  /** How many objects are in it. */
  readonly objects: number;
  /** From the first byte to the manifest. */
  readonly durationMs: number;
}

type Read = Pick<SnapshotTaken, 'version' | 'objects'>;

const NOTE: OwnRecord = { resource: 'dev.everwatch/snapshots', kind: 'Snapshot', name: 'newest' };
const CHECK_EVERY_MS = 2_000;

/** A server that has claimed a snapshot and not taken it by then is taken for dead. */
const CLAIM_MS = 10 * 60_000;

/** Records read from the log at a time, between which others have their turn. */
const SLICE = 256;

export class SnapshotTaker {
  readonly #parts: SnapshotTakerParts;
  #cancel: () => void = () => undefined;
  #isStopped = false;
  #reading: ResourceVersion | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(parts: SnapshotTakerParts) {
    this.#parts = parts;
  }

  /** What a snapshot is being taken of must not be cut; undefined: none is. */
  get keepFrom(): ResourceVersion | undefined {
    return this.#reading;
  }

  start(): void {
    this.#cancel = this.#parts.clock.after(CHECK_EVERY_MS, () => {
      this.#working = this.takeIfDue()
        .then((taken) => {
          if (taken !== undefined) this.#parts.taken(taken);
        })
        .catch((error: unknown) => {
          if (!this.#isStopped) this.#parts.failed(error);
        })
        .finally(() => {
          if (!this.#isStopped) this.start();
        });
    });
  }

  /** Resolves when nothing is being read any more. A snapshot under way is left unfinished. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#working;
  }

  /** Undefined: it is not due, or another server is at it. */
  async takeIfDue(): Promise<SnapshotTaken | undefined> {
    const { objects, store, clock, every } = this.#parts;
    const known = objects.get(NOTE.resource, pathOfOwn(NOTE));
    const last = known === undefined ? undefined : parsedObject(known);
    const taken = numberOf(last, 'taken');
    if (store.appliedVersion - taken < every) return undefined;
    if (last !== undefined && isClaimed(last, clock.now())) return undefined;
    const from = clock.now();
    const claim = await this.#note(known, { state: 'Taking', taken });
    if (claim === undefined) return undefined;
    const { version, objects: count } = await this.#takeOrGiveBack(claim, taken);
    await this.#note(claim, { state: 'Taken', taken: version });
    return { version, objects: count, durationMs: clock.now() - from };
  }

  /** A server that is stopped gives the claim back: others need not wait until they take it for dead. */
  async #takeOrGiveBack(claim: StoredObject, taken: number): Promise<Read> {
    try {
      return await this.#take();
    } catch (error) {
      if (this.#isStopped) await this.#note(claim, { state: 'Taken', taken });
      throw error;
    }
  }

  async #take(): Promise<Read> {
    const { store, log, snapshots } = this.#parts;
    await store.settled();
    const version = store.appliedVersion;
    this.#reading = version;
    try {
      const event = log.at(version);
      if (event === undefined) throw new Error(`version ${String(version)} is not in the log`);
      const header: SnapshotHeader = {
        version,
        identity: `${event.writer}:${String(event.sequence)}`,
        time: store.latestTime,
        writers: new Map(store.writers()),
      };
      const versions = await versionsAt(store, version);
      await snapshots.write(header, this.#records(versions));
      return { version, objects: versions.length };
    } finally {
      this.#reading = undefined;
    }
  }

  async *#records(versions: readonly ResourceVersion[]): SnapshotRecords {
    for (let at = 0; at < versions.length; at += SLICE) {
      if (this.#isStopped) throw new Error('the server is stopping');
      const slice: SnapshotRecord[] = [];
      for (const version of versions.slice(at, at + SLICE)) {
        const event = this.#parts.log.at(version);
        if (event === undefined) throw new Error(`version ${String(version)} is not in the log`);
        slice.push({ version, frame: encodeRecord(event) });
      }
      yield slice;
      await othersTurn();
    }
  }

  /** What the note says from now on; undefined when another server was first, or it failed. */
  async #note(
    replaced: StoredObject | undefined,
    said: { readonly state: 'Taking' | 'Taken'; readonly taken: number },
  ): Promise<StoredObject | undefined> {
    const content = { ...said, at: this.#parts.clock.now() };
    const commit = await writeOwnRecord(this.#parts, NOTE, replaced, content);
    return commit.kind === 'committed' ? commit.event.object : undefined;
  }
}

function isClaimed(note: JsonObject, now: number): boolean {
  return stringAt(note, 'state') === 'Taking' && now - numberOf(note, 'at') < CLAIM_MS;
}

/** 0 where it is missing. */
function numberOf(note: JsonObject | undefined, name: string): number {
  const value = note?.[name];
  return typeof value === 'number' ? value : 0;
}

/** Of every object that existed at `version`, rising: so the log is read from front to back. */
async function versionsAt(
  store: ObjectStore,
  version: ResourceVersion,
): Promise<readonly ResourceVersion[]> {
  const versions: ResourceVersion[] = [];
  for (const resource of [...store.resourcesEver()]) {
    for (const found of store.pathsAt(resource, { prefix: '', from: '' }, version)) {
      versions.push(found.resourceVersion);
      if (versions.length % SLICE === 0) await othersTurn();
    }
  }
  return versions.sort((a, b) => a - b);
}
