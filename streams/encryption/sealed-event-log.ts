/**
 * A log whose objects are encrypted: what is appended is sealed, what is read is opened. All that
 * lies on a disk or in Kafka is what the log below has; a reader through this one sees plain
 * objects, and is not concerned.
 *
 * An event of an object that is to be encrypted and is not, yet, says so: its next version is written
 * even where it says the same.
 */
import type { DiskUsage } from '../lmdb-usage.ts';
import type { EventLog } from '../event-log.ts';
import { isChange, type LoggedEvent, type ProposedEvent } from '../event.ts';
import type { LogCuts } from '../log-cuts.ts';
import type { ResourceVersion } from '../resource-version.ts';
import type { TrimmableLog, TrimStep } from '../trimmable-log.ts';
import type { LogKeys, Writing } from './log-keys.ts';
import { isSealed, keyIdIn, objectWithoutKey, openObject, sealObject } from './sealed-value.ts';

export class SealedEventLog<Log extends EventLog> implements EventLog {
  readonly log: Log;
  readonly #keys: LogKeys;
  #appending: Promise<unknown> = Promise.resolve();

  constructor(log: Log, keys: LogKeys) {
    this.log = log;
    this.#keys = keys;
  }

  refusal(event: Writing): string | undefined {
    return event.uid === '' ? undefined : this.#keys.refusal?.(event);
  }

  /** One behind the other, as they came: two appends must not make two keys for one object. */
  append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    const appended = this.#appending.then(() => this.#append(events));
    this.#appending = appended.catch(() => undefined);
    return appended;
  }

  async #append(events: readonly ProposedEvent[]): Promise<ResourceVersion> {
    const toSeal = events.filter((event) => event.uid !== '' && this.#keys.seals(event.resource));
    if (toSeal.length === 0) return this.log.append(events);
    // The key is durable before anything is written that needs it.
    const keys = await this.#keys.forWriting(toSeal);
    const sealed = events.map((event) => {
      const key = toSeal.includes(event) ? keys.get(event.uid) : undefined;
      return key === undefined ? event : { ...event, json: sealObject(event, event.json, key) };
    });
    return this.log.append(sealed);
  }

  async *read(from: ResourceVersion, signal: AbortSignal): AsyncGenerator<readonly LoggedEvent[]> {
    for await (const batch of this.log.read(from, signal)) {
      if (!batch.some((event) => this.#concerns(event))) {
        yield batch;
        continue;
      }
      const sealed = batch.filter(({ json }) => isSealed(json));
      await this.#keys.learn?.(
        sealed.map(({ json }) => keyIdIn(json)),
        signal,
      );
      if (signal.aborted) return;
      yield batch.map((one) => this.#opened(one));
    }
  }

  at(version: ResourceVersion): LoggedEvent | undefined {
    const event = this.log.at(version);
    return event === undefined ? undefined : this.#opened(event);
  }

  oldest(): Promise<ResourceVersion> {
    return this.log.oldest();
  }

  cuts(): LogCuts {
    return this.log.cuts();
  }

  newest(timeoutMs: number): Promise<ResourceVersion> {
    return this.log.newest(timeoutMs);
  }

  async close(): Promise<void> {
    await this.#appending;
    await this.log.close();
  }

  #concerns(event: LoggedEvent): boolean {
    return isChange(event) && (isSealed(event.json) || this.#keys.seals(event.resource));
  }

  #opened(event: LoggedEvent): LoggedEvent {
    if (!isChange(event)) return event;
    if (!isSealed(event.json)) {
      return this.#keys.seals(event.resource) ? { ...event, isStale: true } : event;
    }
    const key = this.#keys.keyOf(keyIdIn(event.json));
    if (key === undefined) {
      return { ...event, json: objectWithoutKey(event, event.json, this.#keys.missing) };
    }
    const json = openObject(event, event.json, key);
    // It would be written plainly today.
    return { ...event, json, ...(this.#keys.seals(event.resource) ? {} : { isStale: true }) };
  }
}

/** The same over a log that can be cut. */
export class SealedTrimmableLog<Log extends EventLog & TrimmableLog>
  extends SealedEventLog<Log>
  implements TrimmableLog
{
  trim(step: TrimStep): Promise<void> {
    return this.log.trim(step);
  }

  diskUsage(): DiskUsage {
    return this.log.diskUsage();
  }
}
