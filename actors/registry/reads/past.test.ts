import { describe, expect, it } from 'vitest';
import {
  configMap,
  CONTINUE_TOKEN_TTL_MS,
  deployment,
  givenControlPlane,
} from '../given-registry.fixture.ts';
import { at, continued, dataOf, EXACT, givenPast, MAPS } from './given-past.fixture.ts';

describe('a get at exactly a version', () => {
  it('gives the object as it was', async () => {
    const { get, a, b, changed, gone } = await givenPast();
    const exactly = (name: string, version: number) =>
      get(`${MAPS}/${name}?resourceVersion=${String(version)}&${EXACT}`);
    expect(dataOf(await exactly('b', b))).toEqual({ was: 'first' });
    expect(dataOf(await exactly('b', changed - 1))).toEqual({ was: 'first' });
    expect(dataOf(await exactly('b', changed))).toEqual({ was: 'second' });
    const { object } = await exactly('a', gone - 1);
    expect(object.metadata.resourceVersion).toBe(String(a));
  });

  it('is 404 before it was made, and from its deletion on', async () => {
    const { get, a, gone } = await givenPast();
    for (const version of [a - 1, gone]) {
      const answer = await get(`${MAPS}/a?resourceVersion=${String(version)}&${EXACT}`);
      expect(answer).toMatchObject({ code: 404, message: 'configmaps "a" not found' });
    }
  });

  it('waits for a version of the future, but not for long', async () => {
    const { get, post, clock, gone } = await givenPast();
    const soon = get(`${MAPS}/d?resourceVersion=${String(gone + 1)}&${EXACT}`);
    await post(MAPS, configMap('d'));
    expect((await soon).code).toBe(200);
    const never = get(`${MAPS}/b?resourceVersion=${String(gone + 9)}&${EXACT}`);
    clock.advance(3_000);
    expect(await never).toMatchObject({
      code: 504,
      message: `Timeout: Too large resource version: ${String(gone + 9)}, current: ${String(gone + 1)}`,
    });
    expect((await get(`${MAPS}/b?resourceVersion=x&${EXACT}`)).code).toBe(500);
  });
});

describe('a moment', () => {
  it('may be a version', async () => {
    const { get, versions } = await givenPast();
    const seen = [];
    for (const version of versions) seen.push((await get(at(version, MAPS))).names.join(''));
    expect(seen).toEqual(['a', 'ab', 'abc', 'abc', 'bc']);
    expect((await get(at(0, MAPS))).names).toEqual([]);
  });

  it('may be a time, with a fraction and an offset', async () => {
    const { get, versions } = await givenPast();
    const versionAt = async (time: string) => (await get(at(time, MAPS))).list?.resourceVersion;
    const [first, second, third] = versions;
    expect(await versionAt('2026-11-20T10:00:00Z')).toBe(first);
    expect(await versionAt('2026-11-20T10:00:00.999999Z')).toBe(first);
    expect(await versionAt('2026-11-20T11:00:01+01:00')).toBe(second);
    expect(await versionAt('2026-11-20T11:00:01%2B01:00')).toBe(second);
    expect(await versionAt('2026-11-20T02:00:02.5-08:00')).toBe(third);
    expect(await versionAt('2026-11-20T10:00:05Z')).toBe(versions.at(-1));
  });

  it('is none when the time is of the future', async () => {
    const { get } = await givenPast();
    expect(await get(at('2026-11-20T10:00:05.001Z', MAPS))).toMatchObject({
      code: 400,
      message:
        'invalid moment "2026-11-20T10:00:05.001Z": it lies in the future, ' +
        'it is 2026-11-20T10:00:05.000Z here',
    });
  });

  it('is none when the version is of the future, which is told at once', async () => {
    const { get, post, context, gone } = await givenPast();
    expect(await get(at(gone + 9, MAPS))).toMatchObject({
      code: 400,
      message: `invalid moment "${String(gone + 9)}": it lies in the future, the newest version is ${String(gone)} here`,
    });
    await post(MAPS, configMap('d'));
    expect((await get(at(gone + 1, MAPS))).names).toEqual(['b', 'c', 'd']);
    context.moment.newest = () => undefined;
    expect((await get(at(gone + 9, MAPS))).code).toBe(503);
  });

  it('may be a version that the log has, though it is not applied here yet', async () => {
    const { get, post, context, gone } = await givenPast();
    const newest = context.moment.newest.bind(context.moment);
    context.moment.newest = async () => {
      await post(MAPS, configMap('d'));
      return newest();
    };
    expect((await get(at(gone + 1, MAPS))).names).toEqual(['b', 'c', 'd']);
  });

  it('asks the log about a time that no later record has settled', async () => {
    const plane = await givenPast();
    const { get, context, post, clock } = plane;
    let asked = 0;
    const newest = context.moment.newest.bind(context.moment);
    context.moment.newest = () => {
      asked += 1;
      return newest();
    };
    const now = new Date(clock.now()).toISOString();
    await get(at('2026-11-20T10:00:01Z', MAPS));
    expect(asked).toBe(0);
    await get(at(now, MAPS));
    expect(asked).toBe(1);
    context.moment.newest = () => undefined;
    expect((await get(at(now, MAPS))).code).toBe(503);
    clock.advance(1_000);
    context.moment.newest = newest;
    await post(MAPS, configMap('d'));
    expect((await get(at(now, MAPS))).names).toEqual(['b', 'c']);
  });
});

