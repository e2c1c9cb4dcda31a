/**
 * Fills the embedded log of a server that is stopped with many objects and a long history. What it appends is what
 * the server itself has written for one object of each sort, over HTTP, with another name, namespace, uid and value
 * in it; it goes through the engine's own append, and not through HTTP, where it would take hours.
 */
import { join } from 'node:path';
import { isChange, type LoggedChange, type ProposedEvent } from '../../streams/event.ts';
import { openDataDirectory } from '../../streams/embedded/data-directory.ts';
import { APPEND_EVENTS_MAX, type EventLog } from '../../streams/event-log.ts';
import { EmbeddedEventLog } from '../../streams/embedded/embedded-event-log.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';

/** The namespace of the sample objects. Its name is as long as that of every namespace that is filled. */
export const SAMPLE_NAMESPACE = 'space-99999';
/** The names of the samples, as long as those of the objects made from them. */
export const SAMPLE = { usual: 'small-9999999', large: 'large-9999999' } as const;
/** Stands in the data of each sample; each version of an object has another value there. */
export const SAMPLE_VALUE = 'v-9999999999';

const NAMESPACES = 'core/namespaces';
const APPEND_BYTES = 4 * 1024 * 1024;
const APPENDS_UNDER_WAY = 2;
const DAY_MS = 86_400_000;
const WRITER = 'scale-fill';
const UID_LENGTH = 36;
const ANSWER_MS = 10_000;

export interface Filling {
  /** Of 2 KB, a thousand in each namespace. */
  readonly objects: number;
  /** Of 10 KB, in the same namespaces. */
  readonly large: number;
  /** Versions of objects in all: what is not a create is an update of any of the smaller ones. */
  readonly events: number;
}

export interface Filled {
  readonly newest: number;
  readonly seconds: number;
}

/** Objects in a namespace. */
export const NAMESPACE_OBJECTS = 1_000;

export function namespaceName(number: number): string {
  return `space-${String(number).padStart(5, '0')}`;
}

/** The name of an object of 2 KB. It lies in the namespace `Math.floor(number / NAMESPACE_OBJECTS)`. */
export function objectName(number: number): string {
  return `small-${String(number).padStart(7, '0')}`;
}

/** @param dataDir of a stopped server that has the samples. */
export async function fillLog(dataDir: string, filling: Filling): Promise<Filled> {
  const from = process.hrtime.bigint();
  const directory = await openDataDirectory(dataDir);
  const log = new EmbeddedEventLog(directory.logPath);
  try {
    const newest = await appendFilling(log, filling);
    return { newest, seconds: Number(process.hrtime.bigint() - from) / 1e9 };
  } finally {
    await log.close();
    await directory.release();
  }
}

/** The engine of a log that has the samples, and no server. */
type FilledLog = Pick<EventLog, 'append' | 'newest' | 'at'>;

/** @returns the newest version. */
export async function appendFilling(log: FilledLog, filling: Filling): Promise<number> {
  const filler = new LogFiller(log, await samplesIn(log));
  await filler.fill(filling);
  return log.newest(ANSWER_MS);
}

interface Samples {
  readonly namespace: Sample;
  readonly created: Sample;
  readonly updated: Sample;
  readonly large: Sample;
  readonly time: number;
}

async function samplesIn(log: FilledLog): Promise<Samples> {
  const newest = await log.newest(ANSWER_MS);
  const found = new Map<string, LoggedChange>();
  for (let version = 1; version <= newest; version += 1) {
    const event = log.at(resourceVersion(version));
    if (event !== undefined && isChange(event)) found.set(`${event.path} ${event.type}`, event);
  }
  const sample = (path: string, type: string): LoggedChange => {
    const event = found.get(`${path} ${type}`);
    if (event === undefined) throw new Error(`the server has written no sample ${path}`);
    return event;
  };
  const usual = join(SAMPLE_NAMESPACE, SAMPLE.usual);
  const namespace = sample(`/${SAMPLE_NAMESPACE}`, 'added');
  return {
    namespace: new Sample(namespace, SAMPLE_NAMESPACE),
    created: new Sample(sample(usual, 'added'), SAMPLE.usual),
    updated: new Sample(sample(usual, 'modified'), SAMPLE.usual),
    large: new Sample(sample(join(SAMPLE_NAMESPACE, SAMPLE.large), 'added'), SAMPLE.large),
    time: namespace.time - DAY_MS,
  };
}

interface Stamp {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly value: string;
}

/** A record of the server, and where in its JSON stands what differs from object to object. */
class Sample {
  readonly event: LoggedChange;
  readonly #json: Buffer;
  readonly #places: readonly (readonly [part: keyof Stamp, at: number])[];

