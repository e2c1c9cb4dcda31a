/** What has a grace period and goes at once is stored as it goes, and removed behind that. */
import { describe, expect, it } from 'vitest';

import { forbidden, type Status } from '../../../api/meta/status.ts';
import { parseJson } from '../../../api/json/json-text.ts';
import { isJsonObject, type JsonObject } from '../../../api/json/json.ts';
import { asKubeObject, type KubeObject } from '../../../api/meta/object-meta.ts';
import { LogUnavailableError } from '../../../streams/event-log.ts';
import type { ProposedEvent } from '../../../streams/event.ts';
import type { AdmissionPlugin } from '../../admission/admission-plugin.ts';
import { configMap, givenControlPlane, pod } from '../given-registry.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const MAPS = '/api/v1/namespaces/default/configmaps';
const KEY = ['core/pods', 'default/p'] as const;
const AT_ONCE = { gracePeriodSeconds: 0 };
const NODE = { nodeName: 'n' };

type Asked = (old: KubeObject, nth: number) => Promise<unknown> | Status | undefined;

/** A control plane that remembers what is appended, whose admission of deletes of pods is what a test says. */
async function given(asked: Asked = () => undefined) {
  let count = 0;
  const asking: AdmissionPlugin = {
    name: 'Asking',
    validatesAt: ({ served, operation }) =>
      operation === 'DELETE' && served.definition.storage === 'core/pods'
        ? ({ oldObject }) => {
            count += 1;
            const answer = asked(oldObject ?? { kind: '', apiVersion: '', metadata: {} }, count);
            return answer instanceof Promise ? answer.then(() => undefined) : answer;
          }
        : undefined,
  };
  const plane = await givenControlPlane({ plugins: () => [asking] });
  const { log } = plane;
  const append = log.append.bind(log);
  const appended: ProposedEvent[] = [];
  log.append = (events) => {
    appended.push(...events);
    return append(events);
  };
  return {
    ...plane,
    /** The events of all pods since it was asked last. */
    events: () =>
      appended
        .splice(0)
        .filter(({ resource }) => resource === 'core/pods')
        .map(({ type, json }) => ({ type, object: objectIn(json) })),
    askedCount: () => count,
  };
}

function objectIn(json: Uint8Array): KubeObject {
  const value = parseJson(Buffer.from(json).toString());
  if (!isJsonObject(value)) throw new Error('the event holds no object');
  return asKubeObject(value);
}

const PHASES: Readonly<Record<string, JsonObject>> = {
  failed: { phase: 'Failed' },
  succeeded: { phase: 'Succeeded' },
};

