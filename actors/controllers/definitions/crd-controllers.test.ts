import { afterEach, describe, expect, it } from 'vitest';
import { objectAt, type JsonObject } from '../../../api/json/json.ts';
import {
  CRDS,
  definition,
  givenDefinitions,
  shown,
  stopCrdControllers,
  unreadableBundle,
} from './given-definitions.fixture.ts';

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';

afterEach(stopCrdControllers);

describe('a new definition', () => {
  it('gets its names and is established', async () => {
    const { start, post, says, seen } = await givenDefinitions();
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
    const { start, post, says, applied } = await givenDefinitions();
    await start();
    await post(CRDS, definition('widgets'));
    await says('widgets.example.com', 'Established', 'True');
    const { current } = applied;
    await post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'after' } });
    // The definition, its status, its APIService, and the map.
    expect(current).toBeLessThanOrEqual(4 + 3);
  });

  it('of a protected group tells how it was approved', async () => {
    const { start, post, says, seen } = await givenDefinitions();
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

  it('with a bundle that cannot be read waits for a better one', async () => {
    const { start, post, put, says, seen } = await givenDefinitions();
    await start();
    const one = definition('widgets');
    const spec: JsonObject = { ...one.spec, conversion: unreadableBundle() };
    expect((await post(CRDS, { ...one, spec })).code).toBe(201);
    const condition = await says('widgets.example.com', 'Established', 'False');
    expect(condition['reason']).toBe('InvalidCABundle');
    const { metadata } = await seen('widgets.example.com');
    await put(`${CRDS}/widgets.example.com`, { ...one, metadata: metadata as JsonObject });
    await says('widgets.example.com', 'Established', 'True');
  });
});

describe('names that are taken', () => {
  it('are refused, each with its reason, and given when they are free', async () => {
    const { start, post, put, says, seen } = await givenDefinitions();
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
    const { start, post, says } = await givenDefinitions();
    await start();
    await post(CRDS, definition('widgets', { kind: 'Thing' }));
    await post(CRDS, definition('things', { kind: 'Thing', singular: 'stuff' }));
    await says('widgets.example.com', 'Established', 'True');
    expect(await says('things.example.com', 'NamesAccepted', 'False')).toMatchObject({
      reason: 'ListKindConflict',
      message: '"ThingList" is already in use',
    });
  });

  it('of another group are of no concern', async () => {
    const { start, post, says } = await givenDefinitions();
    await start();
    await post(CRDS, definition('widgets'));
    await post(CRDS, definition('widgets', {}, 'example.org'));
    await says('widgets.example.com', 'Established', 'True');
    await says('widgets.example.org', 'Established', 'True');
  });

  it('are given in the order of the log, by whichever server looks first', async () => {
    const { start, post, says } = await givenDefinitions();
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
  it('that are served have an APIService, as long as a definition serves them', async () => {
    const { start, post, get, put, del, seen, until } = await givenDefinitions();
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

  it('that a user registered are left alone', async () => {
    const { start, post, get, until, says } = await givenDefinitions();
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

  it('that are not served any more are told of at a start', async () => {
    const { start, post, get, until } = await givenDefinitions();
    const labels = { 'kube-aggregator.kubernetes.io/automanaged': 'true' };
    const spec = { group: 'gone.com', version: 'v1', groupPriorityMinimum: 5, versionPriority: 6 };
    await post(SERVICES, { metadata: { name: 'v1.gone.com', labels }, spec });
    await start();
    await until(async () => (await get(`${SERVICES}/v1.gone.com`)).code === 404);
  });
});
