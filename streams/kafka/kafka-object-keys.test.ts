import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../encryption/given-kms.fixture.ts';
import type { ObjectKeyEntry } from '../encryption/object-key-store.ts';
import { KafkaObjectKeys } from './kafka-object-keys.ts';
import { givenKafka, type GivenKafka } from './stand-in/given-kafka.fixture.ts';

const PATIENCE = { timeout: 120_000 };

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function given(clock?: ManualClock) {
  const made = await givenKafka(clock === undefined ? {} : { clock });
  const stores: KafkaObjectKeys[] = [];
  stops.push(async () => {
    for (const store of stores) await store.close();
    await made.stop();
    expect(made.kafka.misfits).toEqual([]);
  });
  const open = async (): Promise<KafkaObjectKeys> => {
    const store = await KafkaObjectKeys.open(made.parts);
    stores.push(store);
    return store;
  };
  return { ...made, open };
}

function entry(id: string, uid = `uid-${id}`): ObjectKeyEntry {
  return { id, uid, resource: 'core/secrets', path: `default/${uid}`, sealed: Buffer.from(id) };
}

function idsOf(store: KafkaObjectKeys): string[] {
  return [...store.all()].map(({ id }) => id).sort();
}

function looksOf({ kafka, topic }: GivenKafka): number {
  const own = `${topic}.keys`;
  return kafka.asked.filter((each) => each.topic === own && each.request === 'ListOffsets').length;
}

describe('keys of objects in a topic', () => {
  it('are known to be there once there was one', async () => {
    const { parts, open, kafka, topic } = await given();
    expect(await KafkaObjectKeys.exist(parts)).toBe(false);

    await open();

    expect(await KafkaObjectKeys.exist(parts)).toBe(true);
    expect(Object.fromEntries(kafka.topic(`${topic}.keys`).settings)).toMatchObject({
      'cleanup.policy': 'compact',
      'segment.bytes': String(1024 * 1024),
      'min.cleanable.dirty.ratio': '0.01',
      'max.compaction.lag.ms': '3600000',
    });
  });

  it('are given by all servers, when they look or begin', async () => {
    const { open } = await given();
    const [one, other] = [await open(), await open()];

    await one.put([entry('k1'), entry('k2')]);

    expect(one.get('k1')).toEqual(entry('k1'));
    expect(other.get('k1')).toBeUndefined();
    await other.refresh();
    expect(other.get('k2')).toEqual(entry('k2'));
    expect(other.ofObject('uid-k1')?.id).toBe('k1');
    expect(idsOf(await open())).toEqual(['k1', 'k2']);
  });

  it('are gone everywhere when one server has destroyed them, and told of', async () => {
    const { open } = await given();
    const [one, other] = [await open(), await open()];
    const gone: string[] = [];
    other.whenGone(({ id }) => gone.push(id));
    await one.put([entry('k1'), entry('k2')]);
    await other.refresh();

    await one.destroy(['k1']);
    await other.refresh();

    expect([idsOf(one), idsOf(other), gone]).toEqual([['k2'], ['k2'], ['k1']]);
    expect(idsOf(await open())).toEqual(['k2']);
  });

  it('are destroyed once more where a server that did not know has written one again', async () => {
    const { open, kafka, topic } = await given();
    const [one, other] = [await open(), await open()];
    await one.put([entry('k1')]);
    await other.refresh();
    await one.destroy(['k1']);
    await other.put([entry('k1'), entry('k2')]);

    await one.refresh();

    expect(idsOf(one)).toEqual(['k2']);
    expect(kafka.topic(`${topic}.keys`).end).toBe(5);
    await other.refresh();
    expect([idsOf(other), idsOf(await open())]).toEqual([['k2'], ['k2']]);
  });

  it('are not given before they were looked at, and again when that failed', async () => {
    const { open } = await given();
    const [one, other] = [await open(), await open()];
    const seen: string[][] = [];
    other.whenArriving((entries) => {
      seen.push(entries.map(({ id }) => id));
      return seen.length === 1 ? Promise.reject(new Error('not yet')) : Promise.resolve();
    });
    await one.put([entry('k1')]);

    await expect(other.refresh()).rejects.toThrow('not yet');
    expect(idsOf(other)).toEqual([]);
    await other.refresh();

    expect([idsOf(other), seen]).toEqual([['k1'], [['k1'], ['k1']]]);
  });

  it('are not given when they are destroyed while they are looked at', async () => {
    const { open } = await given();
    const [one, other] = [await open(), await open()];
    await one.put([entry('k1'), entry('k2')]);
    other.whenArriving(() => other.destroy(['k1']));

    await other.refresh();

    expect(idsOf(other)).toEqual(['k2']);
    expect(other.ofObject('uid-k1')).toBeUndefined();
  });

  it('are looked for every five seconds, also behind a look that failed, until it is closed', async () => {
    const clock = new ManualClock();
    const made = await given(clock);
    const [one, other] = [await made.open(), await made.open()];
    await one.put([entry('k1')]);
    const failures = ['not yet'];
    other.whenArriving(() => {
      const why = failures.shift();
      return why === undefined ? Promise.resolve() : Promise.reject(new Error(why));
    });
    const planned = () => clock.asked.filter((ms) => ms === 5_000).length;
    for (const looks of [4, 6]) {
      clock.advance(5_000);
      await vi.waitFor(() => {
        expect(planned()).toBe(looks);
      }, PATIENCE);
    }
    expect(idsOf(other)).toEqual(['k1']);

    await one.close();
    await other.close();
    const before = looksOf(made);
    clock.advance(60_000);
    expect(looksOf(made)).toBe(before);
    expect(clock.pending).toBe(0);
  });
});
