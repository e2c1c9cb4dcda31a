import { describe, expect, it } from 'vitest';
import { resourceVersion } from '../streams/resource-version.ts';
import { givenViews } from './given.fixture.ts';
import { MemoryObjectStore } from './store/memory-object-store.ts';
import { storedObject } from './objects/stored-object.ts';
import { loggedEvent } from './given.fixture.ts';
import { verifyStore } from './verification.ts';

async function givenHistory() {
  const given = await givenViews();
  await given.append({}, { previous: 1 }, { previous: 1, writer: 'late' }, { path: 'ns/b' });
  await given.append({ path: 'ns/b', previous: 4, type: 'deleted' });
  return given;
}

describe('the verification', () => {
  it('finds that the store is the fold of the log', async () => {
    const { log, store, stop } = await givenHistory();
    const found = await verifyStore(log, store);
    await stop();

    expect(found).toMatchObject({ events: 5, effective: 4, notApplied: 0, objects: 1 });
    expect(found.differences).toEqual([]);
  });

  it('gives equal states equal hashes, and others others', async () => {
    const one = await givenHistory();
    const other = await givenHistory();
    const same = await verifyStore(one.log, one.store);
    expect((await verifyStore(other.log, other.store)).hash).toBe(same.hash);

    await other.append({ previous: 2, data: 'x' });
    expect((await verifyStore(other.log, other.store)).hash).not.toBe(same.hash);
    await one.stop();
    await other.stop();
  });

  it('counts the whole log for a store that was never filled, as of an imported directory', async () => {
    const { log, store, stop } = await givenHistory();
    const { hash } = await verifyStore(log, store);
    const found = await verifyStore(log, new MemoryObjectStore());
    await stop();

    const differences: string[] = [];
    const counts = { events: 5, effective: 4, notApplied: 5, objects: 1 };
    expect(found).toEqual({ ...counts, hash, differences });
  });

  it('compares a store that lags with the log as it was there', async () => {
    const { log, append, stop } = await givenHistory();
    const lagging = new MemoryObjectStore();
    const event = loggedEvent(1);
    const added = {
      ...event,
      type: 'added',
      object: storedObject(event),
      previous: undefined,
    } as const;
    const writers = new Map([[event.writer, log.at(resourceVersion(1))?.sequence ?? 0]]);
    lagging.record([added], { applied: resourceVersion(1), writers, time: 0 });
    await append({ path: 'ns/c' });
    const found = await verifyStore(log, lagging);
    await stop();

    expect(found).toMatchObject({ events: 6, effective: 5, notApplied: 5, objects: 2 });
    expect(found.differences).toEqual([]);
  });

  it('says what the store has otherwise', async () => {
    const { log, store, stop } = await givenHistory();
    const event = loggedEvent(6, { path: 'ns/ghost' });
    const ghost = {
      ...event,
      type: 'added',
      object: storedObject(event),
      previous: undefined,
    } as const;
    store.record([ghost], { applied: resourceVersion(6), writers: store.writers(), time: 0 });
    const { differences } = await verifyStore(log, store);
    await stop();

    expect(differences).toContain('core/configmaps ns/ghost: the store has it, the log does not');
    expect(differences).toContain("core/configmaps: the store's history is not the log's");
  });
});
