import { describe, expect, it } from 'vitest';

import { parseContinueToken } from '../../../projections/list/continue-token.ts';
import {
  configMap,
  CONTINUE_TOKEN_TTL_MS,
  givenControlPlane,
  pod,
  type ControlPlane,
  type Told,
} from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

async function givenMaps(...names: string[]): Promise<ControlPlane> {
  const plane = await givenControlPlane();
  for (const name of names) await plane.post(MAPS, configMap(name, { was: 'first' }));
  return plane;
}

/** The token of a 410, with which a client may go on all the same. */
function inconsistentToken({ status }: Told): string {
  const token = status?.metadata['continue'];
  return typeof token === 'string' ? token : '';
}

function continued({ list }: Told): string {
  return encodeURIComponent(list?.continue ?? '');
}

describe('a list', () => {
  it('is in order, with the version at which it is true', async () => {
    const { get, applied } = await givenMaps('b', 'a', 'c');
    const { code, names, list } = await get(MAPS);
    expect([code, names]).toEqual([200, ['a', 'b', 'c']]);
    expect(list).toMatchObject({ resourceVersion: applied.current, continue: '' });
    expect(list?.remainingItemCount).toBeUndefined();
  });

  it('is of one namespace, or of all', async () => {
    const { post, get } = await givenMaps('b');
    await post('/api/v1/namespaces/kube-system/configmaps', configMap('a'));
    expect((await get(MAPS)).names).toEqual(['b']);
    expect((await get('/api/v1/configmaps')).names).toEqual(['b', 'a']);
    expect((await get('/api/v1/namespaces/nowhere/configmaps')).names).toEqual([]);
  });

  it('goes by labels and fields', async () => {
    const { post, get } = await givenControlPlane();
    await post(PODS, pod('a', { nodeName: 'n' }, { labels: { tier: 'web' } }));
    await post(PODS, pod('b', { nodeName: 'm' }, { labels: { tier: 'web' } }));
    await post(PODS, pod('c', { nodeName: 'n' }));
    const select = async (query: string): Promise<readonly string[]> =>
      (await get(`${PODS}?${query}`)).names;
    expect(await select('labelSelector=tier%3Dweb')).toEqual(['a', 'b']);
    expect(await select('labelSelector=!tier')).toEqual(['c']);
    expect(await select('fieldSelector=spec.nodeName%3Dn')).toEqual(['a', 'c']);
    expect(await select('fieldSelector=metadata.name%3Db')).toEqual(['b']);
    // No object has an empty name; this is no list of all.
    expect(await select('fieldSelector=metadata.name%3D')).toEqual([]);
    expect(await select('fieldSelector=metadata.name!%3Db,spec.nodeName%3Dn')).toEqual(['a', 'c']);
    expect(await select('fieldSelector=metadata.namespace%3Ddefault')).toEqual(['a', 'b', 'c']);
    const both = 'labelSelector=tier%3Dweb&fieldSelector=spec.nodeName%3Dn';
    expect(await select(both)).toEqual(['a']);
  });

  it.each([0, -1])('has no end where its limit is %d', async (limit) => {
    const { get } = await givenMaps('a', 'b', 'c');
    const { names, list } = await get(`${MAPS}?limit=${String(limit)}`);
    expect([names, list?.continue]).toEqual([['a', 'b', 'c'], '']);
  });

  it('of a page at any version is of what is there now', async () => {
    const { get, applied } = await givenMaps('a', 'b');
    const { names, list } = await get(`${MAPS}?limit=1&resourceVersion=0`);
    expect([names, list?.resourceVersion]).toEqual([['a'], applied.current]);
  });

  it.each([
    [PODS, 'spec.nonesuch', 'field label not supported: spec.nonesuch'],
    [
      MAPS,
      'data.k',
      '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    [PODS, '__proto__', 'field label not supported: __proto__'],
    [
      '/apis/batch/v1/namespaces/default/jobs',
      'spec.x',
      'field label "spec.x" not supported for Job',
    ],
    [
      '/apis/resource.k8s.io/v1/resourceslices',
      'spec.x',
      'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.x',
    ],
  ])('of %s does not go by %s', async (url, field, message) => {
    const { get } = await givenControlPlane();
    expect(await get(`${url}?fieldSelector=${field}%3Dx`)).toMatchObject({ code: 400, message });
  });
});

describe('a list page by page', () => {
  it('tells how much is to come, and shows each object once', async () => {
    const { get } = await givenMaps('a', 'b', 'c', 'd', 'e');
    const first = await get(`${MAPS}?limit=2`);
    expect([first.names, first.list?.remainingItemCount]).toEqual([['a', 'b'], 3]);
    const second = await get(`${MAPS}?limit=2&continue=${continued(first)}`);
    expect([second.names, second.list?.remainingItemCount]).toEqual([['c', 'd'], 1]);
    const last = await get(`${MAPS}?limit=2&continue=${continued(second)}`);
    expect([last.names, last.list?.continue]).toEqual([['e'], '']);
    const rest = await get(`${MAPS}?continue=${continued(first)}`);
    expect(rest.names).toEqual(['c', 'd', 'e']);
  });

  it('that ends with the last object says nothing of more', async () => {
    const { get } = await givenMaps('a', 'b');
    expect((await get(`${MAPS}?limit=2`)).list?.continue).toBe('');
  });

  it('is of one moment, whatever happens between the pages', async () => {
    const { get, put, del, post } = await givenMaps('a', 'b', 'c', 'd');
    const first = await get(`${MAPS}?limit=2`);
    await put(`${MAPS}/c`, configMap('c', { was: 'changed' }));
    await del(`${MAPS}/d`);
    await post(MAPS, configMap('e'));
    const { items, names, list } = await get(`${MAPS}?limit=5&continue=${continued(first)}`);
    expect(names).toEqual(['c', 'd']);
    expect(items.map((item) => item['data'])).toEqual([{ was: 'first' }, { was: 'first' }]);
    expect(list?.resourceVersion).toBe(first.list?.resourceVersion);
  });

  it('does not tell how much is to come where it cannot know', async () => {
    const { get } = await givenMaps('a', 'b', 'c');
    const { list } = await get(`${MAPS}?limit=1&labelSelector=!x`);
    expect(list?.continue).not.toBe('');
    expect(list?.remainingItemCount).toBeUndefined();
  });

  it('can be continued for five minutes, counted from its beginning', async () => {
    const { get, clock } = await givenMaps('a', 'b', 'c');
    const first = await get(`${MAPS}?limit=1`);
    clock.advance(CONTINUE_TOKEN_TTL_MS);
    const second = await get(`${MAPS}?limit=1&continue=${continued(first)}`);
    expect(second.names).toEqual(['b']);
    clock.advance(1);
    const late = await get(`${MAPS}?limit=1&continue=${continued(second)}`);
    expect(late).toMatchObject({ code: 410, reason: 'Expired' });
    expect(late.message).toMatch(/^The provided continue parameter is too old/);
  });

  it('that has expired goes on with what is there now, if the client wants that', async () => {
    const { get, put, clock, applied } = await givenMaps('a', 'b', 'c');
    const first = await get(`${MAPS}?limit=1`);
    await put(`${MAPS}/b`, configMap('b', { was: 'changed' }));
    clock.advance(CONTINUE_TOKEN_TTL_MS + 1);
    const late = await get(`${MAPS}?limit=1&continue=${continued(first)}`);
    const token = inconsistentToken(late);
    expect(parseContinueToken(token)).toMatchObject({ version: undefined, after: 'default/a' });
    const { items, list } = await get(`${MAPS}?continue=${encodeURIComponent(token)}`);
    expect(items.map((item) => item['data'])).toEqual([{ was: 'changed' }, { was: 'first' }]);
    expect(list?.resourceVersion).toBe(applied.current);
  });

  it('goes on from an inconsistent page with consistent ones', async () => {
    const { get, clock } = await givenMaps('a', 'b', 'c', 'd');
    const first = await get(`${MAPS}?limit=1`);
    clock.advance(CONTINUE_TOKEN_TTL_MS + 1);
    const late = await get(`${MAPS}?limit=1&continue=${continued(first)}`);
    const token = encodeURIComponent(inconsistentToken(late));
    const second = await get(`${MAPS}?limit=1&continue=${token}`);
    expect(second.names).toEqual(['b']);
    const third = await get(`${MAPS}?limit=1&continue=${continued(second)}`);
    expect([third.code, third.names]).toEqual([200, ['c']]);
  });

  it.each([
    [
      'continue=nonsense',
      400,
      "invalid continue token: continue key is not valid: invalid character '\\u009e' looking for beginning of value",
    ],
    ['limit=1x', 400, 'strconv.ParseInt: parsing "1x": invalid syntax'],
  ])('with %s is refused', async (query, code, message) => {
    const { get } = await givenMaps('a');
    expect(await get(`${MAPS}?${query}`)).toMatchObject({ code, message });
  });

  it('says its version in the token and nowhere else', async () => {
    const { get } = await givenMaps('a', 'b');
    const token = continued(await get(`${MAPS}?limit=1`));
    const answer = await get(`${MAPS}?continue=${token}&resourceVersion=3`);
    expect(answer).toMatchObject({
      code: 400,
      message: 'specifying resource version is not allowed when using continue',
    });
    expect((await get(`${MAPS}?continue=${token}&resourceVersion=0`)).code).toBe(200);
  });
});

describe('a list at a version', () => {
  async function givenChanges(): Promise<ControlPlane & { readonly then: number }> {
    const plane = await givenMaps('a', 'b');
    const then = plane.applied.current;
    await plane.put(`${MAPS}/a`, configMap('a', { was: 'changed' }));
    await plane.del(`${MAPS}/b`);
    await plane.post(MAPS, configMap('c'));
    return { ...plane, then };
  }

  it('exactly, is what was there', async () => {
    const { get, then } = await givenChanges();
    const version = `resourceVersion=${String(then)}`;
    const exact = await get(`${MAPS}?${version}&resourceVersionMatch=Exact`);
    expect(exact.names).toEqual(['a', 'b']);
    expect(exact.items[0]?.['data']).toEqual({ was: 'first' });
    expect(exact.list?.resourceVersion).toBe(then);
    // With a limit it is exact without being told.
    expect((await get(`${MAPS}?${version}&limit=5`)).names).toEqual(['a', 'b']);
  });

  it('or newer, is what is there now', async () => {
    const { get, then, applied } = await givenChanges();
    const version = `resourceVersion=${String(then)}`;
    for (const query of [version, `${version}&resourceVersionMatch=NotOlderThan&limit=5`]) {
      const { names, list } = await get(`${MAPS}?${query}`);
      expect(names).toEqual(['a', 'c']);
      expect(list?.resourceVersion).toBe(applied.current);
    }
    expect((await get(`${MAPS}?resourceVersion=0`)).names).toEqual(['a', 'c']);
  });

  it('reaches behind what memory holds', async () => {
    const plane = await givenMaps('a', 'b');
    const then = plane.applied.current;
    // The window of recent events has room for 4 MiB.
    const large = { k: 'x'.repeat(900_000) };
    for (let round = 0; round < 8; round += 1) {
      await plane.put(`${MAPS}/a`, configMap('a', { ...large, round: String(round) }));
    }
    const { resourceViews } = plane.context;
    expect(resourceViews.of('core/configmaps').window.reachesBackTo(plane.applied.current)).toBe(
      true,
    );
    expect(resourceViews.of('core/configmaps').window.reachesBackTo(then as never)).toBe(false);
    const url = `${MAPS}?resourceVersion=${String(then)}&resourceVersionMatch=Exact`;
    const { names, items } = await plane.get(url);
    expect(names).toEqual(['a', 'b']);
    expect(items[0]?.['data']).toEqual({ was: 'first' });
  });

  it('that is still to come is waited for, but not for long', async () => {
    const plane = await givenMaps('a');
    const { get, post, clock, applied } = plane;
    const next = applied.current + 1;
    const soon = get(`${MAPS}?resourceVersion=${String(next)}`);
    await post(MAPS, configMap('b'));
    expect((await soon).names).toEqual(['a', 'b']);

    const never = get(`${MAPS}?resourceVersion=${String(next + 5)}`);
    clock.advance(3_000);
    const { code, message, status } = await never;
    expect([code, message]).toEqual([
      504,
      `Timeout: Too large resource version: ${String(next + 5)}, current: ${String(next)}`,
    ]);
    expect(status?.details).toEqual({
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    });
  });

  it.each([
    ['x', 'invalid syntax'],
    ['-1', 'invalid syntax'],
    ['1.5', 'invalid syntax'],
    ['99999999999999999999', 'value out of range'],
  ])('that is %s is refused', async (version, why) => {
    const { get } = await givenMaps('a');
    expect(await get(`${MAPS}?resourceVersion=${version}`)).toMatchObject({
      code: 400,
      message:
        `invalid resource version: resourceVersion: Invalid value: "${version}": ` +
        `strconv.ParseUint: parsing "${version}": ${why}`,
    });
  });
});

describe('a list of what was cut', () => {
  async function givenCut() {
    const plane = await givenMaps('a', 'b');
    const before = plane.applied.current;
    const page = await plane.get(`${MAPS}?limit=1`);
    await plane.post(MAPS, configMap('c'));
    const since = plane.applied.current;
    plane.context.history.readableSince = () => since;
    return { ...plane, before, since, page };
  }

  it('is refused at once, although memory reaches back that far', async () => {
    const { get, before, since } = await givenCut();
    for (const query of [
      `resourceVersion=${String(before)}&resourceVersionMatch=Exact`,
      `resourceVersion=${String(before)}&limit=1`,
    ]) {
      expect(await get(`${MAPS}?${query}`)).toMatchObject({
        code: 410,
        reason: 'Expired',
        message: 'The resourceVersion for the provided list is too old.',
      });
    }
    const exact = `resourceVersion=${String(since)}&resourceVersionMatch=Exact`;
    expect((await get(`${MAPS}?${exact}`)).names).toEqual(['a', 'b', 'c']);
    // Not older than this is what is asked here, and now is not.
    expect((await get(`${MAPS}?resourceVersion=${String(before)}`)).code).toBe(200);
  });

  it('can be gone on with as of now, by the token that the refusal brings', async () => {
    const { get, page } = await givenCut();
    const refused = await get(`${MAPS}?limit=5&continue=${continued(page)}`);
    expect(refused).toMatchObject({ code: 410, reason: 'Expired' });
    expect(refused.message).toMatch(/^The provided continue parameter is too old/);

    const token = encodeURIComponent(inconsistentToken(refused));
    expect((await get(`${MAPS}?limit=5&continue=${token}`)).names).toEqual(['b', 'c']);
  });
});
