/**
 * Reads many versions of the past one behind the other, of which an answer shows all and which nothing keeps. So they share
 * memory: for each of them a piece of its own costs more than to read it.
 */
import type { StoredObject } from '../../streams/event.ts';
import type { EventReader } from '../../streams/event-log.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { withResourceVersion } from './served-bytes.ts';
import { servedObject, storedObject } from './stored-object.ts';

/** Below what the allocator asks the kernel for each time. */
const SHARED_BYTES = 64 * 1024;
/** What a version, its key and a newline take. */
const ADDED_BYTES_MAX = 64;

export class PastReads {
  readonly #log: Pick<EventReader, 'at' | 'jsonAt'>;
  #shared = Buffer.alloc(0);

  constructor(log: Pick<EventReader, 'at' | 'jsonAt'>) {
    this.#log = log;
  }

  /** @returns undefined where its record was cut from the log. */
  read(
    named: Pick<StoredObject, 'resource' | 'path'>,
    version: ResourceVersion,
  ): StoredObject | undefined {
    const json = this.#log.jsonAt?.(version);
    if (json === undefined) {
      const event = this.#log.at(version);
      return event === undefined ? undefined : storedObject(event);
    }
    return servedObject(named, version, {
      served: this.#served(json, version),
      sizeBytes: json.length,
    });
  }

  #served(json: Uint8Array, version: ResourceVersion): Buffer {
    const bytes = json.length + ADDED_BYTES_MAX;
    if (bytes > SHARED_BYTES / 4) return withResourceVersion(json, version);
    if (this.#shared.length < bytes) this.#shared = Buffer.allocUnsafeSlow(SHARED_BYTES);
    const served = withResourceVersion(json, version, this.#shared);
    if (served.buffer === this.#shared.buffer)
      this.#shared = this.#shared.subarray(served.length + 1);
    return served;
  }
}
