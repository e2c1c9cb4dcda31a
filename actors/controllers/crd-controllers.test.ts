import { afterEach, describe, expect, it, vi } from 'vitest';
import { listAt, objectAt, stringAt, type JsonObject } from '../../api/meta/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { nameOf, namespaceOf, type CommittedEvent } from '../../streams/event.ts';
import type { Loopback } from '../loopback.ts';
import { givenControlPlane } from '../registry/given-registry.fixture.ts';
import { objectsAt } from '../resources/value-validation.ts';
import { startCrdControllers, type CrdControllers } from './crd-controllers.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const WIDGETS = 'example.com/widgets';

const running: CrdControllers[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

interface Names {
  readonly kind?: string;
  readonly shortNames?: readonly string[];
  readonly singular?: string;
}

function definition(plural: string, names: Names = {}, group = 'example.com') {
  const kind = names.kind ?? `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`;
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: `${plural}.${group}` } as JsonObject,
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, ...(names as JsonObject), kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }] as JsonObject[],
    },
  };
}

/** A control plane with the controllers of CRDs, and nobody yet who serves what they define. */
async function given(instances: (loopback: Loopback) => Loopback = (loopback) => loopback) {
  const plane = await givenControlPlane();
  const listeners: ((event: CommittedEvent) => void)[] = [];
  plane.projector.listen((event, verdict, committed) => {
    plane.room.committer.folded(event, verdict, committed);
    if (committed !== undefined) for (const listener of listeners) listener(committed);
  });
  const faults: unknown[] = [];
  const start = async () => {
    const controllers = startCrdControllers({
      loopback: instances(plane.loopback),
      listen: (listener) => void listeners.push(listener),
      objects: plane.objects,
      clock: plane.clock,
      faults: { record: (what, error) => plane.room.faults.record(what, faults.push(error)) },
    });
    running.push(controllers);
    await controllers.ready;
    return controllers;
  };
  const seen = async (name: string): Promise<KubeObject> =>
    (await plane.get(`${CRDS}/${name}`)).object;
  const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
    await vi.waitUntil(isSo, { timeout: 20_000, interval: 1 });
  };
  /** Waits until the definition says so, as `kubectl wait` does. */
  const says = (name: string, type: string, status: string): Promise<JsonObject> =>
    vi.waitUntil<JsonObject | undefined>(
      async () => {
        const found = conditionOf(await seen(name), type);
        return found?.['status'] === status ? found : undefined;
      },
      { timeout: 20_000, interval: 1 },
    ); // It has waited until there is one.
  return { ...plane, start, seen, says, until, faults };
}

function conditionOf(object: KubeObject, type: string): JsonObject | undefined {
  return objectsAt(objectAt(object, 'status'), 'conditions').find((one) => one['type'] === type);
}

function shown(object: KubeObject) {
  return objectsAt(objectAt(object, 'status'), 'conditions').map(
    ({ type, status, reason, message }) => [type, status, reason, message],
  );
}

