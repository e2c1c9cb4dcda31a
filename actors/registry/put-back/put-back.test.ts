import { expect, it } from 'vitest';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { configMap, givenControlPlane, type ControlPlane } from '../given-registry.fixture.ts';
import { putBack } from './put-back.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const SERVICES = '/api/v1/namespaces/default/services';
const BY = { user: 'jane', verb: 'post', auditID: 'a', fieldManager: 'reset' };

function reset(plane: ControlPlane, to: ResourceVersion, changes: Partial<typeof plane> = {}) {
  const { context, store } = plane;
  return putBack({ ...context, ...changes, history: store }, to, BY);
}

/** Every object that there is: where it lies, its bytes without the version, and its uid. */
function everything({ objects }: ControlPlane): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const [resource, of] of objects.resources()) {
    for (const { path, json } of of.inOrder('')) {
      const text = json.toString().replace(/"resourceVersion":"\d+",?/, '');
      all.set(`${resource} ${path}`, text);
    }
  }
  return all;
}

it('leaves every object as it was, and tells watchers of it', async () => {
  const plane = await givenControlPlane();
  const { post, put, del, patch, applied } = plane;
  await post(MAPS, configMap('kept', { a: '1' }));
  await post(MAPS, configMap('changed', { a: '1' }, { labels: { app: 'one' } }));
  await post(MAPS, configMap('gone', { a: '1' }));
  await post(MAPS, configMap('replaced', { a: '1' }));
  const before = everything(plane);
  const to = applied.current;
  await put(`${MAPS}/changed`, configMap('changed', { a: '2' }));
  await del(`${MAPS}/gone`);
  await del(`${MAPS}/replaced`);
  await post(MAPS, configMap('replaced', { a: '1' }));
  await post(MAPS, configMap('new'));
  await post('/api/v1/namespaces', { metadata: { name: 'later' } });
  await post('/api/v1/namespaces/later/configmaps', configMap('inside'));
  await patch('/api/v1/namespaces/default', 'merge', { metadata: { labels: { is: 'new' } } });
  const told: string[] = [];
  plane.listen(({ type, path, object }) => {
    told.push(`${type} ${path}${object.labels?.['app'] === undefined ? '' : ' app'}`);
  });
  expect(await reset(plane, to)).toEqual({ kind: 'done', changes: 8 });
  expect(everything(plane)).toEqual(before);
  expect(told).toEqual([
    'modified /default',
    'modified default/changed app',
    'added default/gone',
    'deleted default/replaced',
    'added default/replaced',
    'deleted default/new',
    'deleted later/inside',
    'deleted /later',
  ]);
  expect(await reset(plane, to)).toEqual({ kind: 'done', changes: 0 });
});

it('gives back what services held', async () => {
  const plane = await givenControlPlane();
  const service = (name: string, clusterIP?: string) => {
    return { metadata: { name }, spec: { ports: [{ port: 80 }], ...(clusterIP && { clusterIP }) } };
  };
  await plane.post(SERVICES, service('first', '10.0.0.20'));
  const to = plane.applied.current;
  await plane.del(`${SERVICES}/first`);
  await plane.post(SERVICES, service('second', '10.0.0.20'));
  await plane.post(SERVICES, service('third', '10.0.0.21'));
  await reset(plane, to);
  expect((await plane.post(SERVICES, service('fourth', '10.0.0.20'))).code).toBe(422);
  expect((await plane.post(SERVICES, service('fifth', '10.0.0.21'))).code).toBe(201);
});

it('looks again at what another writer changed in between', async () => {
  const plane = await givenControlPlane();
  const { post, applied, context } = plane;
  await post(MAPS, configMap('one', { a: '1' }));
  const before = everything(plane);
  const to = applied.current;
  await plane.put(`${MAPS}/one`, configMap('one', { a: '2' }));
  let commits = 0;
  const committer: Pick<typeof context.committer, 'commit'> = {
    commit(change, reply) {
      commits += 1;
      // The other writer is in the log before this change is.
      const other = commits === 1 ? plane.elsewhere('core/configmaps', 'default/one', same) : 0;
      void Promise.resolve(other).then(() => {
        context.committer.commit(change, reply);
      });
    },
  };
  const same = () => 'modified' as const;
  const parts = { ...context, committer, history: plane.store };
  expect(await putBack(parts, to, BY)).toEqual({ kind: 'done', changes: 1 });
  expect(commits).toBe(2);
  expect(everything(plane)).toEqual(before);
});

it('is done beside a writer that makes the same objects again at once, and others', async () => {
  const plane = await givenControlPlane();
  const { post, applied, context } = plane;
  const to = applied.current;
  await post(MAPS, configMap('lease'));
  let made = 0;
  const committer: Pick<typeof context.committer, 'commit'> = {
    commit(change, reply) {
      context.committer.commit(change, (commit) => {
        made += 1;
        const again = post(MAPS, configMap('lease', { made: String(made) }));
        const other = made < 4 ? post(MAPS, configMap(`other-${String(made)}`)) : undefined;
        void Promise.all([again, other]).then(() => {
          reply(commit);
        });
      });
    },
  };
  const parts = { ...context, committer, history: plane.store };
  expect(await putBack(parts, to, BY)).toEqual({ kind: 'done', changes: 4 });
  const maps = plane.objects.of('core/configmaps');
  expect([...maps.inOrder('')].map(({ path }) => path)).toEqual(['default/lease']);
});

it('lets others have their turn while it looks through what has changed', async () => {
  const plane = await givenControlPlane();
  const { post, applied, context, store, log } = plane;
  await post(MAPS, configMap('one', { at: '0' }));
  const to = applied.current;
  for (let at = 1; at <= 1_200; at += 1) {
    await plane.put(`${MAPS}/one`, configMap('one', { at: String(at) }));
  }
  let [read, most, isOver] = [0, 0, false];
  const turn = (): void => {
    most = Math.max(most, read);
    read = 0;
    if (!isOver) setImmediate(turn);
  };
  const counted: Pick<typeof log, 'at'> = {
    at(version) {
      read += 1;
      return log.at(version);
    },
  };
  setImmediate(turn);
  const done = await putBack({ ...context, log: counted, history: store }, to, BY);
  isOver = true;
  expect(done).toEqual({ kind: 'done', changes: 1 });
  expect(most).toBeGreaterThan(100);
  expect(most).toBeLessThanOrEqual(500);
});

it('says what kept it from being done', async () => {
  const plane = await givenControlPlane();
  const to = plane.applied.current;
  await plane.post(MAPS, configMap('one'));
  const { context, store } = plane;
  const history = { ...bound(store), readableSince: () => (to + 1) as ResourceVersion };
  expect(await putBack({ ...context, history }, to, BY)).toEqual({ kind: 'gone' });
  const why = { kind: 'refused', why: 'the log is full' } as const;
  const committer: Pick<typeof context.committer, 'commit'> = {
    commit: (_change, reply) => {
      reply(why);
    },
  };
  const parts = { ...context, committer, history: store };
  expect(await putBack(parts, to, BY)).toEqual({ kind: 'failed', commit: why });
});

function bound(store: ControlPlane['store']) {
  return {
    settled: () => store.settled(),
    resourcesEver: () => store.resourcesEver(),
    changesAfter: store.changesAfter.bind(store),
    versionAt: store.versionAt.bind(store),
  };
}
