/**
 * What servers on one log tell one another: objects of resources that are not served, written as any
 * other, so that the order of the log decides between those that write at once.
 */
import { formatJson } from '../../api/json/json-text.ts';
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import type { Commit, Committer } from '../registry/commit/committer.ts';

/** What own records are written with. */
export interface OwnRecordParts {
  /** Appends the record, and tells what became of it. */
  readonly committer: Pick<Committer, 'commit'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** A record that servers tell one another something by. */
export interface OwnRecord {
  /** `dev.everwatch/…` */
  readonly resource: string;
  /** Of the object that the controller keeps for itself. */
  readonly kind: string;
  /** Of the one object there is of it. */
  readonly name: string;
}

const WRITE_TIMEOUT_MS = 30_000;

/** The path of the record in the views; it lies in no namespace. */
export function pathOfOwn({ name }: OwnRecord): string {
  return `/${name}`;
}

/** @param replaced what it was decided on; undefined: there was nothing. */
export function writeOwnRecord(
  { committer, clock, random }: OwnRecordParts,
  record: OwnRecord,
  replaced: StoredObject | undefined,
  content: JsonObject,
): Promise<Commit> {
  const before = replaced === undefined ? undefined : parsedObject(replaced).metadata;
  const uid = before === undefined ? random.uuid() : (before.uid ?? '');
  const object = {
    kind: record.kind,
    apiVersion: 'dev.everwatch/v1alpha1',
    metadata: { name: record.name, uid },
    ...content,
  };
  const change = {
    type: replaced === undefined ? 'added' : 'modified',
    resource: record.resource,
    path: pathOfOwn(record),
    previousResourceVersion: replaced?.resourceVersion ?? resourceVersion(0),
    requires: [],
    json: Buffer.from(formatJson(object)),
    labels: {},
    uid,
    origin: {
      user: 'system:apiserver',
      verb: replaced === undefined ? 'create' : 'update',
      auditID: '',
      fieldManager: 'everwatch',
      deadline: clock.now() + WRITE_TIMEOUT_MS,
    },
  } as const;
  return new Promise((resolve) => {
    committer.commit(change, resolve);
  });
}
