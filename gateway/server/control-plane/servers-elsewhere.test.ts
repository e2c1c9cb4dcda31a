/** How the deletion of a namespace asks aggregated servers. */
import { expect, it } from 'vitest';
import type { FetchOptions } from '../../../actors/aggregation/aggregated-servers.ts';
import type { AggregatedService } from '../../../actors/aggregation/aggregated-services.ts';
import { type AggregatedViews, serversElsewhere } from './servers-elsewhere.ts';

const OF = { name: 'v1.g', group: 'g', version: 'v1' } as AggregatedService; // No more is read.

it('lists metadata alone, and deletes as any client does', async () => {
  const asked: [path: string, method: string, accept: string][] = [];
  const fetch = (_of: AggregatedService, path: string, { method, headers }: FetchOptions) => {
    asked.push([path, method ?? '', headers?.['accept'] ?? '']);
    return Promise.resolve({
      ok: true,
      code: 200,
      url: '',
      headers: {},
      body: Buffer.from('{}'),
    } as const);
  };
  const views: AggregatedViews = {
    aggregated: { forPath: (path) => (path.startsWith('/apis/g/v1/') ? OF : undefined) },
    aggregatedServers: { fetch },
    aggregatedDocuments: { current: () => ({ registered: { aggregated: [] } }) as never },
  };
  const elsewhere = serversElsewhere(views);
  const path = '/apis/g/v1/namespaces/shop/things';
  expect((await elsewhere.ask('GET', path)).ok).toBe(true);
  await elsewhere.ask('DELETE', `${path}?propagationPolicy=Background`);
  const metadata = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
  expect(asked).toEqual([
    [path, 'GET', `${metadata},application/json`],
    [`${path}?propagationPolicy=Background`, 'DELETE', 'application/json'],
  ]);
  expect(await elsewhere.ask('GET', '/apis/other/v1/things')).toMatchObject({ ok: false });
});