describe('a list below a moment', () => {
  it('has the moment as its version', async () => {
    const { get, b } = await givenPast();
    for (const query of ['', '?resourceVersion=0', `?resourceVersion=${String(b)}`]) {
      const { names, list } = await get(at(b, MAPS) + query);
      expect([names, list?.resourceVersion]).toEqual([['a', 'b'], b]);
    }
  });

  it('may be of an earlier version, and of no later one', async () => {
    const { get, a, b, changed } = await givenPast();
    const exactly = (version: number) =>
      get(at(b, `${MAPS}?resourceVersion=${String(version)}&${EXACT}`));
    const earlier = await exactly(a);
    expect([earlier.names, earlier.list?.resourceVersion]).toEqual([['a'], a]);
    const refused = await exactly(changed);
    expect(refused).toMatchObject({
      code: 504,
      message: `Timeout: Too large resource version: ${String(changed)}, current: ${String(b)}`,
    });
    // The moment gets no further: client-go lists anew where it is not told to wait.
    const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
    expect(refused.status?.details).toEqual({ causes });
    const notOlder = 'resourceVersionMatch=NotOlderThan';
    const older = await get(at(b, `${MAPS}?resourceVersion=${String(a)}&${notOlder}`));
    expect(older.list?.resourceVersion).toBe(b);
    expect((await get(at(b, `${MAPS}?resourceVersion=x`))).code).toBe(400);
  });

  it('goes by labels and fields of then', async () => {
    const { get, post, put, applied } = await givenControlPlane();
    await post(MAPS, configMap('a', {}, { labels: { is: 'old' } }));
    const then = applied.current;
    await put(`${MAPS}/a`, configMap('a', {}, { labels: { is: 'new' } }));
    const selected = async (query: string) => (await get(at(then, `${MAPS}?${query}`))).names;
    expect(await selected('labelSelector=is%3Dold')).toEqual(['a']);
    expect(await selected('labelSelector=is%3Dnew')).toEqual([]);
    expect(await selected('fieldSelector=metadata.name%3Da')).toEqual(['a']);
    expect(await selected('fieldSelector=metadata.name!%3Da')).toEqual([]);
  });

  it('has pages whose tokens do not grow old', async () => {
    const { get, del, c, clock } = await givenPast();
    const first = await get(at(c, `${MAPS}?limit=2`));
    expect(first.names).toEqual(['a', 'b']);
    expect(first.list).toMatchObject({ resourceVersion: c, remainingItemCount: 1 });
    await del(`${MAPS}/c`);
    clock.advance(CONTINUE_TOKEN_TTL_MS * 100);
    const next = `${MAPS}?limit=2&continue=${continued(first)}`;
    const second = await get(at(c, next));
    expect([second.names, second.list?.resourceVersion]).toEqual([['c'], c]);
    // Now it is a token like any other, and before its moment it is of the future.
    expect((await get(next)).code).toBe(410);
    expect((await get(at(c - 1, next))).code).toBe(504);
  });

  it('goes on at the moment with a token that takes what is newest', async () => {
    const { get, c, clock } = await givenPast();
    const first = await get(`${MAPS}?limit=1`);
    clock.advance(CONTINUE_TOKEN_TTL_MS + 1);
    const { status } = await get(`${MAPS}?limit=1&continue=${continued(first)}`);
    const token = status?.metadata['continue'] as string;
    const { names, list } = await get(at(c, `${MAPS}?continue=${encodeURIComponent(token)}`));
    expect([names, list?.resourceVersion]).toEqual([['c'], c]);
  });
});

