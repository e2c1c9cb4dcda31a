import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { startClusterRoleAggregation } from './cluster-role-aggregation.ts';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const READ = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const WRITE = { verbs: ['create'], apiGroups: ['x.example.org'], resources: ['things'] };
const GATHERS = {
  metadata: { name: 'all' },
  aggregationRule: {
    clusterRoleSelectors: [
      { matchLabels: { 'to-all': 'true' } },
      { matchExpressions: [{ key: 'also', operator: 'Exists' }] },
    ],
  },
};

function role(name: string, labels: JsonObject, rules: JsonObject[]): JsonObject {
  return { metadata: { name, labels }, rules };
}

async function given() {
  const plane = await givenControllers();
  await plane.started(startClusterRoleAggregation);
  const isGathered = async (rules: readonly JsonObject[]): Promise<boolean> => {
    const found = await plane.find(`${ROLES}/all`);
    return JSON.stringify(found?.['rules'] ?? []) === JSON.stringify(rules);
  };
  return { ...plane, isGathered };
}

describe('the aggregation of cluster roles', () => {
  it('gathers each rule once, and follows every change', async () => {
    const { post, put, del, until, isGathered, problems } = await given();
    await post(ROLES, role('b', { 'to-all': 'true' }, [WRITE, READ]));
    await post(ROLES, role('a', { 'to-all': 'true' }, [READ]));
    await post(ROLES, GATHERS);
    await until('the rules are gathered', () => isGathered([READ, WRITE]));
    await post(ROLES, role('c', { also: '' }, [{ ...READ, verbs: ['list'] }]));
    await until('one more is', () => isGathered([READ, WRITE, { ...READ, verbs: ['list'] }]));
    await put(`${ROLES}/b`, role('b', {}, [WRITE]));
    await del(`${ROLES}/c`);
    await until('they are gone', () => isGathered([READ]));
    expect(problems).toEqual([]);
  });

  it('puts right what a user wrote into a role that gathers', async () => {
    const { post, until, isGathered } = await given();
    await post(ROLES, { ...GATHERS, rules: [WRITE] });
    await until('it has no rules of its own', () => isGathered([]));
  });

  it('stands aside', async () => {
    const { post, standAside, until, isGathered, started, parts } = await given();
    standAside(true);
    await post(ROLES, { ...GATHERS, rules: [WRITE] });
    expect(await isGathered([WRITE])).toBe(true);
    standAside(false);
    await started(() => startClusterRoleAggregation(parts));
    await until('it is looked at', () => isGathered([]));
  });
});
