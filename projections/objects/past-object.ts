/**
 * An object of which so far only the version is known: its bytes are read from the log when
 * they are first wanted, and then kept. So to find out what there was at a moment costs a walk over
 * an index, however large the objects are.
 */
import type { StringMap } from '../../api/meta/object-meta.ts';
import type { LoggedEvent, StoredObject } from '../../streams/event.ts';
import { LogTrimmedError, type EventReader } from '../../streams/event-log.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { UNREAD, type KnownLabels } from './label-index.ts';
import { withResourceVersion } from './served-bytes.ts';
import { storedObject, type MadeInPassing, type Passing, type Unread } from './stored-object.ts';

export class PastObject implements StoredObject, Unread, MadeInPassing {
  readonly resource: string;
  readonly path: string;
  readonly resourceVersion: ResourceVersion;
  readonly #log: Pick<EventReader, 'at' | 'jsonAt'>;
  #object: StoredObject | undefined;

  /** @param log has the record at this version as long as this object is in use; else {@link LogTrimmedError} is thrown. */
  constructor(
    log: Pick<EventReader, 'at' | 'jsonAt'>,
    { resource, path }: { readonly resource: string; readonly path: string },
    version: ResourceVersion,
  ) {
    this.resource = resource;
    this.path = path;
    this.resourceVersion = version;
    this.#log = log;
  }

  get labels(): StringMap | undefined {
    return this.#read().labels;
  }

  /** Nothing is read for them: a view of many would read all of them. */
  get knownLabels(): KnownLabels {
    return this.#object === undefined ? UNREAD : this.#object.labels;
  }

  get json(): Buffer {
    return this.#read().json;
  }

  get isMade(): boolean {
    return this.#object !== undefined;
  }

  passingJson({ target, mayKeep }: Passing): Buffer {
    if (mayKeep || this.#object !== undefined) return this.json;
    const json = this.#log.jsonAt?.(this.resourceVersion) ?? this.#record().json;
    return withResourceVersion(json, this.resourceVersion, target);
  }

  get isStale(): boolean {
    return this.#read().isStale === true;
  }

  #read(): StoredObject {
    this.#object ??= storedObject(this.#record());
    return this.#object;
  }

  #record(): LoggedEvent {
    const event = this.#log.at(this.resourceVersion);
    if (event === undefined) {
      const version = String(this.resourceVersion);
      throw new LogTrimmedError(`version ${version} is not in the log any more`);
    }
    return event;
  }
}
