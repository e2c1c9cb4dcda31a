import { describe, expect, it } from 'vitest';
import { itemsAt, type JsonObject } from '../../api/json/json.ts';
import { resourceFacts, type ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { aggregatedDiscovery, GroupTexts } from './aggregated-discovery.ts';
import { groupServed, type ServedGroup } from './served-groups.ts';

const APPS = resourceFacts().filter(({ group }) => group === 'apps');
const BATCH = resourceFacts().filter(({ group }) => group === 'batch');

function one(facts: readonly ResourceFacts[]): ServedGroup {
  const [group] = groupServed(facts);
  if (group === undefined) throw new Error('no group is served');
  return group;
}

function read(groups: readonly ServedGroup[], texts = new GroupTexts()): JsonObject {
  return JSON.parse(aggregatedDiscovery(groups, texts)) as JsonObject;
}

/** The resource of the first version of the first group. */
function entry(document: JsonObject, name: string): JsonObject {
  const [group = {}] = itemsAt(document, 'items');
  const [version = {}] = itemsAt(group, 'versions');
  return itemsAt(version, 'resources').find((each) => each['resource'] === name) ?? {};
}

describe('aggregated discovery', () => {
  it('says of a subresource only the version that is not that of its resource', () => {
    const deployments = entry(read([one(APPS)]), 'deployments');
    const kinds = itemsAt(deployments, 'subresources').map(({ subresource, responseKind }) => [
      subresource,
      responseKind,
    ]);
    expect(Object.fromEntries(kinds)).toEqual({
      scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      status: { group: '', version: '', kind: 'Deployment' },
    });
  });

  it('says the version of a subresource that has another version of the same group', () => {
    const given = APPS.filter(({ resource }) => resource === 'deployments').map((facts) => ({
      ...facts,
      subresources: facts.subresources.map((sub) => ({ ...sub, group: 'apps', version: 'v9' })),
    }));
    const [first = {}] = itemsAt(entry(read([one(given)]), 'deployments'), 'subresources');
    expect(first['responseKind']).toMatchObject({ group: 'apps', version: 'v9' });
  });

  it('says the group and the version of custom resources, which no type implies', () => {
    const given = APPS.slice(0, 1).map((facts) => ({ ...facts, typeId: '' }));
    const { responseKind } = entry(read([one(given)]), given[0]?.resource ?? '');
    expect(responseKind).toMatchObject({ group: 'apps', version: 'v1' });
  });
});

describe('the text of a group', () => {
  const texts = new GroupTexts();
  const renamed = (facts: readonly ResourceFacts[]): ResourceFacts[] =>
    facts.map((each) => ({ ...each, singular: `${each.singular}x` }));

  it.each<[string, (facts: readonly ResourceFacts[]) => readonly ResourceFacts[]]>([
    ['its resources are others', renamed],
    ['a resource is gone', (facts) => facts.slice(1)],
    ['its version is another', (facts) => facts.map((each) => ({ ...each, version: 'v7' }))],
    [
      'it has one version more',
      (facts) => [...facts, ...facts.map((each) => ({ ...each, version: 'v7' }))],
    ],
  ])('is another when %s', (_when, changed) => {
    const before = texts.of(one(APPS));
    expect(texts.of(one(APPS))).toBe(before);
    const after = texts.of(one(changed(APPS)));
    expect(after).not.toBe(before);
    expect(after).toBe(new GroupTexts().of(one(changed(APPS))));
  });

  it('is another when the version alone is, with the same resources', () => {
    const served = one(APPS);
    const [first] = served.versions;
    const other: ServedGroup = { ...served, versions: [{ ...first, version: 'v7' }] };
    expect(texts.of(other)).not.toBe(texts.of(served));
  });

  it('is made anew for a group that was forgotten', () => {
    const known = new GroupTexts();
    let reads = 0;
    const counted = BATCH.map((facts) =>
      Object.defineProperty({ ...facts }, 'verbs', {
        get: () => {
          reads += 1;
          return facts.verbs;
        },
      }),
    );
    const group = one(counted);
    known.of(group);
    const once = reads;
    known.keepOnly(new Set(['batch']));
    known.of(group);
    expect(reads).toBe(once);
    known.keepOnly(new Set(['apps']));
    known.of(group);
    expect(reads).toBe(2 * once);
  });
});