describe('a watch of a moment that stands still', () => {
  const still = (moment: number, query: string) => at(moment, `/still${MAPS}?watch=1&${query}`);

  it('begins as any below a moment, with a view that ends there', async () => {
    const { get, a, b, resourceViews } = await givenPast();
    const notOlder = 'resourceVersionMatch=NotOlderThan';
    for (const [query, kind, version] of [
      ['', 'past', b],
      ['resourceVersion=0', 'past', b],
      [`sendInitialEvents=true&${notOlder}`, 'past', b],
      [`sendInitialEvents=true&${notOlder}&resourceVersion=${String(a)}`, 'past', b],
      [`sendInitialEvents=false&${notOlder}`, 'after', b],
      [`resourceVersion=${String(a)}`, 'after', a],
      [`resourceVersion=${String(b)}`, 'after', b],
    ] as const) {
      const { plan } = await get(still(b, `${query}&allowWatchBookmarks=true`));
      expect(plan?.start).toEqual({ kind, version });
      expect(plan?.resource.watch.applied).toBe(b);
      expect(plan?.bookmarks).toBe(true);
    }
    const { plan } = await get(at(b, `${MAPS}?watch=1`));
    expect(plan?.resource.watch).toBe(resourceViews.of('core/configmaps').watch);
  });

  it('is told to list again with a version that is later', async () => {
    const { get, b, c, gone } = await givenPast();
    for (const version of [c, gone, gone + 100]) {
      expect(await get(still(b, `resourceVersion=${String(version)}`))).toMatchObject({
        code: 410,
        message: `resource version ${String(version)} is later than ${String(b)}, at which everything stands still below this path`,
      });
    }
    const listed = `/still${MAPS}?resourceVersion=${String(c)}`;
    expect((await get(at(b, listed))).code).toBe(504);
  });

  it('lasts as long as any', async () => {
    const { get, b } = await givenPast();
    expect((await get(still(b, 'timeoutSeconds=5'))).plan?.timeoutMs).toBe(5_000);
  });

  it('has lists and objects as of then beside it', async () => {
    const { get, put, b } = await givenPast();
    expect((await get(at(b, `/still${MAPS}`))).names).toEqual(['a', 'b']);
    expect(dataOf(await get(at(b, `/still${MAPS}/b`)))).toEqual({ was: 'first' });
    expect((await put(at(b, `/still${MAPS}/b`), configMap('b'))).code).toBe(405);
  });
});