describe('a new definition', () => {
  it('gets its names and is established', async () => {
    const { start, post, says, seen } = await given();
    await start();
    expect((await post(CRDS, definition('widgets', { shortNames: ['w'] }))).code).toBe(201);
    await says('widgets.example.com', 'Established', 'True');
    const found = await seen('widgets.example.com');
    expect(shown(found)).toEqual([
      ['NamesAccepted', 'True', 'NoConflicts', 'no conflicts found'],
      ['Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted'],
    ]);
    expect(objectAt(objectAt(found, 'status'), 'acceptedNames')).toEqual({
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['w'],
      kind: 'Widget',
      listKind: 'WidgetList',
    });
    expect(found.metadata.generation).toBe(1);
  });

  it('costs one write', async () => {
    const { start, post, says, applied } = await given();
    await start();
    await post(CRDS, definition('widgets'));
    await says('widgets.example.com', 'Established', 'True');
    const { current } = applied;
    await post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'after' } });
    // The definition, its status, its APIService, and the map.
    expect(current).toBeLessThanOrEqual(4 + 3);
  });

  it('of a protected group tells how it was approved', async () => {
    const { start, post, says, seen } = await given();
    await start();
    const one = definition('widgets', {}, 'x.k8s.io');
    one.metadata['annotations'] = { 'api-approved.kubernetes.io': 'https://example.com/pull/1' };
    await post(CRDS, one);
    await says('widgets.x.k8s.io', 'Established', 'True');
    expect(shown(await seen('widgets.x.k8s.io'))[0]).toEqual([
      'KubernetesAPIApprovalPolicyConformant',
      'True',
      'ApprovedAnnotation',
      'approved in https://example.com/pull/1',
    ]);
  });

  it('with a bundle that nobody can read waits for a better one', async () => {
    const { start, post, put, says, seen } = await given();
    await start();
    const one = definition('widgets');
    const service = { namespace: 'default', name: 'hook' };
    const clientConfig = { service, caBundle: Buffer.from('no certificate').toString('base64') };
    const webhook: JsonObject = { clientConfig, conversionReviewVersions: ['v1'] };
    const spec: JsonObject = { ...one.spec, conversion: { strategy: 'Webhook', webhook } };
    expect((await post(CRDS, { ...one, spec })).code).toBe(201);
    const condition = await says('widgets.example.com', 'Established', 'False');
    expect(condition['reason']).toBe('InvalidCABundle');
    const { metadata } = await seen('widgets.example.com');
    await put(`${CRDS}/widgets.example.com`, { ...one, metadata: metadata as JsonObject });
    await says('widgets.example.com', 'Established', 'True');
  });
});

describe('names that somebody has', () => {
  it('are refused, each with its reason, and given when they are free', async () => {
    const { start, post, put, says, seen } = await given();
    await start();
    await post(CRDS, definition('widgets', { shortNames: ['w', 'wi'] }));
    await says('widgets.example.com', 'Established', 'True');
    await post(CRDS, definition('wodgets', { shortNames: ['wo', 'w', 'wi'] }));
    const refused = await says('wodgets.example.com', 'NamesAccepted', 'False');
    expect(refused).toMatchObject({
      reason: 'ShortNamesConflict',
      message: '["w" is already in use, "wi" is already in use]',
    });
    expect(shown(await seen('wodgets.example.com'))[1]).toEqual([
      'Established',
      'False',
      'NotAccepted',
      'not all names are accepted',
    ]);
    const accepted = objectAt(
      objectAt(await seen('wodgets.example.com'), 'status'),
      'acceptedNames',
    );
    expect(accepted).toEqual({
      plural: 'wodgets',
      singular: 'wodget',
      kind: 'Wodget',
      listKind: 'WodgetList',
    });
    const first = definition('widgets', { shortNames: ['wi2'] });
    first.metadata = (await seen('widgets.example.com')).metadata;
    expect((await put(`${CRDS}/widgets.example.com`, first)).code).toBe(200);
    await says('wodgets.example.com', 'Established', 'True');
  });

  it('are those of kinds too', async () => {
    const { start, post, says } = await given();
    await start();
    await post(CRDS, definition('widgets', { kind: 'Thing' }));
    await post(CRDS, definition('things', { kind: 'Thing', singular: 'stuff' }));
    await says('widgets.example.com', 'Established', 'True');
    expect(await says('things.example.com', 'NamesAccepted', 'False')).toMatchObject({
      reason: 'ListKindConflict',
      message: '"ThingList" is already in use',
    });
  });

  it('of another group are nobody’s concern', async () => {
    const { start, post, says } = await given();
    await start();
    await post(CRDS, definition('widgets'));
    await post(CRDS, definition('widgets', {}, 'example.org'));
    await says('widgets.example.com', 'Established', 'True');
    await says('widgets.example.org', 'Established', 'True');
  });

  it('are given in the order of the log, by whichever server looks first', async () => {
    const { start, post, says } = await given();
    for (let n = 0; n < 20; n += 1) {
      await post(CRDS, definition(`z${String.fromCharCode(122 - n)}s`, { shortNames: ['s'] }));
    }
    await Promise.all([start(), start()]);
    await says('zzs.example.com', 'Established', 'True');
    for (let n = 1; n < 20; n += 1) {
      await says(`z${String.fromCharCode(122 - n)}s.example.com`, 'NamesAccepted', 'False');
    }
  });
});

