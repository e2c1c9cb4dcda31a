import { describe, expect, it } from 'vitest';

import { configMap, givenControlPlane, WATCH_TIMEOUT_MIN_MS } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const NOT_OLDER = 'resourceVersionMatch=NotOlderThan';

describe('where a watch begins', () => {
  it.each([
    ['watch=1', 'current', true],
    ['watch=1&resourceVersion=0', 'current', true],
    [`watch=1&sendInitialEvents=true&${NOT_OLDER}`, 'current', true],
    [`watch=1&sendInitialEvents=true&resourceVersion=3&${NOT_OLDER}`, 'current', true],
    [`watch=1&sendInitialEvents=false&${NOT_OLDER}`, 'after', false],
  ])('with %s it is %s', async (query, kind, saysThatStateIsComplete) => {
    const { get, applied } = await givenControlPlane();
    const { plan } = await get(`${MAPS}?${query}&allowWatchBookmarks=true`);
    expect(plan?.start).toEqual({ kind, version: applied.current });
    expect(plan?.endOfInitialEvents).toBe(saysThatStateIsComplete);
    expect(plan?.bookmarks).toBe(true);
    expect(plan?.resource.resource).toBe('core/configmaps');
  });

  it('may be any version of the past, or of the time to come', async () => {
    const { get } = await givenControlPlane();
    for (const version of [1, 5_000]) {
      const { plan } = await get(`${MAPS}?watch=1&resourceVersion=${String(version)}`);
      expect(plan?.start).toEqual({ kind: 'after', version });
      expect(plan?.endOfInitialEvents).toBe(false);
    }
  });

  it('is waited for when the state is to be newer than what is there', async () => {
    const { get, post, applied, clock } = await givenControlPlane();
    const next = applied.current + 1;
    const ahead = `watch=1&sendInitialEvents=true&${NOT_OLDER}&resourceVersion=`;
    const soon = get(`${MAPS}?${ahead}${String(next)}`);
    await post(MAPS, configMap('a'));
    expect((await soon).plan?.start).toEqual({ kind: 'current', version: next });
    const never = get(`${MAPS}?${ahead}${String(next + 5)}`);
    clock.advance(3_000);
    expect((await never).code).toBe(504);
  });

  it.each([
    ['resourceVersion=x', 500],
    ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=x', 500],
    [`sendInitialEvents=true`, 422],
    ['fieldSelector=spec.x%3Dy', 400],
    ['labelSelector=a%20b', 400],
    ['timeoutSeconds=x', 400],
  ])('is nowhere with %s', async (query, code) => {
    const { get } = await givenControlPlane();
    expect((await get(`${MAPS}?watch=1&${query}`)).code).toBe(code);
  });
});

describe('a watch in YAML, which has no stream', () => {
  const accepted = {
    type: 'yaml',
    transform: 'none',
    pretty: false,
    includeObject: 'None',
  } as const;

  it.each([`${MAPS}?watch=1`, '/api/v1/watch/configmaps'])('is refused: %s', async (url) => {
    const { send } = await givenControlPlane();
    const { code, message } = await send({ method: 'GET', url, accepted });
    expect(code).toBe(406);
    expect(message).toBe(
      'only the following media types are accepted: application/json;stream=watch, ' +
        'application/vnd.kubernetes.protobuf;stream=watch',
    );
  });

  it.each([
    ['fieldSelector=spec.x%3Dy', 400],
    ['resourceVersion=x', 500],
  ])('is refused for what it asks first: %s', async (query, code) => {
    const { send } = await givenControlPlane();
    const answer = await send({ method: 'GET', url: `${MAPS}?watch=1&${query}`, accepted });
    expect(answer.code).toBe(code);
  });
});

describe('what a watch shows', () => {
  it('is what is selected', async () => {
    const { get } = await givenControlPlane();
    const { plan } = await get(
      `${MAPS}?watch=1&labelSelector=a%3Db&fieldSelector=metadata.name%3Dx`,
    );
    expect(plan?.selection).toMatchObject({ namespace: 'default', name: 'x', fields: undefined });
    expect(plan?.selection.labels?.canonical).toBe('a=b');
  });

  it('may be one object, by its old path', async () => {
    const { get } = await givenControlPlane();
    const { plan } = await get('/api/v1/watch/namespaces/default/configmaps/x');
    expect(plan?.selection).toMatchObject({ namespace: 'default', name: 'x' });
  });

  it.each(['metadata.name=y', 'metadata.name!=y', 'metadata.name=', 'metadata.namespace=default'])(
    'is never another object than that of its old path, whatever %s selects',
    async (selector) => {
      const { get } = await givenControlPlane();
      const path = '/api/v1/watch/namespaces/default/configmaps/x';
      const told = await get(`${path}?fieldSelector=${encodeURIComponent(selector)}`);
      expect(told.code).toBe(400);
      expect(told.message).toBe("fieldSelector metadata.name doesn't match requested name");
    },
  );

  it('is that object where the selector names it too', async () => {
    const { get } = await givenControlPlane();
    const selector = encodeURIComponent('metadata.name=x,metadata.namespace=other');
    const path = `/api/v1/watch/namespaces/default/configmaps/x?fieldSelector=${selector}`;
    const { plan } = await get(path);
    expect(plan?.selection.name).toBe('x');
    expect(plan?.selection.fields?.canonical).toBe('metadata.name=x,metadata.namespace=other');
  });

  it('is no end of initial events for a client that wants no bookmarks', async () => {
    const { get } = await givenControlPlane();
    const { plan } = await get(`${MAPS}?watch=1`);
    expect(plan).toMatchObject({ bookmarks: false, endOfInitialEvents: false });
  });

  it('is grouped by what is selected', async () => {
    const { get } = await givenControlPlane();
    const keyIn = async (query: string): Promise<string | undefined> =>
      (await get(`${MAPS}?watch=1&${query}`)).plan?.selection.key;
    expect(await keyIn('labelSelector=a%3Db,c')).toBe(await keyIn('labelSelector=c,a%3Db'));
    const keys = [
      '',
      'labelSelector=a',
      'fieldSelector=metadata.name%3Da',
      'fieldSelector=metadata.name!%3Da',
    ];
    expect(new Set(await Promise.all(keys.map(keyIn))).size).toBe(keys.length);
  });
});

describe('how long a watch lasts', () => {
  it.each([
    ['timeoutSeconds=5', 5_000],
    ['timeoutSeconds=0', WATCH_TIMEOUT_MIN_MS * 2 - 1],
    ['timeoutSeconds=-1', WATCH_TIMEOUT_MIN_MS * 2 - 1],
    // Where timers end: more would make them end at once.
    ['timeoutSeconds=9000000000', 2 ** 31 - 1],
    ['', WATCH_TIMEOUT_MIN_MS * 2 - 1],
  ])('with %s', async (query, timeoutMs) => {
    const { get } = await givenControlPlane();
    expect((await get(`${MAPS}?watch=1&${query}`)).plan?.timeoutMs).toBe(timeoutMs);
  });
});
