import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { resourceListOf, resourcesOfList, versionsOfAll } from './aggregated-versions.ts';

const NO_KIND = { group: '', version: '', kind: '' };

function list(...resources: JsonObject[]): JsonObject {
  return resourceListOf({ kind: 'APIResourceList', groupVersion: 'g.example.com/v1', resources });
}

describe('a document about all groups', () => {
  const document = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2beta1',
    metadata: {},
    items: [
      {
        metadata: { name: 'g.example.com', creationTimestamp: null },
        versions: [
          {
            version: 'v1',
            freshness: 'Current',
            resources: [
              {
                ...{
                  resource: 'ones',
                  scope: 'Namespaced',
                  singularResource: 'one',
                  verbs: ['get'],
                },
                unheardOf: true,
                subresources: [{ subresource: 'status', verbs: ['get'] }],
              },
            ],
          },
          { version: 'v2' },
        ],
      },
    ],
  };

  it('is read as Go reads it, with kinds where the server names none', () => {
    expect(Object.fromEntries(versionsOfAll(document))).toEqual({
      'g.example.com/v1': [
        {
          ...{ resource: 'ones', scope: 'Namespaced', singularResource: 'one', verbs: ['get'] },
          responseKind: NO_KIND,
          subresources: [{ subresource: 'status', responseKind: NO_KIND, verbs: ['get'] }],
        },
      ],
      'g.example.com/v2': [],
    });
  });

  it.each([[{ items: 3 }], [{ items: [{ versions: [{ resources: 'all' }] }] }]])(
    'is refused where it is something else: %j',
    (other) => {
      expect(() => versionsOfAll(other)).toThrow('cannot unmarshal');
    },
  );
});

describe('the list of a group version', () => {
  it('becomes resources with what is below them', () => {
    const kind = { group: '', version: '', kind: 'One' };
    const all = list(
      { ...{ name: 'ones', namespaced: true, kind: 'One' }, verbs: ['get'], shortNames: ['o'] },
      { ...{ name: 'ones/status', namespaced: true, kind: 'One' }, verbs: ['update'] },
      { ...{ name: 'ones/log', namespaced: true, kind: '' }, verbs: ['get'] },
    );
    expect(resourcesOfList(all)).toEqual([
      {
        ...{ resource: 'ones', responseKind: kind, scope: 'Namespaced', singularResource: '' },
        ...{ verbs: ['get'], shortNames: ['o'] },
        subresources: [
          { subresource: 'status', responseKind: kind, verbs: ['update'] },
          { subresource: 'log', responseKind: NO_KIND, verbs: ['get'] },
        ],
      },
    ]);
  });

  it('has a resource for those below one that it does not name', () => {
    const [found] = resourcesOfList(
      list({ name: 'ones/scale', namespaced: false, kind: 'Scale', verbs: ['get'] }),
    );
    expect(found).toMatchObject({ resource: 'ones', responseKind: NO_KIND, scope: 'Cluster' });
  });

  it('is refused where scopes contradict each other', () => {
    const all = list(
      { name: 'ones', namespaced: true, kind: 'One', verbs: [] },
      { name: 'ones/status', namespaced: false, kind: 'One', verbs: [] },
    );
    expect(() => resourcesOfList(all)).toThrow(
      'Error: Parent ones (scope: Namespaced) and subresource status (scope: Cluster) scope do not match',
    );
  });
});