describe('group versions', () => {
  it('that are served have an APIService, as long as somebody serves them', async () => {
    const { start, post, get, put, del, seen, until } = await given();
    await start();
    await post(CRDS, definition('widgets'));
    const isThere = async (name: string) => (await get(`${SERVICES}/${name}`)).code === 200;
    await until(() => isThere('v1.example.com'));
    const { object } = await get(`${SERVICES}/v1.example.com`);
    expect(object.metadata.labels).toEqual({ 'kube-aggregator.kubernetes.io/automanaged': 'true' });
    expect(object['spec']).toEqual({
      group: 'example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 100,
    });
    await del(`${SERVICES}/v1.example.com`);
    await until(() => isThere('v1.example.com'));
    const next = definition('widgets');
    const [first = {}] = next.spec.versions;
    next.spec.versions = [
      { ...first, served: false },
      { ...first, name: 'v2', storage: false },
    ];
    await until(async () => {
      next.metadata = (await seen('widgets.example.com')).metadata;
      return (await put(`${CRDS}/widgets.example.com`, next)).code === 200;
    });
    await until(() => isThere('v2.example.com'));
    await until(async () => !(await isThere('v1.example.com')));
  });

  it('that somebody else registered are left alone', async () => {
    const { start, post, get, until, says } = await given();
    const spec = {
      group: 'example.com',
      version: 'v1',
      groupPriorityMinimum: 5,
      versionPriority: 6,
    };
    await post(SERVICES, { metadata: { name: 'v1.example.com' }, spec });
    await start();
    await post(CRDS, definition('widgets'));
    await post(CRDS, definition('gadgets', {}, 'example.org'));
    await says('widgets.example.com', 'Established', 'True');
    await until(async () => (await get(`${SERVICES}/v1.example.org`)).code === 200);
    expect((await get(`${SERVICES}/v1.example.com`)).object['spec']).toEqual(spec);
  });

  it('that nobody serves any more are told of at a start', async () => {
    const { start, post, get, until } = await given();
    const labels = { 'kube-aggregator.kubernetes.io/automanaged': 'true' };
    const spec = { group: 'gone.com', version: 'v1', groupPriorityMinimum: 5, versionPriority: 6 };
    await post(SERVICES, { metadata: { name: 'v1.gone.com', labels }, spec });
    await start();
    await until(async () => (await get(`${SERVICES}/v1.gone.com`)).code === 404);
  });
});

