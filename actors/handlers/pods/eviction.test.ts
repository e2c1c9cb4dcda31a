import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { pod } from '../../registry/given-registry.fixture.ts';
import { givenVirtual, type MadeUp, notingPlugins } from '../given-virtual.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const EVICTION = `${PODS}/a/eviction`;
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const LABELS = { app: 'web' };
const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const UNREADY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };

function eviction(deleteOptions?: JsonObject): JsonObject {
  return {
    kind: 'Eviction',
    apiVersion: 'policy/v1',
    metadata: { name: 'a' },
    ...(deleteOptions === undefined ? {} : { deleteOptions }),
  };
}

/** A pod `a` on a node, and what its status says. */
async function given(status: JsonObject = READY, madeUp: MadeUp = {}) {
  const virtual = await givenVirtual(madeUp);
  const { plane } = virtual;
  const made = await plane.post(PODS, pod('a', { nodeName: 'n1' }, { labels: LABELS }));
  const set = await plane.put(`${PODS}/a/status`, { ...made.object, status });
  expect(set.code).toBe(200);
  return {
    ...virtual,
    uid: made.object.metadata.uid ?? '',
    now: () => plane.get(`${PODS}/a`),
    budget: async (name: string, budgetStatus: JsonObject = {}, spec: JsonObject = {}) => {
      const body = { metadata: { name }, spec: { selector: { matchLabels: LABELS }, ...spec } };
      const budget = await plane.post(BUDGETS, body);
      const full = { ...COUNTS, observedGeneration: 1, ...budgetStatus };
      const put = await plane.put(`${BUDGETS}/${name}/status`, { ...budget.object, status: full });
      expect(put.code).toBe(200);
    },
    statusOf: async (name: string) => (await plane.get(`${BUDGETS}/${name}`)).object['status'],
  };
}

const COUNTS = { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };

