import { describe, expect, it } from 'vitest';
import { configMap, givenControlPlane } from '../../actors/registry/given-registry.fixture.ts';
import { LogUnavailableError } from '../../streams/event-log.ts';
import { Metrics } from './metrics.ts';
import { StorageFigures } from './storage-figures.ts';
import { measureViews } from './view-figures.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const OF_MAPS = 'group="",resource="configmaps"';

async function given() {
  const storage = new StorageFigures();
  const plane = await givenControlPlane({ storage });
  for (const name of ['a', 'b', 'c']) {
    await plane.post(MAPS, { ...configMap(name), metadata: { name, labels: { name } } });
  }
  const metrics = new Metrics({ clock: plane.clock, isServed: () => true });
  measureViews(metrics, plane);
  /** Of config maps, without buckets and without the family's beginning. */
  const lines = async (start: string): Promise<string[]> =>
    (storage.format() + (await metrics.format()))
      .split('\n')
      .filter((line) => line.startsWith(start) && line.includes('resource="configmaps"'))
      .filter((line) => !line.includes('_bucket'));
  return { ...plane, lines };
}

describe('figures of storage', () => {
  it('count lists from memory, the objects looked at and those returned', async () => {
    const { get, lines } = await given();
    await get(MAPS);
    await get(`${MAPS}?labelSelector=name%3Db`);
    await get(`${MAPS}?limit=2`);
    expect(await lines('apiserver_cache_list')).toEqual([
      `apiserver_cache_list_total{group="",index="",resource="configmaps"} 3`,
      `apiserver_cache_list_fetched_objects_total{group="",index="",resource="configmaps"} 6`,
      `apiserver_cache_list_returned_objects_total{${OF_MAPS}} 6`,
    ]);
    expect(await lines('apiserver_storage_list')).toEqual([]);
    expect(await lines('apiserver_watch_cache_consistent_read_total')).toEqual([
      `apiserver_watch_cache_consistent_read_total{fallback="false",${OF_MAPS},success="true"} 3`,
    ]);
  });

  it('count lists from the log, where memory does not reach back', async () => {
    const { get, put, resourceViews, applied, lines } = await given();
    const then = applied.current;
    await put(`${MAPS}/a`, { ...configMap('a'), data: { is: 'changed' } });
    resourceViews.of('core/configmaps').window.skipTo(applied.current);
    const { names } = await get(
      `${MAPS}?resourceVersion=${String(then)}&resourceVersionMatch=Exact`,
    );
    expect(names).toEqual(['a', 'b', 'c']);
    expect(await lines('apiserver_storage_list')).toEqual([
      `apiserver_storage_list_total{${OF_MAPS}} 1`,
      `apiserver_storage_list_fetched_objects_total{${OF_MAPS}} 3`,
      `apiserver_storage_list_evaluated_objects_total{${OF_MAPS}} 3`,
      `apiserver_storage_list_returned_objects_total{${OF_MAPS}} 3`,
    ]);
    expect(await lines('apiserver_watch_cache_initializations_total')).toEqual([
      `apiserver_watch_cache_initializations_total{${OF_MAPS}} 2`,
    ]);
  });

  it('measure how long reads wait for a version', async () => {
    const { send, clock, applied, lines } = await given();
    const later = send({
      method: 'GET',
      url: `${MAPS}?resourceVersion=${String(applied.current + 1)}`,
    });
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(3_000);
    await later;
    await send({ method: 'GET', url: `${MAPS}/a?resourceVersion=${String(applied.current)}` });
    await send({ method: 'GET', url: `${MAPS}/a` });
    expect(await lines('apiserver_watch_cache_read_wait_seconds')).toEqual([
      `apiserver_watch_cache_read_wait_seconds_sum{${OF_MAPS}} 3`,
      `apiserver_watch_cache_read_wait_seconds_count{${OF_MAPS}} 2`,
    ]);
  });

  it('count and measure what is written to the log, and what it does not take', async () => {
    const { put, del, post, log, lines } = await given();
    await put(`${MAPS}/a`, { ...configMap('a'), data: { is: 'changed' } });
    await del(`${MAPS}/b`);
    log.append = () => Promise.reject(new LogUnavailableError('the disk is full'));
    expect((await post(MAPS, configMap('d'))).code).toBe(503);
    expect(await lines('etcd_')).toEqual([
      `etcd_requests_total{group="",operation="create",resource="configmaps"} 4`,
      `etcd_requests_total{group="",operation="update",resource="configmaps"} 1`,
      `etcd_requests_total{group="",operation="delete",resource="configmaps"} 1`,
      `etcd_request_errors_total{group="",operation="create",resource="configmaps"} 1`,
      ...['create', 'update', 'delete'].flatMap((operation, at) => [
        `etcd_request_duration_seconds_sum{group="",operation="${operation}",resource="configmaps"} 0`,
        `etcd_request_duration_seconds_count{group="",operation="${operation}",resource="configmaps"} ${['4', '1', '1'][at] ?? ''}`,
      ]),
    ]);
  });

  it('tell of the views what is in them and what came to them', async () => {
    const { del, applied, objects, lines } = await given();
    await del(`${MAPS}/b`);
    const bytes = [...objects.of('core/configmaps').inOrder('')].map(({ json }) => json.length);
    const estimate = Number((await lines('apiserver_resource_size'))[0]?.split(' ')[1]);
    expect(estimate).toBeGreaterThan(Math.min(...bytes));
    expect(estimate).toBeLessThanOrEqual(bytes.reduce((sum, size) => sum + size));
    const version = String(applied.current);
    expect(await lines('apiserver_')).toEqual(
      expect.arrayContaining([
        'apiserver_storage_objects{resource="configmaps"} 2',
        `apiserver_resource_objects{${OF_MAPS}} 2`,
        `apiserver_storage_events_received_total{${OF_MAPS}} 4`,
        `apiserver_watch_cache_events_received_total{${OF_MAPS}} 4`,
        `apiserver_watch_cache_initializations_total{${OF_MAPS}} 1`,
        `apiserver_watch_cache_resource_version{${OF_MAPS}} ${version}`,
      ]),
    );
    expect(await lines('apiserver_watch_cache_events_dispatched')).toEqual([]);
  });

  it('have no more series than so many, whatever is read', () => {
    const storage = new StorageFigures();
    for (let at = 0; at < 3_000; at += 1) storage.readNow(`example.com/r${String(at)}`, true);
    const lines = storage.format().match(/^apiserver_watch_cache_consistent_read_total.*$/gm) ?? [];
    expect(lines).toHaveLength(2_001);
    expect(lines.at(-1)).toContain('{fallback="false",group="",resource="",success="true"} 1000');
  });
});
