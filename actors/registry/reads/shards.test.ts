/** Lists, watches and deletions of a part of the objects, by ranges of hashes. */
import { describe, expect, it } from 'vitest';

import { changeSeen } from '../../../projections/watch/watch-event.ts';
import type { CommittedEvent } from '../../../streams/event.ts';
import { configMap, givenControlPlane } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const GATE = ['--feature-gates=ShardedListAndWatch=true'];
const NAMES = Array.from({ length: 40 }, (_, at) => `map-${String(at).padStart(2, '0')}`);
const HALF = '8000000000000000';
/** The hashes of `default` and `kube-system` lie to both sides. */
const BETWEEN = 'e589b66951d1bcae';

function query(field: string, from: string, to: string): string {
  const selector = `shardRange(object.metadata.${field}, '0x${from}', '0x${to}')`;
  return `shardSelector=${encodeURIComponent(selector)}`;
}

const LOWER = query('uid', '0000000000000000', HALF);
const UPPER = query('uid', HALF, '10000000000000000');

async function givenMaps(flags: readonly string[] = GATE) {
  const plane = await givenControlPlane({ flags });
  for (const name of NAMES) await plane.post(MAPS, configMap(name));
  return plane;
}

describe('a shard', () => {
  it('of a list is a part of it, whole and page by page, and says by which selector', async () => {
    const { get } = await givenMaps();
    const [lower, upper] = [await get(`${MAPS}?${LOWER}`), await get(`${MAPS}?${UPPER}`)];
    expect(lower.list?.shardSelector).toBe(
      "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
    );
    expect(Math.min(lower.names.length, upper.names.length)).toBeGreaterThan(3);
    expect([...lower.names, ...upper.names].toSorted()).toEqual(NAMES);
    const paged: string[] = [];
    let token = '';
    do {
      const page = await get(`${MAPS}?${LOWER}&limit=3&continue=${encodeURIComponent(token)}`);
      expect(page.list?.remainingItemCount).toBeUndefined();
      paged.push(...page.names);
      token = page.list?.continue ?? '';
    } while (token !== '');
    expect(paged).toEqual(lower.names);
  });

  it('of a watch has the changes of the same objects', async () => {
    const { get, objects } = await givenMaps();
    const { names } = await get(`${MAPS}?${LOWER}`);
    const { plan } = await get(`${MAPS}?watch=1&${LOWER}`);
    const seen = NAMES.filter((name) => {
      const object = objects.get('core/configmaps', `default/${name}`);
      if (object === undefined || plan === undefined) return false;
      const { path, resource, resourceVersion } = object;
      const event = { type: 'modified', path, resource, resourceVersion, object, previous: object };
      return changeSeen(plan.selection, event as CommittedEvent) !== undefined;
    });
    expect(seen).toEqual(names);
    const other = await get(`${MAPS}?watch=1&${UPPER}`);
    expect(other.plan?.selection.key).not.toBe(plan?.selection.key);
  });

  it('may be of namespaces', async () => {
    const { get, post } = await givenMaps();
    await post('/api/v1/namespaces/kube-system/configmaps', configMap('other'));
    const parts = [
      query('namespace', '0000000000000000', BETWEEN),
      query('namespace', BETWEEN, '10000000000000000'),
    ].map(async (part) => (await get(`/api/v1/configmaps?${part}`)).names.length);
    expect((await Promise.all(parts)).toSorted((a, b) => a - b)).toEqual([1, NAMES.length]);
  });

  it('is all that a deletecollection deletes', async () => {
    const { get, del } = await givenMaps();
    const { names } = await get(`${MAPS}?${UPPER}`);
    await del(`${MAPS}?${LOWER}`);
    expect((await get(MAPS)).names).toEqual(names);
  });

  it.each(['', '&watch=1'])('that cannot be read is a failure%s', async (more) => {
    const { get } = await givenMaps();
    const { code, status } = await get(`${MAPS}?shardSelector=all%28%29${more}`);
    expect([code, status?.message]).toEqual([
      500,
      'invalid shard selector: unsupported function "all"; only shardRange() and || are allowed',
    ]);
  });

  it('is passed over where its gate is off', async () => {
    const { get } = await givenMaps([]);
    const { names, list } = await get(`${MAPS}?${LOWER}`);
    expect([names, list?.shardSelector]).toEqual([NAMES, undefined]);
    expect((await get(`${MAPS}?shardSelector=all%28%29`)).code).toBe(200);
  });
});
