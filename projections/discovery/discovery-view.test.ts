import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { itemsAt, listAt, objectAt, stringAt } from '../../api/json/json.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { resourceFacts, type ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { findKubernetes, parseObject, readObject } from '../../tools/generate/golden.fixture.ts';
import { DiscoveryView } from './discovery-view.ts';

const STABLE = /^v\d+$/;
const ONLY_BETA = /internal\.apiserver|storagemigration/;
const kubernetes = findKubernetes();

const view = new DiscoveryView(resourceFacts(), '10.10.10.10:8050');

describe('discovery', () => {
  test('lists only what it is given', () => {
    const pods = resourceFacts().filter((one) => one.resource === 'pods');
    const small = new DiscoveryView(
      pods.map((one) => ({ ...one, subresources: [] })),
      'host:1',
    );
    const list = shown(small, '/api/v1');
    expect(listAt(list, 'resources')).toHaveLength(1);
    expect(listAt(shown(small, '/apis'), 'groups')).toEqual([]);
    expect(small.document('/apis/apps/v1', false)).toBeUndefined();
    expect(small.document('/apis/apps', false)).toBeUndefined();
    expect(small.document('/api/v1/pods', false)).toBeUndefined();
    expect(small.document('/apis/', false)).toBeUndefined();
  });

  test('lists resources by name, however they are given', () => {
    const namesOf = (of: readonly ResourceFacts[]): readonly string[] =>
      itemsAt(shown(new DiscoveryView(of, ''), '/apis/apps/v1'), 'resources')
        .map((one) => stringAt(one, 'name'))
        .filter((name) => !name.includes('/'));
    const names = namesOf(resourceFacts().toReversed());
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(namesOf(resourceFacts()));
  });

  test('has the aggregated form at the two roots only, with an etag of the bytes', () => {
    const legacy = view.document('/api', true);
    const named = view.document('/apis', true);
    expect(legacy?.etag).toMatch(/^"[0-9A-F]{128}"$/);
    expect(named?.etag).not.toBe(legacy?.etag);
    expect(listAt(legacy?.object, 'items')).toHaveLength(1);
    expect(view.document('/api/v1', true)?.etag).toBeUndefined();
    expect(view.document('/apis', true)).toBe(named);
  });

  test('calls a version custom that definitions alone serve', () => {
    const custom = (version: string): ResourceFacts => {
      const [leases] = resourceFacts().filter((one) => one.resource === 'leases');
      if (leases === undefined) throw new Error('no facts');
      return { ...leases, version, resource: 'tabs', typeId: '' };
    };
    const both = new DiscoveryView([...resourceFacts(), custom('v1'), custom('v7')], '');
    const isCustom = ['v1', 'v7', 'v1beta1'].map(
      (version) => both.document(`/apis/coordination.k8s.io/${version}`, false)?.isCustom,
    );
    expect(isCustom).toEqual([false, true, undefined]);
  });

  test('prefers autoscaling/v2, and lets apiregistration come first', () => {
    const group = shown(view, '/apis/autoscaling');
    expect(objectAt(group, 'preferredVersion')).toEqual({
      groupVersion: 'autoscaling/v2',
      version: 'v2',
    });
    const [first] = itemsAt(shown(view, '/apis'), 'groups');
    expect(stringAt(first, 'name')).toBe('apiregistration.k8s.io');
  });

  test('orders the versions of a custom group as Kubernetes does', () => {
    const [some] = resourceFacts();
    if (some === undefined) throw new Error('no facts');
    const versions = ['v1beta1', 'v1', 'v2alpha1', 'v10', 'other', 'v1beta2'];
    const custom = versions.map((version) => ({ ...some, group: 'example.com', version }));
    const group = shown(new DiscoveryView(custom, ''), '/apis/example.com');
    expect(itemsAt(group, 'versions').map((one) => stringAt(one, 'version'))).toEqual([
      'v10',
      'v1',
      'v1beta2',
      'v1beta1',
      'v2alpha1',
      'other',
    ]);
  });
});

describe.skipIf(kubernetes === undefined)('discovery equals what kube-apiserver recorded', () => {
  const folder = join(kubernetes ?? '', 'api', 'discovery');
  const files = kubernetes === undefined ? [] : readdirSync(folder);
  const lists = files.filter((file) => /__v\d+\.json$/.test(file));
  const groups = files.filter((file) => /^apis__[^_]+\.json$/.test(file) && !ONLY_BETA.test(file));

  test.each(lists)('%s', (file) => {
    const path = `/${file.slice(0, -'.json'.length).replaceAll('__', '/')}`;
    expect(shown(view, path)).toEqual(golden(folder, file));
  });

  test.each(groups)('%s, its stable versions', (file) => {
    const path = `/${file.slice(0, -'.json'.length).replaceAll('__', '/')}`;
    expect([shown(view, path)]).toEqual(stableOnly(golden(folder, file)));
  });

  test('api.json', () => {
    expect(shown(view, '/api')).toEqual(golden(folder, 'api.json'));
  });

  test('apis.json, its stable versions', () => {
    const list = golden(folder, 'apis.json');
    expect(shown(view, '/apis')).toEqual({
      ...list,
      groups: itemsAt(list, 'groups').flatMap((group) => stableOnly(group)),
    });
  });

  test('the aggregated document, its stable versions', () => {
    const list = golden(folder, 'aggregated_v2.json');
    expect(view.document('/apis', true)?.object).toEqual({
      ...list,
      items: itemsAt(list, 'items').flatMap((group) => stableOnly(group)),
    });
  });
});

function stableOnly(group: JsonObject): JsonObject[] {
  const versions = itemsAt(group, 'versions').filter((one) =>
    STABLE.test(stringAt(one, 'version')),
  );
  return versions.length === 0 ? [] : [{ ...group, versions }];
}

/** The document as a client reads it: parsed from the bytes. */
function shown(from: DiscoveryView, path: string): JsonObject {
  const document = from.document(path, false);
  if (document === undefined) throw new Error(`nothing is served at ${path}`);
  return parseObject(document.body);
}

function golden(folder: string, file: string): JsonObject {
  return readObject(join(folder, file));
}
