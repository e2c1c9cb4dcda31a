/**
 * Which API servers of the control plane are there, by their addresses.
 *
 * Where the log has one writer, that is this server. On a shared log each server keeps a record of its
 * address, and is there as long as the log hears of it: anything that it writes counts, and one that
 * has had nothing to write lets a marker stand in for it, which makes no version of any object. Time
 * is counted in rounds in which this server has met a record of its own in the log, so that a log
 * that cannot be reached takes no server for dead, and clocks are never compared.
 *
 * In Kubernetes: the leases under /masterleases/ in etcd, kubernetes/pkg/controlplane/reconcilers/lease.go.
 */
import { objectAt, stringAt } from '../../../api/json/json.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { nameOf, type StoredObject } from '../../../streams/event.ts';
import type { Committer } from '../../registry/commit/committer.ts';
import { pathOfOwn, writeOwnRecord, type OwnRecord, type OwnRecordParts } from '../own-record.ts';
import { removeStored } from '../removals.ts';

/** The servers of a control plane, as one of them sees them. */
export interface ServerPresence {
  /** From now on this server is there. To be called again every {@link ROUND_MS}. */
  renew(): Promise<void>;
  /** The addresses of all servers that are there, each once. */
  addresses(): readonly string[];
  /** This server is there no more. */
  leave(): Promise<void>;
}

/** Between two calls of `renew`. */
export const ROUND_MS = 5_000;
/** A server that is heard of in none of so many rounds is there no more: fifteen seconds, as upstream. */
const SILENT_ROUNDS = 3;
/** One that has written nothing in so many rounds writes a marker: ten seconds, as upstream. */
const RENEWAL_ROUNDS = 2;

/** Where the log has no other writer. */
export class OnlyServer implements ServerPresence {
  readonly #address: string;
  #isThere = false;

  constructor(address: string) {
    this.#address = address;
  }

  renew(): Promise<void> {
    this.#isThere = true;
    return Promise.resolve();
  }

  addresses(): readonly string[] {
    return this.#isThere ? [this.#address] : [];
  }

  leave(): Promise<void> {
    this.#isThere = false;
    return Promise.resolve();
  }
}

/** Where records of servers lie. */
export const SERVERS = 'dev.everwatch/servers';

/** What {@link SharedPresence} works with. */
export interface SharedPresenceParts extends OwnRecordParts {
  readonly committer: Pick<Committer, 'commit' | 'reach' | 'writer'>;
  readonly objects: Pick<ObjectView, 'get' | 'of'>;
  readonly address: string;
}

/** Where other servers write the same log. */
export class SharedPresence implements ServerPresence {
  readonly #parts: SharedPresenceParts;
  readonly #own: OwnRecord;
  /** The round in which a writer was heard of last. */
  readonly #heardIn = new Map<string, number>();
  #round = 0;

  constructor(parts: SharedPresenceParts) {
    this.#parts = parts;
    this.#own = { resource: SERVERS, kind: 'Server', name: parts.committer.writer };
  }

  /** To be told of the writer of every record that is folded. */
  heard(writer: string): void {
    this.#heardIn.set(writer, this.#round);
  }

  async renew(): Promise<void> {
    const { objects, address, committer } = this.#parts;
    if (objects.get(SERVERS, pathOfOwn(this.#own)) === undefined) {
      await writeOwnRecord(this.#parts, this.#own, undefined, { spec: { address } });
    }
    const isDue = this.#roundsSince(committer.writer) + 1 >= RENEWAL_ROUNDS;
    if (isDue && (await committer.reach()) === undefined) return;
    this.#round += 1;
    await this.#removeSilent();
  }

  addresses(): readonly string[] {
    return [...new Set(this.#servers().map(addressOf))].sort();
  }

  async leave(): Promise<void> {
    const stored = this.#parts.objects.get(SERVERS, pathOfOwn(this.#own));
    if (stored !== undefined) await removeStored(this.#parts, stored);
  }

  /** Of several servers that see it one removes it; it comes back with its next round if it lives. */
  async #removeSilent(): Promise<void> {
    for (const stored of this.#servers()) {
      if (this.#roundsSince(nameOf(stored.path)) > SILENT_ROUNDS) {
        await removeStored(this.#parts, stored);
      }
    }
    for (const [writer, round] of this.#heardIn) {
      if (this.#round - round > SILENT_ROUNDS) this.#heardIn.delete(writer);
    }
  }

  #servers(): readonly StoredObject[] {
    return [...this.#parts.objects.of(SERVERS).inOrder('')];
  }

  /** One of which nothing was heard since this server began is given its time. */
  #roundsSince(writer: string): number {
    return this.#round - (this.#heardIn.get(writer) ?? 0);
  }
}

function addressOf(stored: StoredObject): string {
  return stringAt(objectAt(parsedObject(stored), 'spec'), 'address');
}