describe('a pod that goes at once', () => {
  it.each([
    ['as it was never scheduled', {}, undefined, undefined],
    ['as no time is asked for', NODE, undefined, AT_ONCE],
    ['as it has no grace period', { ...NODE, terminationGracePeriodSeconds: 0 }, undefined, {}],
    ['as it has failed', NODE, PHASES['failed'], undefined],
    ['as it has succeeded', NODE, PHASES['succeeded'], { gracePeriodSeconds: 9 }],
  ])('%s is stored with its deletionTimestamp, and removed', async (_, spec, status, options) => {
    const { post, put, del, get, events, applied } = await given();
    const labels = { app: 'x' };
    await post(PODS, pod('p', spec, { labels }));
    if (status !== undefined) {
      await put(`${PODS}/p/status`, { ...pod('p', spec, { labels }), status });
    }
    events();
    const before = applied.current;
    const { code, object } = await del(`${PODS}/p`, options);
    const [marked, removed, ...more] = events();
    expect([marked?.type, removed?.type, more]).toEqual(['modified', 'deleted', []]);
    expect(marked?.object.metadata).toMatchObject({
      deletionTimestamp: '1970-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
      labels,
    });
    expect(removed?.object).toEqual(marked?.object);
    expect(code).toBe(200);
    expect(object.metadata).toEqual({
      ...removed?.object.metadata,
      resourceVersion: String(before + 2),
    });
    expect(applied.current).toBe(before + 2);
    expect((await get(`${PODS}/p`)).code).toBe(404);
  });

  it('as its time is made to end counts no further generation', async () => {
    const { post, del, events } = await given();
    await post(PODS, pod('p', NODE));
    await del(`${PODS}/p`);
    events();
    expect((await del(`${PODS}/p`, AT_ONCE)).object.metadata.generation).toBe(2);
    expect(events()).toMatchObject([
      { type: 'modified', object: { metadata: { deletionGracePeriodSeconds: 0, generation: 2 } } },
      { type: 'deleted', object: { metadata: { deletionGracePeriodSeconds: 0, generation: 2 } } },
    ]);
  });

  it('with others of a collection is told of so, too', async () => {
    const { post, del, events } = await given();
    await post(PODS, pod('p'));
    await post(PODS, pod('q'));
    events();
    expect((await del(PODS)).names).toEqual(['p', 'q']);
    const told = events().map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`);
    expect(told.toSorted()).toEqual(['deleted p', 'deleted q', 'modified p', 'modified q']);
  });

  it('by an eviction is told of so, behind the reason', async () => {
    const { post, events } = await given();
    await post(PODS, pod('p'));
    events();
    const eviction = { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name: 'p' } };
    expect((await post(`${PODS}/p/eviction`, eviction)).code).toBe(201);
    expect(events().map(({ type }) => type)).toEqual(['modified', 'modified', 'deleted']);
  });

  it('in a dry run writes nothing', async () => {
    const { post, del, get, events, askedCount } = await given();
    const { object } = await post(PODS, pod('p'));
    events();
    const dry = await del(`${PODS}/p?dryRun=All`);
    expect(dry.object.metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      resourceVersion: object.metadata.resourceVersion,
    });
    expect([events(), askedCount()]).toEqual([[], 1]);
    expect((await get(`${PODS}/p`)).object).toEqual(object);
  });
});

describe('what goes in one part', () => {
  it('is a kind without a grace period', async () => {
    const { post, del, log } = await given();
    await post(MAPS, configMap('a'));
    const types: string[] = [];
    const append = log.append.bind(log);
    log.append = (events) => {
      types.push(...events.map(({ type }) => type));
      return append(events);
    };
    await del(`${MAPS}/a`);
    expect(types).toEqual(['deleted']);
  });

  it('is a pod that a finalizer keeps: it is stored, and removed when that lets go', async () => {
    const { post, put, del, events } = await given();
    await post(PODS, pod('p', {}, { finalizers: ['example.com/f'] }));
    events();
    await del(`${PODS}/p`);
    expect(events().map(({ type }) => type)).toEqual(['modified']);
    await put(`${PODS}/p`, pod('p'));
    expect(events().map(({ type }) => type)).toEqual(['deleted']);
  });
});

describe('admission', () => {
  it('is asked about both parts, and shown what each of them changes', async () => {
    const seen: unknown[] = [];
    const { post, del } = await given(({ metadata }) => {
      seen.push([metadata.resourceVersion, metadata.deletionGracePeriodSeconds]);
      return undefined;
    });
    const { object } = await post(PODS, pod('p'));
    const version = Number(object.metadata.resourceVersion);
    await del(`${PODS}/p`);
    expect(seen).toEqual([
      [String(version), undefined],
      [String(version + 1), 0],
    ]);
  });

  it('that refuses the second leaves the pod as the first made it, for the next delete', async () => {
    const refused = forbidden({ group: '', resource: 'pods' }, 'p', 'not yet');
    const { post, del, get, events } = await given((_, nth) => (nth === 2 ? refused : undefined));
    await post(PODS, pod('p'));
    events();
    expect((await del(`${PODS}/p`)).code).toBe(403);
    expect((await get(`${PODS}/p`)).object.metadata.deletionGracePeriodSeconds).toBe(0);
    expect((await del(`${PODS}/p`)).code).toBe(200);
    expect(events().map(({ type }) => type)).toEqual(['modified', 'deleted']);
    expect((await get(`${PODS}/p`)).code).toBe(404);
  });
});

describe('between both parts', () => {
  type Change = (object: KubeObject) => 'deleted' | undefined;

  /** Another server makes these changes of the pod there. */
  async function givenOther(...changes: readonly Change[]) {
    const plane = await given(async (_, nth) => {
      if (nth !== 2) return;
      for (const change of changes) {
        await plane.applied.whenApplied(await plane.elsewhere(...KEY, change), 1);
      }
    });
    const { object } = await plane.post(PODS, pod('p'));
    plane.events();
    return { ...plane, object };
  }

  const label = ({ metadata }: KubeObject): undefined => {
    metadata.labels = { by: 'another' };
  };

  it('a change of another server goes with the pod', async () => {
    const { del, get, events } = await givenOther(label);
    const { code, object } = await del(`${PODS}/p`);
    expect([code, object.metadata.labels]).toEqual([200, { by: 'another' }]);
    const removed = events().at(-1);
    expect([removed?.type, removed?.object.metadata.labels]).toEqual([
      'deleted',
      { by: 'another' },
    ]);
    expect((await get(`${PODS}/p`)).code).toBe(404);
  });

  it('is what a precondition of its version refuses, as it does before', async () => {
    const { del, get, object } = await givenOther(label);
    const { uid = '', resourceVersion = '' } = object.metadata;
    const marked = Number(resourceVersion) + 1;
    expect(await del(`${PODS}/p`, { preconditions: { uid, resourceVersion } })).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on pods "p": Precondition failed: ResourceVersion in ' +
        `precondition: ${String(marked)}, ResourceVersion in object meta: ${String(marked + 1)}`,
    });
    expect((await get(`${PODS}/p`)).object.metadata.deletionGracePeriodSeconds).toBe(0);
  });

  it('a delete of another server is what this one wanted', async () => {
    const { del, object, events } = await givenOther(() => 'deleted');
    const { code, object: shown } = await del(`${PODS}/p`);
    expect([code, shown.metadata.uid]).toEqual([200, object.metadata.uid]);
    expect(shown.metadata.deletionGracePeriodSeconds).toBe(0);
    expect(events().filter(({ type }) => type === 'modified')).toHaveLength(1);
  });

  it('a new pod of its name stays', async () => {
    const other = { ...pod('p'), metadata: { name: 'p', namespace: 'default', uid: 'other' } };
    const { del, get, object } = await givenOther(
      () => 'deleted',
      (one) => void Object.assign(one, other),
    );
    const { code, object: shown } = await del(`${PODS}/p`);
    expect([code, shown.metadata.uid]).toEqual([200, object.metadata.uid]);
    expect((await get(`${PODS}/p`)).object.metadata.uid).toBe('other');
  });

  it('a log that goes away leaves a pod that the next delete removes', async () => {
    const { post, del, get, log, events, context } = await given();
    await post(PODS, pod('p'));
    events();
    const append = log.append.bind(log);
    let count = 0;
    log.append = (proposed) => {
      count += 1;
      return count === 2 ? Promise.reject(new LogUnavailableError('gone')) : append(proposed);
    };
    expect((await del(`${PODS}/p`)).code).toBe(503);
    expect(context.slots.size).toBe(0);
    expect((await get(`${PODS}/p`)).object.metadata.deletionGracePeriodSeconds).toBe(0);
    log.append = append;
    expect((await del(`${PODS}/p`)).code).toBe(200);
    expect(events().map(({ type }) => type)).toEqual(['modified', 'deleted']);
    expect((await get(`${PODS}/p`)).code).toBe(404);
  });

  it('no other write of this server gets the pod', async () => {
    const { post, put, del, events } = await given();
    await post(PODS, pod('p'));
    events();
    const deleting = del(`${PODS}/p`);
    const changing = put(`${PODS}/p`, pod('p', {}, { labels: { by: 'another' } }));
    expect([(await deleting).code, (await changing).code]).toEqual([200, 404]);
    expect(events().map(({ type }) => type)).toEqual(['modified', 'deleted']);
  });
});
