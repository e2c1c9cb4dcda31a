/**
 * Reading on the wire: which objects, as of which version, page by page.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { at, type JsonObject, listAt, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import {
  configMap,
  created,
  expectFailure,
  expectObject,
  mapsIn,
  namesIn,
  newMaps,
  newNamespace,
  pod,
  versionNow,
  versionOf,
} from './objects.ts';

const server = serverForThisFile();
let client: AdminClient;
beforeAll(() => {
  client = adminClient(server());
});

async function listed(path: string): Promise<JsonObject> {
  return expectObject(await client.get(path));
}

const givenMaps = (...names: string[]): Promise<string> => newMaps(client, ...names);

const continueOf = (list: JsonObject) => textAt(list, 'metadata', 'continue');
const NAMES = Array.from({ length: 9 }, (_, index) => `m-${String(index)}`);

describe('pages', () => {
  it('show one version from the first to the last, whatever is written meanwhile', async () => {
    const maps = await givenMaps(...NAMES);
    const whole = await listed(maps);
    const first = await listed(`${maps}?limit=4`);
    expect(first).toMatchObject({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: versionOf(whole), remainingItemCount: 5 },
    });
    await client.patch(`${maps}/m-5`, { data: { a: 'changed' } });
    await client.delete(`${maps}/m-6`);
    await created(client, maps, configMap('m-55'));
    const second = await listed(`${maps}?limit=4&continue=${continueOf(first)}`);
    expect(at(second, 'metadata', 'remainingItemCount')).toBe(1);
    await client.delete(`${maps}/m-8`);
    const third = await listed(`${maps}?limit=4&continue=${continueOf(second)}`);

    const pages = [first, second, third];
    expect(pages.map(versionOf)).toEqual(Array.from({ length: 3 }, () => versionOf(whole)));
    expect(pages.flatMap((page) => listAt(page, 'items'))).toEqual(listAt(whole, 'items'));
    expect(third['metadata']).toEqual({ resourceVersion: versionOf(whole) });
    expect(namesIn(await listed(maps))).toEqual([
      'm-0',
      'm-1',
      'm-2',
      'm-3',
      'm-4',
      'm-5',
      'm-55',
      'm-7',
    ]);
  });

  it('go across namespaces, and do not count what a selector may leave out', async () => {
    const [one, two] = [await givenMaps('a', 'b'), await givenMaps('c', 'd')];
    for (const path of [`${one}/a`, `${one}/b`, `${two}/c`, `${two}/d`]) {
      await client.patch(path, { metadata: { labels: { paged: 'yes' } } });
    }
    const names: string[] = [];
    let next = '';
    do {
      const page = await listed(`/api/v1/configmaps?labelSelector=paged&limit=1&continue=${next}`);
      expect(at(page, 'metadata', 'remainingItemCount')).toBeUndefined();
      names.push(...namesIn(page));
      next = continueOf(page);
    } while (next !== '');
    // Namespaces are numbered, and the tenth lies in front of the second.
    expect(names).toEqual(one < two ? ['a', 'b', 'c', 'd'] : ['c', 'd', 'a', 'b']);
  });

  it('expire, and can then be gone on with as it is now', async () => {
    const maps = await givenMaps(...NAMES);
    const first = await listed(`${maps}?limit=4`);
    const token = JSON.parse(Buffer.from(continueOf(first), 'base64url').toString()) as JsonObject;
    const old = { ...token, since: 1 };
    const expired = Buffer.from(JSON.stringify(old)).toString('base64url');
    await client.delete(`${maps}/m-5`);
    const answer = await client.get(`${maps}?limit=4&continue=${expired}`);
    const status = expectFailure(answer, {
      code: 410,
      reason: 'Expired',
      message:
        'The provided continue parameter is too old to display a consistent list result. You can ' +
        'start a new list without the continue parameter, or use the continue token in this ' +
        'response to retrieve the remainder of the results. Continuing with the provided token ' +
        'results in an inconsistent list - objects that were created, modified, or deleted between ' +
        'the time the first chunk was returned and now may show up in the list.',
    });
    const now = await versionNow(client, maps);
    const rest = await listed(`${maps}?continue=${continueOf(status)}`);
    expect(namesIn(rest)).toEqual(['m-4', 'm-6', 'm-7', 'm-8']);
    expect(versionOf(rest)).toBe(now);
  });

  it('refuse tokens that are none', async () => {
    const maps = await givenMaps('a', 'b');
    const token = continueOf(await listed(`${maps}?limit=1`));
    for (const wrong of ['x', 'bm90IGpzb24', Buffer.from('{"v":"v9"}').toString('base64url')]) {
      expectFailure(await client.get(`${maps}?continue=${wrong}`), {
        code: 400,
        reason: 'BadRequest',
        message: /^invalid continue token: continue key is not valid/,
      });
    }
    const both = await client.get(`${maps}?continue=${token}&resourceVersion=1`);
    expectFailure(both, {
      code: 400,
      reason: 'BadRequest',
      message: 'specifying resource version is not allowed when using continue',
    });
    const match = await client.get(
      `${maps}?continue=${token}&resourceVersion=1&resourceVersionMatch=Exact`,
    );
    expectFailure(match, { code: 422, reason: 'Invalid' });
    expectFailure(await client.get(`${maps}?limit=few`), { code: 400, reason: 'BadRequest' });
  });
});

describe('versions', () => {
  it('say as of when a list is', async () => {
    const maps = await givenMaps('a');
    const then = await versionNow(client, maps);
    await created(client, maps, configMap('b'));
    const now = await versionNow(client, maps);
    await created(client, mapsIn('default'), configMap(`else-${now}`)); // Another namespace moves on.
    const newest = String(Number(now) + 1);
    const cases: [query: string, names: string[], version: string][] = [
      ['', ['a', 'b'], newest],
      ['resourceVersion=', ['a', 'b'], newest],
      ['resourceVersion=0', ['a', 'b'], newest],
      ['resourceVersion=0&limit=5', ['a', 'b'], newest],
      [`resourceVersion=${then}`, ['a', 'b'], newest],
      [`resourceVersion=${then}&resourceVersionMatch=NotOlderThan`, ['a', 'b'], newest],
      [`resourceVersion=${then}&resourceVersionMatch=NotOlderThan&limit=5`, ['a', 'b'], newest],
      [`resourceVersion=${then}&resourceVersionMatch=Exact`, ['a'], then],
      [`resourceVersion=${now}&resourceVersionMatch=Exact`, ['a', 'b'], now],
      // As it was before there was a resourceVersionMatch.
      [`resourceVersion=${then}&limit=5`, ['a'], then],
      ['resourceVersion=1&resourceVersionMatch=Exact', [], '1'],
    ];
    for (const [query, names, version] of cases) {
      const list = await listed(`${maps}?${query}`);
      expect([query, namesIn(list), versionOf(list)]).toEqual([query, names, version]);
    }
    for (const query of ['resourceVersion=0', `resourceVersion=${then}`]) {
      expectObject(await client.get(`${maps}/b?${query}`));
    }
  });

  it('contradict themselves in some ways', async () => {
    const maps = await givenMaps();
    const forbidden = 'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: ';
    const cases: [query: string, why: string][] = [
      [
        'resourceVersionMatch=Exact',
        'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ],
      [
        'resourceVersion=0&resourceVersionMatch=Exact',
        'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ],
      [
        'resourceVersion=1&resourceVersionMatch=Roughly',
        'Unsupported value: "Roughly": supported values: "Exact", "NotOlderThan", ""',
      ],
    ];
    for (const [query, why] of cases) {
      expectFailure(await client.get(`${maps}?${query}`), {
        code: 422,
        reason: 'Invalid',
        message: forbidden + why,
      });
    }
    expectFailure(await client.get(`${maps}?sendInitialEvents=true`), {
      code: 422,
      reason: 'Invalid',
    });
    const nonsense = await client.get(`${maps}?resourceVersion=yesterday`);
    expect(nonsense.status).toBe(400);
  });

  it('of the future are waited for, and not for ever', async () => {
    const maps = await givenMaps();
    const next = String(Number(await versionNow(client, maps)) + 1);
    const waiting = client.get(`${maps}?resourceVersion=${next}`);
    const a = await created(client, maps, configMap('a'));
    const list = expectObject(await waiting);
    expect([versionOf(a), versionOf(list), namesIn(list)]).toEqual([next, next, ['a']]);

    const far = Number(next) + 1_000;
    const paths = [
      `${maps}?resourceVersion=${String(far)}`,
      `${maps}?resourceVersion=${String(far)}&resourceVersionMatch=Exact`,
      `${maps}/a?resourceVersion=${String(far)}`,
      `${maps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${String(far)}`,
    ];
    const answers = await Promise.all(paths.map((path) => client.get(path)));
    for (const answer of answers) {
      expectFailure(answer, {
        code: 504,
        reason: 'Timeout',
        message: `Timeout: Too large resource version: ${String(far)}, current: ${next}`,
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      });
      expect(answer.headers['retry-after']).toBe('1');
    }
  });
});

describe('selectors', () => {
  it('choose by labels', async () => {
    const maps = mapsIn(await newNamespace(client, 'labels'));
    const objects = { a: { x: '1' }, b: { x: '2', y: '' }, c: { y: 'z' }, d: {} };
    for (const [name, labels] of Object.entries(objects)) {
      await created(client, maps, configMap(name, {}, { labels }));
    }
    const cases: [selector: string, names: string][] = [
      ['', 'abcd'],
      ['x=1', 'a'],
      ['x==1', 'a'],
      ['x!=1', 'bcd'],
      ['x', 'ab'],
      ['!x', 'cd'],
      ['x in (1,2),y', 'b'],
      ['x notin (1)', 'bcd'],
      ['y=', 'b'],
      ['x>1', 'b'],
      ['x<2', 'a'],
      ['x=1,x=2', ''],
    ];
    for (const [selector, names] of cases) {
      const list = await listed(`${maps}?labelSelector=${encodeURIComponent(selector)}`);
      expect([selector, namesIn(list).join('')]).toEqual([selector, names]);
    }
    for (const wrong of ['x==', 'a b', 'x in 1', '-=1', 'x=_y']) {
      const path = `${maps}?labelSelector=${encodeURIComponent(wrong === 'x==' ? 'x==1==2' : wrong)}`;
      expectFailure(await client.get(path), { code: 400, reason: 'BadRequest' });
    }
  });

  it('choose by fields: by names everywhere, and by what a kind allows', async () => {
    const namespace = await newNamespace(client, 'fields');
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await created(client, pods, pod('a', { nodeName: 'one' }));
    await created(client, pods, pod('b', { nodeName: 'two' }));
    await created(client, pods, pod('c'));
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    await created(client, secrets, { metadata: { name: 's' }, type: 'example.dev/own' });
    await created(client, secrets, { metadata: { name: 't' } });
    const cases: [path: string, selector: string, names: string][] = [
      [pods, 'metadata.name=a', 'a'],
      [pods, 'metadata.name!=a', 'bc'],
      ['/api/v1/pods', `metadata.namespace=${namespace},metadata.name=b`, 'b'],
      [pods, 'spec.nodeName=one', 'a'],
      [pods, 'spec.nodeName=', 'c'],
      [pods, 'spec.nodeName!=one,status.phase=Pending', 'bc'],
      [pods, 'spec.restartPolicy=Never', ''],
      [secrets, 'type=example.dev/own', 's'],
      [secrets, 'type=Opaque', 't'],
    ];
    for (const [path, selector, names] of cases) {
      const list = await listed(`${path}?fieldSelector=${encodeURIComponent(selector)}`);
      expect([selector, namesIn(list).join('')]).toEqual([selector, names]);
    }
    expectFailure(await client.get(`${pods}?fieldSelector=spec.image%3Dx`), {
      code: 400,
      reason: 'BadRequest',
      message: 'field label not supported: spec.image',
    });
    expectFailure(await client.get(`${mapsIn(namespace)}?fieldSelector=data.a%3D1`), {
      code: 400,
      reason: 'BadRequest',
      message: '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    });
  });
});
