import { afterEach, describe, expect, it } from 'vitest';
import { resourceVersion } from '../resource-version.ts';
import type { SnapshotHeader, SnapshotRecord } from '../snapshots/snapshot.ts';
import { KafkaSnapshotStore } from './kafka-snapshot-store.ts';
import { encodeBatch } from './record-batch.ts';
import { givenKafka } from './stand-in/given-kafka.fixture.ts';

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function given() {
  const made = await givenKafka();
  const topic = `${made.topic}.snapshots`;
  const store = new KafkaSnapshotStore(made.parts);
  stops.push(async () => {
    store.close();
    await made.stop();
    expect(made.kafka.misfits).toEqual([]);
  });
  const contents = async () => {
    const found = await store.newest();
    if (found === undefined) return undefined;
    const records: SnapshotRecord[] = [];
    for await (const batch of found.records()) records.push(...batch);
    return { header: found.header, objects: found.objects, records };
  };
  const put = (key: string, headers: Readonly<Record<string, string>>, value = 'x'): void => {
    made.kafka.topic(topic).append(encodeBatch([{ key, headers, value: Buffer.from(value) }], 0));
  };
  return { ...made, store, contents, put, snapshots: topic };
}

function header(version: number): SnapshotHeader {
  const writers = new Map([['writer-a', version]]);
  return {
    version: resourceVersion(version),
    identity: `writer-a:${String(version)}`,
    time: 7,
    writers,
  };
}

function record(version: number, bytes = 10): SnapshotRecord {
  return { version: resourceVersion(version), frame: Buffer.alloc(bytes, version) };
}

async function* batches(...records: SnapshotRecord[]): AsyncGenerator<SnapshotRecord[]> {
  await Promise.resolve();
  for (const one of records) yield [one];
}

/** So many that each is a chunk of its own. */
const LARGE = 1024 * 1024;

describe('snapshots in a topic', () => {
  it('are none in a topic that was just made, which is a compacted one', async () => {
    const { contents, kafka, snapshots } = await given();

    expect(await contents()).toBeUndefined();
    expect(Object.fromEntries(kafka.topic(snapshots).settings)).toMatchObject({
      'cleanup.policy': 'compact',
      'segment.bytes': String(64 * 1024 * 1024),
      'min.cleanable.dirty.ratio': '0.3',
    });
    expect(kafka.topic(snapshots).settings.has('max.compaction.lag.ms')).toBe(false);
  });

  it('are given back as they were written, in chunks', async () => {
    const { store, contents, kafka, snapshots } = await given();
    const records = [record(1, LARGE), record(2, LARGE), record(3)];

    await store.write(header(3), batches(...records));

    const found = await contents();
    expect(found).toMatchObject({ header: header(3), objects: 3 });
    expect(found?.records.map(({ version }) => version)).toEqual([1, 2, 3]);
    const isSame = ({ frame }: SnapshotRecord, at: number) => records[at]?.frame.equals(frame);
    expect(found?.records.map(isSame)).toEqual([true, true, true]);
    expect(kafka.topic(snapshots).batchSizes).toEqual([1, 1, 1, 1]);
  });

  it('give back the newest one, and hold it while the next is written', async () => {
    const { store, contents } = await given();
    const seen: unknown[] = [];
    async function* slowly(): AsyncGenerator<SnapshotRecord[]> {
      yield [record(3, LARGE)];
      seen.push((await contents())?.header.version);
      yield [record(4)];
    }
    await store.write(header(1), batches(record(1)));
    await store.write(header(2), batches(record(2)));
    await store.write(header(4), slowly());

    expect(seen).toEqual([2]);
    expect(await contents()).toMatchObject({ header: { version: 4 }, objects: 2 });
  });

  it('go into two slots by turns, so that none is overwritten before the next is whole', async () => {
    const { store, kafka, snapshots } = await given();
    const keys: string[] = [];
    for (const version of [1, 2, 3]) {
      const { end } = kafka.topics.get(snapshots) ?? { end: 0 };
      await store.write(header(version), batches(record(version)));
      const bytes = kafka.topic(snapshots).read(end, Infinity).toString('latin1');
      keys.push(...(bytes.match(/[ab]\/(?:\d+|manifest)/g) ?? []));
    }

    const [a, b] = ['a', 'b'].map((slot) => [`${slot}/0`, `${slot}/manifest`]);
    expect(keys).toEqual([a, b, a].flat());
  });

  it('are found behind what a writer that died has left, however much that is', async () => {
    const { store, contents, put } = await given();
    await store.write(header(1), batches(record(1)));
    for (const [index, count] of [3, 100].entries()) {
      for (let chunk = 0; chunk < count; chunk += 1) {
        put(`b/${String(chunk)}`, { snapshot: `2/${String(index)}`, index: String(chunk) });
      }
      expect(await contents()).toMatchObject({ header: { version: 1 } });
    }
  });

  it('are not taken from what is no manifest of ours', async () => {
    const { store, contents, put } = await given();
    await store.write(header(1), batches(record(1)));

    put('b/manifest', { snapshot: '2/0', index: 'manifest', first: '0' }, 'no manifest');
    put('b/manifest', {});
    put('b', { snapshot: '2/0' });

    expect(await contents()).toMatchObject({ header: { version: 1 }, objects: 1 });
  });

  it('are whole where a chunk was written twice, and others lie between', async () => {
    const { store, kafka, contents, snapshots } = await given();
    kafka.fail('Produce', 'do and cut', 2);

    await store.write(header(2), batches(record(1, LARGE), record(2)));

    expect(kafka.topic(snapshots).end).toBe(5);
    expect(await contents()).toMatchObject({ header: { version: 2 }, objects: 2 });
  });

  it('are known to be damaged where a chunk is gone', async () => {
    const { store, kafka, contents, snapshots } = await given();
    await store.write(header(2), batches(record(1, LARGE), record(2)));
    kafka.topic(snapshots).compactAway(0);

    await expect(contents()).rejects.toThrow('0 of 2 chunks are there, with 0 of 2 records');
  });

  it('are asked for again when the connection is lost', async () => {
    const { store, kafka, contents } = await given();
    await store.write(header(1), batches(record(1)));
    kafka.cutAll();

    expect(await contents()).toMatchObject({ header: { version: 1 } });
  });
});
