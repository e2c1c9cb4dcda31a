/**
 * The copy of a topic that a server has left on its disk, to be looked at: what is there is all
 * there is, since Kafka is not asked. No other process may have the directory.
 */
import type { EventReader } from '../../event-log.ts';
import type { LoggedEvent } from '../../event.ts';
import type { LogCuts } from '../../log-cuts.ts';
import { LogReaders } from '../../log-readers.ts';
import { resourceVersion, type ResourceVersion } from '../../resource-version.ts';
import { LocalCopyError } from '../kafka-errors.ts';
import { openLocalEnvironment } from './local-environment.ts';
import { LOCAL_META_KEY, type Meta } from './local-copy-meta.ts';
import { LocalRecords } from './local-records.ts';

export class StoredCopy implements EventReader {
  readonly topic: string;
  readonly #local: LocalRecords;
  readonly #readers: LogReaders;

  /** @throws {LocalCopyError} there is none in this directory. */
  static async open(path: string): Promise<StoredCopy> {
    const { environment, metas } = openLocalEnvironment(path);
    const text = metas.get(LOCAL_META_KEY);
    await environment.close();
    if (text === undefined) throw new LocalCopyError(`${path} holds no copy of a topic`);
    // It was written by a server.
    return new StoredCopy(path, JSON.parse(text) as Meta);
  }

  private constructor(path: string, { topic, base }: Meta) {
    this.topic = topic;
    const local = new LocalRecords({
      path,
      topic,
      base,
      onProblem: () => undefined,
      pause: () => Promise.resolve(),
    });
    this.#local = local;
    this.#readers = new LogReaders({
      beginning: resourceVersion(base + 1),
      get oldest() {
        return local.completeFrom;
      },
      slice: (from) => local.slice(from),
    });
  }

  read(from: ResourceVersion, signal: AbortSignal): AsyncIterable<readonly LoggedEvent[]> {
    return this.#readers.read(from, signal);
  }

  at(version: ResourceVersion): LoggedEvent | undefined {
    return this.#local.at(version);
  }

  oldest(): Promise<ResourceVersion> {
    return Promise.resolve(this.#local.completeFrom);
  }

  newest(): Promise<ResourceVersion> {
    return Promise.resolve(this.#local.newest);
  }

  cuts(): LogCuts {
    return this.#local.cuts;
  }

  close(): Promise<void> {
    this.#readers.close();
    return this.#local.close();
  }
}
