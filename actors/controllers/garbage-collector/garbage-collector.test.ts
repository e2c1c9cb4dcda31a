import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { configMap } from '../../registry/given-registry.fixture.ts';
import type { Controller } from '../controller-parts.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { startGarbageCollector } from './garbage-collector.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const NODES = '/api/v1/nodes';

const running: Controller[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

async function given() {
  const plane = await givenControllers();
  const start = async () => {
    const controller = await plane.started(startGarbageCollector);
    running.push(controller);
  };
  const make = async (name: string, owners: readonly JsonObject[] = []) => {
    const metadata = { ownerReferences: [...owners] };
    const { code, object, message } = await plane.post(MAPS, configMap(name, {}, metadata));
    expect(code, message).toBe(201);
    return object;
  };
  const isThere = async (name: string) => (await plane.find(`${MAPS}/${name}`)) !== undefined;
  return { ...plane, start, make, isThere };
}

function owner({ metadata }: KubeObject, more: JsonObject = {}): JsonObject {
  const { name = '', uid = '' } = metadata;
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, ...more };
}

function policy(propagationPolicy: string): JsonObject {
  return { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy };
}

describe('what has lost its owners', () => {
  it('goes, and what it owned goes with it', async () => {
    const { start, make, del, isThere, until, problems } = await given();
    await start();
    const top = await make('top');
    const middle = await make('middle', [owner(top)]);
    await make('bottom', [owner(middle)]);
    await make('other');
    await del(`${MAPS}/top`);
    await until('the last has gone', async () => !(await isThere('bottom')));
    expect(await isThere('middle')).toBe(false);
    expect(await isThere('other')).toBe(true);
    expect(problems).toEqual([]);
  });

  it('goes when that happened before the collector looked', async () => {
    const { start, make, del, isThere, until } = await given();
    const top = await make('top');
    await make('bottom', [owner(top)]);
    await del(`${MAPS}/top`);
    await start();
    await until('it has gone', async () => !(await isThere('bottom')));
  });

  it('goes when its owner was never there, or is another of the same name', async () => {
    const { start, make, isThere, until } = await given();
    await start();
    const same = await make('same');
    await make('late', [{ ...owner(same), uid: 'another' }]);
    await make('later', [{ ...owner(same), name: 'nobody' }]);
    await until(
      'both have gone',
      async () => !(await isThere('late')) && !(await isThere('later')),
    );
    expect(await isThere('same')).toBe(true);
  });

  it('stays as long as it has another owner, and forgets the one that is gone', async () => {
    const { start, make, del, find, until } = await given();
    await start();
    const one = await make('one');
    const two = await make('two');
    await make('child', [owner(one), owner(two)]);
    await del(`${MAPS}/one`);
    await until('it has one owner', async () => {
      const owners = (await find(`${MAPS}/child`))?.metadata.ownerReferences;
      return owners?.length === 1 && owners[0]?.name === 'two';
    });
    await del(`${MAPS}/two`);
    await until('it has gone', async () => (await find(`${MAPS}/child`)) === undefined);
  });

  it('stays when its owner is of a kind that is not served', async () => {
    const { start, make, isThere, until } = await given();
    await start();
    const top = await make('top');
    await make('child', [{ ...owner(top), apiVersion: 'example.com/v1', kind: 'Widget' }]);
    await make('probe', [{ ...owner(top), uid: 'another' }]);
    await until('others have gone', async () => !(await isThere('probe')));
    expect(await isThere('child')).toBe(true);
  });

  it('stays when it has no namespace and its owner would have one', async () => {
    const { start, make, post, find, isThere, until } = await given();
    await start();
    const top = await make('top');
    const ownerReferences = [{ ...owner(top), uid: 'another' }];
    await post(NODES, { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n', ownerReferences } });
    await make('probe', [{ ...owner(top), uid: 'another' }]);
    await until('others have gone', async () => !(await isThere('probe')));
    expect(await find(`${NODES}/n`)).toBeDefined();
  });

  it('is left alone while another process does this work', async () => {
    const { start, make, del, isThere, until, standAside } = await given();
    await start();
    const top = await make('top');
    await make('child', [owner(top)]);
    standAside(true);
    await del(`${MAPS}/top`);
    await until('the event loop has turned', () => true);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((next) => setImmediate(next));
    expect(await isThere('child')).toBe(true);
  });
});

describe('a delete that asks for its dependents', () => {
  it('to be orphaned leaves them, without that owner', async () => {
    const { start, make, del, find, isThere, until } = await given();
    await start();
    const top = await make('top');
    await make('child', [owner(top)]);
    await del(`${MAPS}/top`, policy('Orphan'));
    await until('it has gone', async () => !(await isThere('top')));
    expect((await find(`${MAPS}/child`))?.metadata.ownerReferences).toBeUndefined();
  });

  it('to be deleted first waits for those that block it', async () => {
    const { start, make, del, patch, find, isThere, until } = await given();
    await start();
    const top = await make('top');
    await make('blocking', [owner(top, { blockOwnerDeletion: true })]);
    await patch(`${MAPS}/blocking`, 'merge', { metadata: { finalizers: ['example.com/hold'] } });
    await make('free', [owner(top)]);
    await del(`${MAPS}/top`, policy('Foreground'));
    await until('what does not block has gone', async () => !(await isThere('free')));
    await until('what blocks is going', async () => {
      return (await find(`${MAPS}/blocking`))?.metadata.deletionTimestamp !== undefined;
    });
    expect((await find(`${MAPS}/top`))?.metadata.finalizers).toEqual(['foregroundDeletion']);
    await patch(`${MAPS}/blocking`, 'merge', { metadata: { finalizers: null } });
    await until('all have gone', async () => !(await isThere('top')));
    expect(await isThere('blocking')).toBe(false);
  });

  it('to be deleted first goes down to the last of them', async () => {
    const { start, make, del, isThere, until } = await given();
    await start();
    const top = await make('top');
    const middle = await make('middle', [owner(top, { blockOwnerDeletion: true })]);
    await make('bottom', [owner(middle, { blockOwnerDeletion: true })]);
    await del(`${MAPS}/top`, policy('Foreground'));
    await until('the first has gone', async () => !(await isThere('top')));
    expect([await isThere('middle'), await isThere('bottom')]).toEqual([false, false]);
  });

  it('ends where they own each other', async () => {
    const { start, make, del, patch, isThere, until } = await given();
    await start();
    const one = await make('one');
    const two = await make('two', [owner(one, { blockOwnerDeletion: true })]);
    const ownerReferences = [owner(two, { blockOwnerDeletion: true })];
    await patch(`${MAPS}/one`, 'merge', { metadata: { ownerReferences } });
    await del(`${MAPS}/one`, policy('Foreground'));
    await until('both have gone', async () => !(await isThere('one')) && !(await isThere('two')));
  });
});