describe('a watch below a moment', () => {
  it('begins with the state of then', async () => {
    const { get, b } = await givenPast();
    const { plan } = await get(at(b, `${MAPS}?watch=1&allowWatchBookmarks=true`));
    expect(plan?.start).toEqual({ kind: 'past', version: b });
    expect(plan?.endOfInitialEvents).toBe(true);
  });

  it('goes on behind the version that a list gave, or that was seen since', async () => {
    const { get, b, gone } = await givenPast();
    for (const version of [1, b, gone, gone + 5]) {
      const { plan } = await get(at(b, `${MAPS}?watch=1&resourceVersion=${String(version)}`));
      expect(plan?.start).toEqual({ kind: 'after', version });
    }
    const withoutState = 'watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
    const { plan } = await get(at(b, `${MAPS}?${withoutState}`));
    expect(plan?.start).toEqual({ kind: 'after', version: b });
  });

  it('has no state that is newer than the moment', async () => {
    const { get, a, b, gone } = await givenPast();
    const query = `${MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
    const earlier = await get(at(b, `${query}&resourceVersion=${String(a)}`));
    expect(earlier.plan?.start).toEqual({ kind: 'past', version: b });
    expect((await get(at(b, `${query}&resourceVersion=${String(gone)}`))).code).toBe(504);
  });

  it('knows when each version was seen', async () => {
    const { get, a, b, changed, times } = await givenPast();
    const { plan } = await get(at(b, `${MAPS}?watch=1`));
    const seen = [a, b, changed].map((version) => plan?.seenAt?.(version as never));
    expect(seen).toEqual([times[1], times[1], times[3]]);
    expect((await get(`${MAPS}?watch=1`)).plan?.seenAt).toBeUndefined();
  });
});

describe('an object below a moment', () => {
  it('is as it was', async () => {
    const { get, b, changed, gone } = await givenPast();
    expect(dataOf(await get(at(b, `${MAPS}/b`)))).toEqual({ was: 'first' });
    expect(dataOf(await get(at(changed, `${MAPS}/b`)))).toEqual({ was: 'second' });
    expect((await get(at(b, `${MAPS}/c`))).code).toBe(404);
    expect((await get(at(gone, `${MAPS}/a`))).code).toBe(404);
    expect((await get(at(gone - 1, `${MAPS}/a`))).code).toBe(200);
    const exactly = `resourceVersion=${String(b)}&${EXACT}`;
    expect(dataOf(await get(at(changed, `${MAPS}/b?${exactly}`)))).toEqual({ was: 'first' });
    expect((await get(at(b, `${MAPS}/b?resourceVersion=${String(changed)}`))).code).toBe(504);
  });

  it('has its scale and its status of then', async () => {
    const { get, post, patch, applied } = await givenControlPlane();
    const url = '/apis/apps/v1/namespaces/default/deployments';
    await post(url, deployment('web', 3));
    const then = applied.current;
    await patch(`${url}/web/scale`, 'merge', { spec: { replicas: 5 } });
    expect((await get(at(then, `${url}/web/scale`))).object['spec']).toEqual({ replicas: 3 });
    expect((await get(`${url}/web/scale`)).object['spec']).toEqual({ replicas: 5 });
    const { object } = await get(at(then, `${url}/web/status`));
    expect(object['spec']).toMatchObject({ replicas: 3 });
  });
});

describe('a dry run below a moment', () => {
  it('changes the object of then, and nothing', async () => {
    const { patch, put, b, applied } = await givenPast();
    const before = applied.current;
    const patched = await patch(at(b, `${MAPS}/b?dryRun=All`), 'merge', { data: { more: 'x' } });
    expect(dataOf(patched)).toEqual({ was: 'first', more: 'x' });
    expect(patched.object.metadata.resourceVersion).toBe(String(b));
    const replaced = await put(at(b, `${MAPS}/a?dryRun=All`), configMap('a', { is: 'there' }));
    expect([replaced.code, dataOf(replaced)]).toEqual([200, { is: 'there' }]);
    expect(applied.current).toBe(before);
  });

  it('makes what did not exist then, in a namespace that did', async () => {
    const { post, b, c, get } = await givenPast();
    const made = await post(at(b, `${MAPS}?dryRun=All`), configMap('c'));
    expect(made.code).toBe(201);
    expect((await post(at(c, `${MAPS}?dryRun=All`), configMap('c'))).code).toBe(409);
    expect((await post(at(0, `${MAPS}?dryRun=All`), configMap('c'))).code).toBe(404);
    expect(dataOf(await get(`${MAPS}/c`))).toEqual({ was: 'first' });
  });
});

describe('what is no longer retained', () => {
  it('is 410', async () => {
    const plane = await givenPast();
    const { get, context, b, changed } = plane;
    context.history.readableSince = (resource) =>
      (resource === 'core/configmaps' ? changed : 0) as never;
    for (const url of [
      at(b, MAPS),
      at(b, `${MAPS}/b`),
      at('2026-11-20T10:00:01Z', MAPS),
      `${MAPS}/b?resourceVersion=${String(b)}&${EXACT}`,
      at(changed, `${MAPS}/b?resourceVersion=${String(b)}&${EXACT}`),
    ]) {
      expect(await get(url)).toMatchObject({ code: 410, reason: 'Expired' });
    }
    expect((await get(at(changed, MAPS))).code).toBe(200);
    expect((await get(at(b, '/api/v1/namespaces'))).code).toBe(200);
  });

  it('is 410 for a time before everything', async () => {
    const { get, context } = await givenPast();
    context.history.versionAtTime = () => undefined;
    expect(await get(at('2026-11-20T09:00:00Z', MAPS))).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'too old moment: 2026-11-20T09:00:00Z lies before everything that is retained',
    });
  });
});
