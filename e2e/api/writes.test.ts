/**
 * Creating and changing on the wire: what is stored, what is answered, and every way in
 * which it can be refused.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { at, type JsonObject, listAt, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import {
  configMap,
  created,
  deployment,
  expectFailure,
  expectObject,
  mapsIn,
  newNamespace,
  versionNow,
  versionOf,
} from './objects.ts';

const server = serverForThisFile();
let client: AdminClient;
let namespace: string;
let maps: string;
beforeAll(async () => {
  client = adminClient(server());
  namespace = await newNamespace(client, 'writes');
  maps = mapsIn(namespace);
});

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

describe('creating', () => {
  it('stamps a new object, whatever the client says about that', async () => {
    const before = Number(await versionNow(client, maps));
    const metadata = {
      uid: 'mine',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      selfLink: '/somewhere',
      labels: { a: 'b' },
    };
    const object = await created(client, maps, configMap('stamped', {}, metadata));
    expect(textAt(object, 'metadata', 'uid')).toMatch(UID);
    expect(textAt(object, 'metadata', 'creationTimestamp')).toMatch(TIME);
    expect(textAt(object, 'metadata', 'creationTimestamp')).not.toContain('2001');
    expect(Number(versionOf(object))).toBe(before + 1);
    expect(object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name: 'stamped',
        namespace,
        uid: textAt(object, 'metadata', 'uid'),
        resourceVersion: versionOf(object),
        creationTimestamp: textAt(object, 'metadata', 'creationTimestamp'),
        labels: { a: 'b' },
        managedFields: [
          {
            manager: 'unknown',
            operation: 'Update',
            apiVersion: 'v1',
            time: expect.stringMatching(TIME) as string,
            fieldsType: 'FieldsV1',
            fieldsV1: {
              'f:data': { '.': {}, 'f:a': {} },
              'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
            },
          },
        ],
      },
      data: { a: '1' },
    });
    expect(expectObject(await client.get(`${maps}/stamped`))).toEqual(object);
  });

  it('makes names from generateName, each another one', async () => {
    const names = new Set<string>();
    for (let index = 0; index < 10; index += 1) {
      const object = { metadata: { generateName: 'made-' } };
      names.add(textAt(await created(client, maps, object), 'metadata', 'name'));
    }
    expect(names.size).toBe(10);
    for (const name of names) expect(name).toMatch(/^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    const long = { metadata: { generateName: 'x'.repeat(100) } };
    const { metadata } = await created(client, maps, long);
    expect(textAt(metadata, 'name')).toMatch(/^x{58}[a-z0-9]{5}$/);
  });

  it('refuses what is there already, and says so by name', async () => {
    await created(client, maps, configMap('twice'));
    expectFailure(await client.post(maps, configMap('twice')), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "twice" already exists',
      details: { name: 'twice', kind: 'configmaps' },
    });
    const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await created(client, apps, deployment('twice'));
    expectFailure(await client.post(apps, deployment('twice')), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'deployments.apps "twice" already exists',
      details: { name: 'twice', group: 'apps', kind: 'deployments' },
    });
  });

  it('refuses names, namespaces and versions that cannot be', async () => {
    expectFailure(await client.post(maps, configMap('Not_A_Name')), {
      code: 422,
      reason: 'Invalid',
      message:
        /^ConfigMap "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain/,
      details: {
        name: 'Not_A_Name',
        kind: 'ConfigMap',
        causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }],
      },
    });
    expectFailure(await client.post(maps, { metadata: {} }), {
      code: 422,
      reason: 'Invalid',
      message:
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    });
    expectFailure(await client.post(maps, configMap('a', {}, { namespace: 'other' })), {
      code: 400,
      reason: 'BadRequest',
      message:
        'the namespace of the provided object does not match the namespace sent on the request',
    });
    const versioned = await client.post(maps, configMap('a', {}, { resourceVersion: '5' }));
    expect(versioned).toMatchObject({ status: 500, body: { kind: 'Status', status: 'Failure' } });
    expect(textAt(versioned.body, 'message')).toBe(
      'resourceVersion should not be set on objects to be created',
    );
    expectFailure(await client.post(mapsIn('nonesuch'), configMap('a')), {
      code: 404,
      reason: 'NotFound',
      message: 'namespaces "nonesuch" not found',
      details: { name: 'nonesuch', kind: 'namespaces' },
    });
  });

  it('names every field that is wrong, in one answer', async () => {
    const wrong = {
      ...configMap('wrong', {}, { labels: { '-bad': 'x' }, annotations: { 'a/b/c': '' } }),
      data: { 'no/slash': 'x' },
    };
    const status = expectFailure(await client.post(maps, wrong), { code: 422, reason: 'Invalid' });
    const fields = listAt(status, 'details', 'causes').map((cause) => textAt(cause, 'field'));
    expect(fields).toEqual(['metadata.labels', 'metadata.annotations', 'data[no/slash]']);
  });

  it('warns of unknown fields, refuses them if asked to, or is silent if asked to', async () => {
    const object = (name: string) => ({ ...configMap(name), unheardOf: 1 });
    const warned = await client.post(maps, object('warned'));
    expectObject(warned, 201);
    expect(warned.headers['warning']).toBe('299 - "unknown field \\"unheardOf\\""');
    expect(warned.body).not.toHaveProperty('unheardOf');

    expectFailure(await client.post(`${maps}?fieldValidation=Strict`, object('strict')), {
      code: 400,
      reason: 'BadRequest',
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
        'strict decoding error: unknown field "unheardOf"',
    });
    const silent = await client.post(`${maps}?fieldValidation=Ignore`, object('silent'));
    expectObject(silent, 201);
    expect(silent.headers['warning']).toBeUndefined();
  });
});

describe('updating', () => {
  it('replaces the object and keeps what only the server writes', async () => {
    const object = await created(client, maps, configMap('replaced', {}, { labels: { a: 'b' } }));
    const wanted = configMap(
      'replaced',
      { data: { b: '2' } },
      { uid: '', creationTimestamp: null },
    );
    const after = expectObject(await client.put(`${maps}/replaced`, wanted));
    expect(Number(versionOf(after))).toBeGreaterThan(Number(versionOf(object)));
    expect(after).toEqual({
      ...object,
      metadata: {
        ...(object['metadata'] as JsonObject),
        resourceVersion: versionOf(after),
        labels: undefined,
        managedFields: [
          expect.objectContaining({ fieldsV1: { 'f:data': { '.': {}, 'f:b': {} } } }),
        ],
      },
      data: { b: '2' },
    });
  });

  it('refuses to overwrite what it was not based on', async () => {
    const object = await created(client, maps, configMap('based'));
    const newer = expectObject(await client.patch(`${maps}/based`, { data: { a: '2' } }));
    const why =
      'the object has been modified; please apply your changes to the latest version and try again';
    expectFailure(await client.put(`${maps}/based`, object), {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on configmaps "based": ${why}`,
      details: { name: 'based', kind: 'configmaps' },
    });
    const patch = { metadata: { resourceVersion: versionOf(object) }, data: { a: '3' } };
    expectFailure(await client.patch(`${maps}/based`, patch), { code: 409, reason: 'Conflict' });
    const otherUid = { ...newer, metadata: { ...(newer['metadata'] as JsonObject), uid: 'other' } };
    expectFailure(await client.put(`${maps}/based`, otherUid), { code: 409, reason: 'Conflict' });
    expect(expectObject(await client.get(`${maps}/based`))).toEqual(newer);
  });

  it('keeps the version where nothing changes', async () => {
    const object = await created(client, maps, configMap('same', {}, { labels: { a: 'b' } }));
    const before = await versionNow(client, maps);
    expect(expectObject(await client.put(`${maps}/same`, object))).toEqual(object);
    expect(expectObject(await client.patch(`${maps}/same`, {}))).toEqual(object);
    expect(expectObject(await client.patch(`${maps}/same`, { data: { a: '1' } }))).toEqual(object);
    expect(
      expectObject(await client.put(`${maps}/same`, configMap('same', {}, { labels: { a: 'b' } }))),
    ).toEqual(object);
    expect(await versionNow(client, maps)).toBe(before);
  });

  it('refuses a name that is not that of the address, and what is not there', async () => {
    await created(client, maps, configMap('named'));
    expectFailure(await client.put(`${maps}/named`, configMap('other')), {
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (other) does not match the name on the URL (named)',
    });
    const missing = { code: 404, reason: 'NotFound', message: 'configmaps "missing" not found' };
    expectFailure(await client.put(`${maps}/missing`, configMap('missing')), missing);
    expectFailure(await client.patch(`${maps}/missing`, { data: {} }), missing);
    expectFailure(await client.delete(`${maps}/missing`), missing);
    expectFailure(await client.get(`${maps}/missing`), missing);
  });

  it('creates by PUT only where upstream does', async () => {
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const lease = { metadata: { name: 'put' }, spec: { holderIdentity: 'me' } };
    const made = expectObject(await client.put(`${leases}/put`, lease), 201);
    expect(textAt(made, 'metadata', 'uid')).toMatch(UID);
    // And a lease is never updated without a version.
    expectFailure(await client.put(`${leases}/put`, lease), {
      code: 422,
      reason: 'Invalid',
      message: /metadata\.resourceVersion: Invalid value: 0: must be specified for an update$/,
    });
    expectObject(await client.put(`${leases}/put`, { ...made, spec: { holderIdentity: 'you' } }));
  });

  it('does not change what cannot be changed', async () => {
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    const secret = await created(client, secrets, {
      metadata: { name: 'fixed' },
      stringData: { a: 'text' },
    });
    expect(secret).toMatchObject({ type: 'Opaque', data: { a: 'dGV4dA==' } });
    expect(secret).not.toHaveProperty('stringData');
    expectFailure(await client.patch(`${secrets}/fixed`, { type: 'other' }), {
      code: 422,
      reason: 'Invalid',
      message: 'Secret "fixed" is invalid: type: Invalid value: "other": field is immutable',
    });
    expectObject(await client.patch(`${secrets}/fixed`, { immutable: true }));
    expectFailure(await client.patch(`${secrets}/fixed`, { data: { a: null } }), {
      code: 422,
      reason: 'Invalid',
      message:
        'Secret "fixed" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    });
  });
});

describe('patching', () => {
  it('takes JSON, merge and strategic merge patches', async () => {
    const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await created(client, apps, deployment('patched'));
    const path = `${apps}/patched`;
    const json = expectObject(
      await client.patch(
        path,
        [
          { op: 'test', path: '/spec/replicas', value: 1 },
          { op: 'replace', path: '/spec/replicas', value: 3 },
          { op: 'add', path: '/metadata/labels', value: { 'a/b': 'c' } },
        ],
        'json-patch',
      ),
    );
    expect(json).toMatchObject({ spec: { replicas: 3 }, metadata: { labels: { 'a/b': 'c' } } });
    expect(at(json, 'metadata', 'generation')).toBe(2);

    const containers = (...more: JsonObject[]) => ({
      spec: { template: { spec: { containers: more } } },
    });
    const added = expectObject(
      await client.patch(
        path,
        containers({ name: 'second', image: 'second:1' }),
        'strategic-merge-patch',
      ),
    );
    const names = (object: JsonObject) =>
      listAt(object, 'spec', 'template', 'spec', 'containers').map((one) => textAt(one, 'name'));
    expect(names(added)).toEqual(['second', 'main']);
    const removed = await client.patch(
      path,
      containers({ name: 'second', $patch: 'delete' }, { name: 'main', image: 'other:2' }),
      'strategic-merge-patch',
    );
    expect(names(expectObject(removed))).toEqual(['main']);
    const merged = expectObject(
      await client.patch(path, containers({ name: 'only', image: 'only:1' }), 'merge-patch'),
    );
    expect(names(merged)).toEqual(['only']);
    const gone = expectObject(await client.patch(path, { metadata: { labels: null } }));
    expect(at(gone, 'metadata', 'labels')).toBeUndefined();
  });

  it('refuses patches that cannot be applied, and types it does not know', async () => {
    await created(client, maps, configMap('target'));
    const path = `${maps}/target`;
    const test = [{ op: 'test', path: '/data/a', value: 'other' }];
    expectFailure(await client.patch(path, test, 'json-patch'), { code: 422, reason: 'Invalid' });
    expectFailure(await client.patch(path, { op: 'add' }, 'json-patch'), {
      code: 400,
      reason: 'BadRequest',
    });
    const sent = (body: string, type: string) =>
      client.send('PATCH', path, { body, headers: { 'content-type': type } });
    expectFailure(await sent('{', 'application/merge-patch+json'), {
      code: 400,
      reason: 'BadRequest',
    });
    for (const type of ['application/json', 'text/plain', 'application/apply-patch+cbor']) {
      expectFailure(await sent('{}', type), {
        code: 415,
        reason: 'UnsupportedMediaType',
        message: /^415: Unsupported Media Type$/,
      });
    }
    expectFailure(await client.patch(path, { metadata: { name: 'another' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (another) does not match the name on the URL (target)',
    });
    expectFailure(await client.patch(`${path}?fieldValidation=Strict`, { unheardOf: 1 }), {
      code: 422,
      reason: 'Invalid',
      message: /patch: Invalid value: .*strict decoding error: unknown field "unheardOf"$/,
    });
  });
});

describe('dry runs', () => {
  it('answer as if it were done, and do nothing', async () => {
    const kept = await created(client, maps, configMap('dry-kept'));
    const before = await versionNow(client, maps);
    const dry = '?dryRun=All';
    const object = expectObject(await client.post(maps + dry, configMap('dry')), 201);
    expect(textAt(object, 'metadata', 'uid')).toMatch(UID);
    expect(versionOf(object)).toBe('');
    const updated = await client.put(`${maps}/dry-kept${dry}`, configMap('dry-kept', { data: {} }));
    expect(expectObject(updated)).not.toHaveProperty('data');
    const patched = await client.patch(`${maps}/dry-kept${dry}`, { data: { a: '9' } });
    expect(expectObject(patched)).toMatchObject({ data: { a: '9' } });
    expectObject(await client.delete(`${maps}/dry-kept${dry}`));
    expectObject(await client.send('DELETE', maps + dry));

    expectFailure(await client.get(`${maps}/dry`), { code: 404, reason: 'NotFound' });
    expect(expectObject(await client.get(`${maps}/dry-kept`))).toEqual(kept);
    expect(await versionNow(client, maps)).toBe(before);
    expectFailure(await client.post(maps + dry, configMap('dry-kept')), {
      code: 409,
      reason: 'AlreadyExists',
    });
    expectFailure(await client.post(maps + dry, configMap('Wrong')), {
      code: 422,
      reason: 'Invalid',
    });
    expectFailure(await client.post(`${maps}?dryRun=Some`, configMap('dry')), {
      code: 422,
      reason: 'Invalid',
      message:
        'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    });
  });
});
