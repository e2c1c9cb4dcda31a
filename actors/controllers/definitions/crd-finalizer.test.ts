import { afterEach, describe, expect, it } from 'vitest';
import { listAt, stringAt } from '../../../api/json/json.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { nameOf, namespaceOf } from '../../../streams/event.ts';
import type { ControlPlane } from '../../registry/given-registry.fixture.ts';
import {
  conditionOf,
  CRDS,
  definition,
  givenDefinitions,
  shown,
  stopCrdControllers,
  WIDGETS,
} from './given-definitions.fixture.ts';

afterEach(stopCrdControllers);

/** Puts an object into the log, as it is not served here. */
async function makeWidget(
  { elsewhere }: Pick<ControlPlane, 'elsewhere'>,
  path: string,
): Promise<void> {
  await elsewhere(WIDGETS, path, (object) => {
    object.metadata = { name: nameOf(path), namespace: namespaceOf(path), uid: path };
    return undefined;
  });
}

describe('a definition that is deleted', () => {
  it('is held, says so, and goes when it has no objects', async () => {
    const { start, post, del, says, get, until, objects } = await givenDefinitions();
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
    const plane = await givenDefinitions((loopback) => (request) => {
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
      await makeWidget(plane, path);
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
    const plane = await givenDefinitions((loopback) => (request) => {
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
    await makeWidget(plane, 'a/one');
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
    const { start, post, del, says } = await givenDefinitions();
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
  const plane = await givenDefinitions(
    (loopback) => (request) =>
      request.path.includes('example.com/v1/')
        ? Promise.resolve({ kind: 'Value', code: 200, typeId: '', value: {} })
        : loopback(request),
  );
  const { start, post, del, says, until, seen, objects } = plane;
  const controllers = await start();
  await post(CRDS, definition('widgets'));
  await says('widgets.example.com', 'Established', 'True');
  await makeWidget(plane, 'a/one');
  await del(`${CRDS}/widgets.example.com`);
  await until(async () => {
    const condition = conditionOf(await seen('widgets.example.com'), 'Terminating');
    return condition?.['reason'] === 'InstanceDeletionInProgress';
  });
  await controllers.stop();
  const [stored] = objects.of(WIDGETS).inOrder('');
  expect(stored === undefined ? undefined : listAt(parsedObject(stored), 'x')).toEqual([]);
});