describe('evicting a pod', () => {
  it('marks and deletes it where no budget guards it', async () => {
    const { post, now } = await given();
    const said = await post(EVICTION, eviction({ gracePeriodSeconds: 7 }));
    expect(said).toMatchObject({ code: 201, body: { status: 'Success', code: 201 } });
    expect((await now()).object).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 7 },
      status: {
        conditions: [
          { type: 'Ready' },
          {
            type: 'DisruptionTarget',
            status: 'True',
            reason: 'EvictionByEvictionAPI',
            message: 'Eviction API: evicting',
          },
        ],
      },
    });
  });

  it('passes admission once, as an eviction', async () => {
    const asked: string[] = [];
    const { post, now } = await given(READY, { plugins: notingPlugins(asked) });
    asked.length = 0;
    expect(await post(EVICTION, eviction({ gracePeriodSeconds: 7 }))).toMatchObject({ code: 201 });
    expect((await now()).object.metadata).toMatchObject({ deletionGracePeriodSeconds: 7 });
    expect(asked).toEqual(['mutate CREATE eviction', 'validate CREATE eviction']);
  });

  it('takes the older version of the request', async () => {
    const { post } = await given();
    const older = { ...eviction(), apiVersion: 'policy/v1beta1' };
    expect(await post(EVICTION, older)).toMatchObject({ code: 201 });
    const wrong = { ...eviction(), apiVersion: 'policy/v2' };
    expect(await post(EVICTION, wrong)).toMatchObject({ code: 400 });
  });

  it('is counted by the budget', async () => {
    const { post, now, budget, statusOf } = await given();
    await budget('b', { disruptionsAllowed: 2 });
    expect(await post(EVICTION, eviction())).toMatchObject({ code: 201 });
    expect(await statusOf('b')).toMatchObject({
      disruptionsAllowed: 1,
      disruptedPods: { a: expect.stringMatching(/^\d{4}-/) as string },
    });
    expect((await now()).object.metadata.deletionTimestamp).toBeDefined();
  });

  it('tells when it was the last one allowed', async () => {
    const { post, budget, statusOf } = await given();
    const since = '2020-01-01T00:00:00Z';
    const condition = { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' };
    await budget('b', { conditions: [{ ...condition, lastTransitionTime: since, message: '' }] });
    await post(EVICTION, eviction());
    expect(await statusOf('b')).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
    expect(JSON.stringify(await statusOf('b'))).not.toContain(since);
  });

  it('leaves everything as it is in a dry run, in whichever place that is said', async () => {
    const { post, now, budget, statusOf } = await given();
    await budget('b');
    const before = await now();
    for (const [url, body] of [
      [`${EVICTION}?dryRun=All`, eviction()],
      [EVICTION, eviction({ dryRun: ['All'] })],
      [`${EVICTION}?dryRun=All`, eviction({ dryRun: ['All'] })],
    ] as const) {
      expect(await post(url, body)).toMatchObject({ code: 201 });
    }
    expect((await now()).object).toEqual(before.object);
    expect(await statusOf('b')).toEqual({ ...COUNTS, observedGeneration: 1 });
    expect(
      await post(`${EVICTION}?dryRun=All`, eviction({ dryRun: ['All', 'All'] })),
    ).toMatchObject({
      code: 500,
      message: 'Non-matching dry-run options in request and content: [All] and [All All]',
    });
  });

  it('is refused where the budget allows none', async () => {
    const { post, now, budget } = await given();
    await budget('b', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 });
    const said = await post(EVICTION, eviction());
    expect(said).toMatchObject({ code: 429, body: { reason: 'TooManyRequests' } });
    expect(said.message).toBe("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(said.body['details']).toEqual({
      causes: [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget b needs 1 healthy pods and has 1 currently',
        },
      ],
    });
    const metadata = (await now()).object.metadata;
    expect(metadata.deletionTimestamp).toBeUndefined();
  });

  it('is put off while the budget is behind', async () => {
    const { post, budget } = await given();
    await budget('b', { observedGeneration: 0 });
    const said = await post(EVICTION, eviction());
    expect(said).toMatchObject({ code: 429 });
    expect(said.body['details']).toEqual({
      causes: [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget b is still being processed by the server.',
        },
      ],
      retryAfterSeconds: 10,
    });
  });

  it('knows no two budgets for one pod, and says so as upstream does', async () => {
    const { post, budget } = await given();
    await budget('b');
    await budget('c');
    const said = await post(EVICTION, eviction());
    expect(said).toMatchObject({ code: 201, body: { status: 'Failure', code: 500 } });
  });

  it('does not ask budgets of other pods', async () => {
    const { post, budget, statusOf } = await given();
    await budget('b', { disruptionsAllowed: 0 }, { selector: { matchLabels: { app: 'db' } } });
    await budget('none', { disruptionsAllowed: 0 }, { selector: null });
    expect(await post(EVICTION, eviction())).toMatchObject({ code: 201 });
    expect(await statusOf('b')).not.toHaveProperty('disruptedPods');
  });

  it.each(['Pending', 'Succeeded', 'Failed'])('does not guard a pod that is %s', async (phase) => {
    const { post, budget } = await given({ phase });
    await budget('b', { disruptionsAllowed: 0 });
    expect(await post(EVICTION, eviction())).toMatchObject({ code: 201 });
  });

  it.each([
    ['AlwaysAllow', 0, 0, 201],
    ['IfHealthyBudget', 2, 2, 201],
    ['IfHealthyBudget', 1, 2, 429],
    ['IfHealthyBudget', 0, 0, 429],
  ])('of an unready pod: %s with %i of %i', async (policy, current, desired, code) => {
    const { post, budget, statusOf } = await given(UNREADY);
    const counts = { disruptionsAllowed: 0, currentHealthy: current, desiredHealthy: desired };
    await budget('b', counts, { unhealthyPodEvictionPolicy: policy });
    expect(await post(EVICTION, eviction())).toMatchObject({ code });
    expect(await statusOf('b')).not.toHaveProperty('disruptedPods');
  });

  it('holds to its preconditions', async () => {
    const { post, uid, now } = await given();
    const said = await post(EVICTION, eviction({ preconditions: { uid: 'x' } }));
    expect(said).toMatchObject({ code: 409 });
    expect(said.message).toBe(
      `Operation cannot be fulfilled on Pod "a": the UID in the precondition (x) does not match ` +
        `the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
    expect(JSON.stringify((await now()).object)).not.toContain('DisruptionTarget');
    const { resourceVersion = '' } = (await now()).object.metadata;
    const right = { preconditions: { uid, resourceVersion } };
    expect(await post(EVICTION, eviction(right))).toMatchObject({ code: 201 });
  });

  it('of a waiting pod starts again when another client changes it meanwhile', async () => {
    const { post, plane, now } = await given({ phase: 'Pending' });
    const answer = post(EVICTION, eviction());
    await plane.elsewhere('core/pods', 'default/a', (object) => {
      object.metadata.labels = { app: 'other' };
      return undefined;
    });
    expect(await answer).toMatchObject({ code: 201 });
    expect((await now()).object.metadata.labels).toEqual({ app: 'other' });
  });

  it('of a waiting pod asks the budget when the pod has become ready meanwhile', async () => {
    const { post, plane, budget } = await given({ phase: 'Pending' });
    await budget('b', { disruptionsAllowed: 0 });
    const answer = post(EVICTION, eviction());
    await plane.elsewhere('core/pods', 'default/a', (object) => {
      object['status'] = READY;
      return undefined;
    });
    expect(await answer).toMatchObject({ code: 429 });
  });

  it('of an unready pod is put off when the pod has changed meanwhile', async () => {
    const { post, plane, budget, now } = await given(UNREADY);
    await budget('b', { currentHealthy: 1 });
    const answer = post(EVICTION, eviction());
    await plane.elsewhere('core/pods', 'default/a', (object) => {
      object['status'] = READY;
      return undefined;
    });
    const said = await answer;
    expect(said).toMatchObject({ code: 429, body: { details: { retryAfterSeconds: 10 } } });
    expect((await now()).object.metadata.deletionTimestamp).toBeUndefined();
  });

  it.each<[JsonObject, number, string]>([
    [
      { ...eviction(), metadata: { name: 'b' } },
      400,
      'name in URL does not match name in Eviction object',
    ],
    [
      eviction({ ignoreStoreReadErrorWithClusterBreakingPotential: true }),
      422,
      'Eviction.policy "a" is invalid: ' +
        'deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: ' +
        'can not be set for pod eviction, try after removing the option',
    ],
  ])('refuses %j', async (body, code, message) => {
    const { post } = await given();
    expect(await post(EVICTION, body)).toMatchObject({ code, message });
  });

  it('needs the pod', async () => {
    const { post } = await givenVirtual();
    expect(await post(EVICTION, eviction())).toMatchObject({
      code: 404,
      message: 'pods "a" not found',
    });
  });
});