describe('a definition that is deleted', () => {
  it('is held, says so, and goes when it has no objects', async () => {
    const { start, post, del, says, get, until, objects } = await given();
    await post(CRDS, definition('widgets'));
    const { object, code } = await del(`${CRDS}/widgets.example.com`);
    expect(code).toBe(200);
    expect(object.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    expect(object.metadata.deletionTimestamp).toBeDefined();
    expect(shown(object)).toEqual([
      [
        'Terminating',
        'True',
        'InstanceDeletionPending',
        'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      ],
    ]);
    expect((await del(`${CRDS}/widgets.example.com`)).code).toBe(200);
    await says('widgets.example.com', 'Terminating', 'True');
    await start();
    await until(async () => (await get(`${CRDS}/widgets.example.com`)).code === 404);
    expect(objects.of('apiextensions.k8s.io/customresourcedefinitions').size).toBe(0);
  });

  it('deletes its objects first, namespace by namespace, and waits for them', async () => {
    const asked: string[] = [];
    const plane = await given((loopback) => (request) => {
      if (request.method !== 'DELETE' || !request.path.includes('example.com/v1')) {
        return loopback(request);
      }
      asked.push(request.path);
      return Promise.resolve({ kind: 'Value', code: 200, typeId: '', value: {} });
    });
    const { start, post, del, says, get, until, elsewhere, seen } = plane;
    await start();
    await post(CRDS, definition('widgets'));
    await says('widgets.example.com', 'Established', 'True');
    for (const path of ['a/one', 'a/two', 'b/one']) {
      await elsewhere(WIDGETS, path, (object) => {
        object.metadata = { name: nameOf(path), namespace: namespaceOf(path), uid: path };
        return undefined;
      });
    }
    await del(`${CRDS}/widgets.example.com`);
    await until(() => asked.length === 2);
    expect(asked.sort()).toEqual([
      '/apis/example.com/v1/namespaces/a/widgets',
      '/apis/example.com/v1/namespaces/b/widgets',
    ]);
    expect(shown(await seen('widgets.example.com')).at(-1)).toEqual([
      'Terminating',
      'True',
      'InstanceDeletionInProgress',
      'CustomResource deletion is in progress',
    ]);
    for (const path of ['a/one', 'a/two', 'b/one']) {
      expect((await get(`${CRDS}/widgets.example.com`)).code).toBe(200);
      await elsewhere(WIDGETS, path, () => 'deleted');
    }
    await until(async () => (await get(`${CRDS}/widgets.example.com`)).code === 404);
    expect(asked).toHaveLength(2);
  });

  it('says after a minute that its objects do not go, and tries again', async () => {
    let asked = 0;
    const plane = await given((loopback) => (request) => {
      if (request.method !== 'DELETE' || !request.path.includes('example.com/v1')) {
        return loopback(request);
      }
      asked += 1;
      return Promise.resolve({ kind: 'Value', code: 200, typeId: '', value: {} });
    });
    const { start, post, del, says, until, elsewhere, seen, clock, faults, get } = plane;
    await start();
    await post(CRDS, definition('widgets'));
    await says('widgets.example.com', 'Established', 'True');
    await elsewhere(WIDGETS, 'a/one', (object) => {
      object.metadata = { name: 'one', namespace: 'a', uid: 'one' };
      return undefined;
    });
    await del(`${CRDS}/widgets.example.com`);
    await until(() => asked === 1);
    const reason = async () =>
      stringAt(conditionOf(await seen('widgets.example.com'), 'Terminating'), 'reason');
    await until(async () => {
      clock.advance(10_000);
      return (await reason()) === 'InstanceDeletionCheck';
    });
    await until(() => {
      clock.advance(1_000);
      return asked === 2;
    });
    await elsewhere(WIDGETS, 'a/one', () => 'deleted');
    await until(async () => (await get(`${CRDS}/widgets.example.com`)).code === 404);
    expect(faults).toEqual([]);
  });

  it('frees its names', async () => {
    const { start, post, del, says } = await given();
    await start();
    await post(CRDS, definition('widgets', { shortNames: ['w'] }));
    await says('widgets.example.com', 'Established', 'True');
    await post(CRDS, definition('wodgets', { shortNames: ['w'] }));
    await says('wodgets.example.com', 'NamesAccepted', 'False');
    await del(`${CRDS}/widgets.example.com`);
    await says('wodgets.example.com', 'Established', 'True');
  });
});

it('is stopped in the middle of waiting', async () => {
  const plane = await given(
    (loopback) => (request) =>
      request.path.includes('example.com/v1/')
        ? Promise.resolve({ kind: 'Value', code: 200, typeId: '', value: {} })
        : loopback(request),
  );
  const { start, post, del, says, elsewhere, until, seen, objects } = plane;
  const controllers = await start();
  await post(CRDS, definition('widgets'));
  await says('widgets.example.com', 'Established', 'True');
  await elsewhere(WIDGETS, 'a/one', (object) => {
    object.metadata = { name: 'one', namespace: 'a', uid: 'one' };
    return undefined;
  });
  await del(`${CRDS}/widgets.example.com`);
  await until(async () => {
    const condition = conditionOf(await seen('widgets.example.com'), 'Terminating');
    return condition?.['reason'] === 'InstanceDeletionInProgress';
  });
  await controllers.stop();
  const [stored] = objects.of(WIDGETS).inOrder('');
  expect(stored === undefined ? undefined : listAt(parsedObject(stored), 'x')).toEqual([]);
});
