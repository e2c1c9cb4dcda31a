import { describe, expect, it } from 'vitest';
import { itemsAt, listAt, stringAt } from '../../api/json/json.ts';
import { resourceFacts, type ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { parseObject } from '../../tools/generate/golden.fixture.ts';
import type { AggregatedVersion } from './aggregated-versions.ts';
import { GroupTexts } from './aggregated-discovery.ts';
import { DiscoveryView, type RegisteredPriority } from './discovery-view.ts';

const STABLE = resourceFacts().filter(({ version }) => /^v\d+$/.test(version));
const RESOURCE = { resource: 'ones', verbs: ['get'] };

interface Wishes extends Partial<AggregatedVersion> {
  readonly group: string;
}

function aggregated(wishes: Wishes): AggregatedVersion {
  const priorities = { groupPriority: 1_000, versionPriority: 15 };
  const known = { resources: [RESOURCE], isStale: false, list: undefined };
  return { version: 'v1', ...priorities, ...known, ...wishes };
}

function custom(group: string, version = 'v1'): ResourceFacts {
  const [some] = STABLE;
  if (some === undefined) throw new Error('no facts');
  return { ...some, group, version, typeId: '' };
}

function given(
  served: readonly ResourceFacts[],
  others: readonly AggregatedVersion[],
  more: readonly RegisteredPriority[] = [],
) {
  const priorities = others.map(({ group, version, groupPriority, versionPriority }) => ({
    ...{ group, version, groupPriorityMinimum: groupPriority, versionPriority },
  }));
  const registered = { aggregated: others, priorities: [...priorities, ...more] };
  const view = new DiscoveryView(served, 'host:1', new GroupTexts(), registered);
  const read = (path: string, isAggregated: boolean) => {
    const document = view.document(path, isAggregated);
    return document === undefined ? undefined : parseObject(document.body);
  };
  return {
    read,
    /** As the aggregated form orders them, and as the plain one does. */
    names: () => [
      itemsAt(read('/apis', true), 'items').map(({ metadata }) => {
        return stringAt(metadata as never, 'name');
      }),
      itemsAt(read('/apis', false), 'groups').map((group) => stringAt(group, 'name')),
    ],
  };
}

describe('groups of other servers', () => {
  it('stand where the priorities of their APIServices put them, in both forms', () => {
    const { names } = given(
      [...STABLE.filter(({ group }) => ['', 'apps', 'batch'].includes(group)), custom('m.example')],
      [
        aggregated({ group: 'a.example', groupPriority: 100 }),
        aggregated({ group: 'between.example', groupPriority: 17_500 }),
        aggregated({ group: 'z.example', groupPriority: 1_000 }),
        aggregated({ group: 'b.example', groupPriority: 1_000 }),
      ],
    );
    const order = ['apps', 'between.example', 'batch', 'b.example', 'm.example', 'z.example'];
    expect(names()).toEqual([
      [...order, 'a.example'],
      [...order, 'a.example'],
    ]);
  });

  it('order their versions by priority, then as Kubernetes orders names of versions', () => {
    const { read } = given(
      [custom('x.example', 'v1')],
      [
        aggregated({ group: 'x.example', version: 'v1beta1', versionPriority: 200 }),
        aggregated({ group: 'x.example', version: 'v2', versionPriority: 15 }),
        aggregated({ group: 'x.example', version: 'v10', versionPriority: 15 }),
      ],
    );
    const order = ['v1beta1', 'v1', 'v10', 'v2'];
    const versions = itemsAt(read('/apis/x.example', false), 'versions');
    expect(versions.map((one) => stringAt(one, 'version'))).toEqual(order);
    const [group] = itemsAt(read('/apis', true), 'items');
    expect(itemsAt(group, 'versions').map((one) => stringAt(one, 'version'))).toEqual(order);
  });

  it('keep what they said last, marked as stale', () => {
    const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'a.example/v1' };
    const stale = aggregated({ group: 'a.example', isStale: true, list });
    const { read } = given([], [stale, aggregated({ group: 'b.example' })]);
    const versions = itemsAt(read('/apis', true), 'items').map(
      (group) => itemsAt(group, 'versions')[0],
    );
    expect(versions).toEqual([
      { version: 'v1', resources: [RESOURCE], freshness: 'Stale' },
      { version: 'v1', resources: [RESOURCE], freshness: 'Current' },
    ]);
    expect(read('/apis/a.example/v1', false)).toEqual(list);
    expect(listAt(read('/apis/a.example', false), 'versions')).toHaveLength(1);
  });

  it('are there before their servers ever answered', () => {
    const unknown = aggregated({ group: 'a.example', resources: [], isStale: true });
    const { read } = given([], [unknown]);
    const [group] = itemsAt(read('/apis', true), 'items');
    expect(itemsAt(group, 'versions')).toEqual([{ version: 'v1', freshness: 'Stale' }]);
    expect(read('/apis/a.example/v1', false)).toBeUndefined();
  });

  it('take the place of what this server has', () => {
    const { read } = given([custom('a.example')], [aggregated({ group: 'a.example' })]);
    const [group] = itemsAt(read('/apis', true), 'items');
    expect(itemsAt(itemsAt(group, 'versions')[0], 'resources')).toEqual([RESOURCE]);
  });
});

describe('APIServices of this server', () => {
  it('order the lists of groups as a client changed them, and the aggregated form not', () => {
    const first = { groupPriorityMinimum: 19_000, versionPriority: 100 };
    const { names } = given(
      [...STABLE.filter(({ group }) => group === 'apps'), custom('m.example')],
      [],
      [{ group: 'm.example', version: 'v1', ...first }],
    );
    expect(names()).toEqual([
      ['apps', 'm.example'],
      ['m.example', 'apps'],
    ]);
  });

  it('are listed where nothing serves them', () => {
    const numbers = { groupPriorityMinimum: 10, versionPriority: 10 };
    const { names, read } = given([], [], [{ group: 'm.example', version: 'v1', ...numbers }]);
    expect(names()).toEqual([[], ['m.example']]);
    expect(read('/apis/m.example/v1', false)).toBeUndefined();
  });
});
