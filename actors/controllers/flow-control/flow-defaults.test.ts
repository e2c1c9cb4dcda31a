import { describe, expect, it } from 'vitest';
import { items } from '../../../api/json/go-values.ts';
import { objectAt, type JsonObject } from '../../../api/json/json.ts';
import { givenControlPlane } from '../../registry/given-registry.fixture.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { ensureFlowDefaults } from './flow-defaults.ts';
import { startFlowSchemaStatus } from './flow-schema-status.ts';

const API = '/apis/flowcontrol.apiserver.k8s.io/v1';
const ANNOTATION = 'apf.kubernetes.io/autoupdate-spec';

describe('the default flow schemas and priority levels', () => {
  it('are made, and then left as they are', async () => {
    const plane = await givenControlPlane();
    await ensureFlowDefaults(plane);
    const schemas = await plane.get(`${API}/flowschemas`);
    const levels = await plane.get(`${API}/prioritylevelconfigurations`);
    expect(schemas.names).toHaveLength(11);
    expect(levels.names.toSorted()).toEqual([
      'catch-all',
      'exempt',
      'global-default',
      'leader-election',
      'node-high',
      'system',
      'workload-high',
      'workload-low',
    ]);

    const { object } = await plane.get(`${API}/flowschemas/catch-all`);
    const managers = items(object.metadata.managedFields).map(({ manager }) => manager);
    expect(managers).toEqual(['api-priority-and-fairness-config-producer-v1']);

    const { current } = plane.applied;
    await ensureFlowDefaults(plane);
    expect(plane.applied.current).toBe(current);
  });

  it('are put right, unless an operator has taken them over', async () => {
    const plane = await givenControlPlane();
    await ensureFlowDefaults(plane);
    const url = `${API}/prioritylevelconfigurations/workload-low`;
    const shares = async (): Promise<unknown> => {
      const spec = objectAt((await plane.get(url)).object, 'spec');
      return objectAt(spec, 'limited')?.['nominalConcurrencyShares'];
    };
    const change = { spec: { limited: { nominalConcurrencyShares: 7 } } };

    await plane.patch(url, 'merge', change);
    await ensureFlowDefaults(plane);
    expect(await shares()).toBe(100);

    const metadata = { annotations: { [ANNOTATION]: 'false' } };
    await plane.patch(url, 'merge', { metadata, ...change });
    await ensureFlowDefaults(plane);
    expect(await shares()).toBe(7);

    // Without the annotation, what was changed is the operator's as well.
    await plane.patch(url, 'merge', { metadata: { annotations: { [ANNOTATION]: null } } });
    await ensureFlowDefaults(plane);
    expect(await shares()).toBe(7);
    const { metadata: now } = (await plane.get(url)).object;
    expect(now.annotations?.[ANNOTATION]).toBe('false');
  });

  it('go where an older version had more of them', async () => {
    const plane = await givenControlPlane();
    const leftover = (name: string, annotations: JsonObject): JsonObject => ({
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name, annotations },
      spec: { priorityLevelConfiguration: { name: 'catch-all' } },
    });
    await plane.post(`${API}/flowschemas`, leftover('old', { [ANNOTATION]: 'true' }));
    await plane.post(`${API}/flowschemas`, leftover('mine', {}));
    await ensureFlowDefaults(plane);

    expect((await plane.get(`${API}/flowschemas/old`)).code).toBe(404);
    expect((await plane.get(`${API}/flowschemas/mine`)).code).toBe(200);
  });
});

describe('the status of flow schemas', () => {
  it('says whether the priority level is there', async () => {
    const plane = await givenControllers();
    await ensureFlowDefaults(plane);
    const status = await startFlowSchemaStatus(plane.parts);
    const dangling = async (): Promise<JsonObject | undefined> => {
      const { object } = await plane.get(`${API}/flowschemas/service-accounts`);
      const { conditions } = objectAt(object, 'status') ?? {};
      return Array.isArray(conditions) ? (conditions[0] as JsonObject) : undefined;
    };
    await plane.until('it is told', async () => (await dangling()) !== undefined);
    expect(await dangling()).toMatchObject({
      type: 'Dangling',
      status: 'False',
      reason: 'Found',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "workload-low" and it exists',
    });

    await plane.del(`${API}/prioritylevelconfigurations/workload-low`);
    await plane.until('it dangles', async () => (await dangling())?.['status'] === 'True');
    expect(await dangling()).toMatchObject({
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "workload-low" but there is no such object',
    });
    await status.stop();
  });

  it('is written six times in a minute at most where another server tells it otherwise', async () => {
    const plane = await givenControllers();
    await ensureFlowDefaults(plane);
    const status = await startFlowSchemaStatus(plane.parts);
    const url = `${API}/flowschemas/service-accounts`;
    const isOurs = async (): Promise<boolean> => {
      const { conditions } = objectAt((await plane.get(url)).object, 'status') ?? {};
      return JSON.stringify(conditions).includes('and it exists');
    };
    const times = [plane.clock.now()];
    for (let nth = 0; nth < 20; nth += 1) {
      const other = { type: 'Dangling', status: 'True', reason: 'Other', message: 'otherwise' };
      await plane.patch(`${url}/status`, 'merge', { status: { conditions: [other] } });
      await plane.until('it is told once more', isOurs);
      times.push(plane.clock.now());
    }
    for (const [at, time] of times.slice(6).entries()) {
      expect(time - (times[at] ?? 0)).toBeGreaterThanOrEqual(60_000);
    }
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(4 * 60_000);
    await status.stop();
  });
});