  constructor(event: LoggedChange, name: string) {
    this.event = event;
    this.#json = Buffer.from(event.json);
    const parts: readonly (readonly [keyof Stamp, string])[] = [
      ['name', name],
      ['namespace', SAMPLE_NAMESPACE],
      ['uid', event.uid],
      ['value', SAMPLE_VALUE],
    ];
    this.#places = parts.flatMap(([part, text]) =>
      placesOf(this.#json, text).map((at) => [part, at] as const),
    );
  }

  json(stamp: Stamp): Buffer {
    const json = Buffer.from(this.#json);
    for (const [part, at] of this.#places) json.write(stamp[part], at, 'latin1');
    return json;
  }
}

function placesOf(json: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = json.indexOf(text); at >= 0; at = json.indexOf(text, at + 1)) places.push(at);
  return places;
}

/** What of an event differs from its sample. */
interface Change extends Stamp {
  readonly path: string;
  readonly previous: number;
  /** Of the namespace as the writer has seen it; 0: the record requires nothing. */
  readonly namespaceVersion: number;
}

class LogFiller {
  readonly #log: FilledLog;
  readonly #samples: Samples;
  readonly #underWay: Promise<unknown>[] = [];
  #batch: ProposedEvent[] = [];
  #bytes = 0;
  #sequence = 0;
  #next = 0;
  #random = 1;

  constructor(log: FilledLog, samples: Samples) {
    this.#log = log;
    this.#samples = samples;
  }

  async fill({ objects, large, events }: Filling): Promise<void> {
    this.#next = (await this.#log.newest(ANSWER_MS)) + 1;
    const namespaces = Math.ceil(objects / NAMESPACE_OBJECTS);
    const spaces = new Uint32Array(namespaces);
    for (let one = 0; one < namespaces; one += 1) {
      spaces[one] = this.#next;
      const name = namespaceName(one);
      const change = this.#change(`a${String(one)}`, { name, namespace: name, path: `/${name}` });
      await this.#push(this.#samples.namespace, change);
    }
    const versions = new Uint32Array(objects);
    const small = (one: number): Change => {
      const space = Math.floor(one / NAMESPACE_OBJECTS);
      return this.#object(`b${String(one)}`, objectName(one), namespaceName(space));
    };
    const created = (change: Change, space: number): Change => {
      return { ...change, namespaceVersion: spaces[space] ?? 0 };
    };
    for (let one = 0; one < objects; one += 1) {
      versions[one] = this.#next;
      const change = created(small(one), Math.floor(one / NAMESPACE_OBJECTS));
      await this.#push(this.#samples.created, change);
    }
    for (let one = 0; one < large; one += 1) {
      const name = `large-${String(one).padStart(7, '0')}`;
      const space = one % namespaces;
      const change = this.#object(`c${String(one)}`, name, namespaceName(space));
      await this.#push(this.#samples.large, created(change, space));
    }
    for (let left = events - objects - large; left > 0; left -= 1) {
      const one = this.#chosen(objects);
      const previous = versions[one] ?? 0;
      versions[one] = this.#next;
      await this.#push(this.#samples.updated, { ...small(one), previous });
    }
    await this.#send();
    await Promise.all(this.#underWay);
  }

  #object(uid: string, name: string, namespace: string): Change {
    return this.#change(uid, { name, namespace, path: `${namespace}/${name}` });
  }

  #change(uid: string, named: Pick<Change, 'name' | 'namespace' | 'path'>): Change {
    const value = `v-${String(this.#next).padStart(10, '0')}`;
    return { ...named, uid: uid.padEnd(UID_LENGTH, '-'), value, previous: 0, namespaceVersion: 0 };
  }

  /** Any of so many: the same ones at each run. */
  #chosen(count: number): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return (this.#random >>> 4) % count;
  }

  #push(sample: Sample, change: Change): Promise<void> | undefined {
    const { event } = sample;
    this.#sequence += 1;
    const json = sample.json(change);
    const requires =
      change.namespaceVersion === 0
        ? []
        : [
            {
              resource: NAMESPACES,
              path: `/${change.namespace}`,
              resourceVersion: resourceVersion(change.namespaceVersion),
            },
          ];
    this.#batch.push({
      ...event,
      ...{ writer: WRITER, sequence: this.#sequence, path: change.path, requires, json },
      ...{ uid: change.uid, time: this.#samples.time + this.#sequence },
      previousResourceVersion: resourceVersion(change.previous),
    });
    this.#next += 1;
    this.#bytes += json.length;
    const isFull = this.#bytes >= APPEND_BYTES || this.#batch.length === APPEND_EVENTS_MAX;
    return isFull ? this.#send() : undefined;
  }

  async #send(): Promise<void> {
    if (this.#batch.length === 0) return;
    const appended: Promise<ResourceVersion> = this.#log.append(this.#batch);
    this.#underWay.push(appended);
    [this.#batch, this.#bytes] = [[], 0];
    if (this.#underWay.length >= APPENDS_UNDER_WAY) await this.#underWay.shift();
  }
}
