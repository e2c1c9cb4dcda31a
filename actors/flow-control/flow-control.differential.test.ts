/** Matching, sharing out seats, widths of requests and the default objects, beside upstream's own. */
import { describe, expect, it } from 'vitest';
import type { FlowSchema } from '../../api/generated/kinds/flowcontrol-v1.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import {
  goOracle,
  oneOf,
  seededDice,
  several,
  type Dice,
} from '../../api/patch/go-oracle.fixture.ts';
import { resolveRequestInfo } from '../request/request-info.ts';
import type { RequestInfo } from '../request/request.ts';
import { defaultObjects } from './default-objects.ts';
import { compileFlowSchema } from './flow-schema.ts';
import { allocateSeats } from './concurrency-limits.ts';
import { estimateWork } from './work-estimator.ts';

const oracle = await goOracle('fair-queue');

const NAMES = [
  '*',
  'jane',
  'system:serviceaccount:shop:web',
  'system:serviceaccount:shop:',
  'kube',
] as const;
const GROUPS = ['*', 'system:masters', 'system:authenticated', 'ops'] as const;
const NAMESPACES = ['*', 'shop', 'kube-system', ''] as const;
const VERBS = ['*', 'get', 'list', 'watch', 'create'] as const;
const API_GROUPS = ['*', '', 'apps'] as const;
const RESOURCES = ['*', 'pods', 'pods/status', 'deployments'] as const;
const PATHS = ['*', '/', '/healthz', '/healthz/*', '/apis', '/apis/*', '/metrics'] as const;

function subject(dice: Dice): JsonObject {
  switch (dice(4)) {
    case 0:
      return { kind: 'User', user: { name: oneOf(dice, NAMES) } };
    case 1:
      return { kind: 'Group', group: { name: oneOf(dice, GROUPS) } };
    case 2:
      return {
        kind: 'ServiceAccount',
        serviceAccount: {
          namespace: oneOf(dice, ['shop', 'kube-system']),
          name: oneOf(dice, ['*', 'web', 'x']),
        },
      };
    default:
      // What contradicts itself is for no user.
      return { kind: oneOf(dice, ['User', 'Group', 'ServiceAccount', 'Robot']) };
  }
}

function flowSchema(dice: Dice): JsonObject {
  const rule = (): JsonObject => ({
    subjects: several(dice, [0, 4], () => subject(dice)),
    resourceRules: several(dice, [0, 4], () => ({
      verbs: several(dice, [1, 3], () => oneOf(dice, VERBS)),
      apiGroups: several(dice, [1, 3], () => oneOf(dice, API_GROUPS)),
      resources: several(dice, [1, 3], () => oneOf(dice, RESOURCES)),
      clusterScope: dice(2) === 0,
      namespaces: several(dice, [0, 2], () => oneOf(dice, NAMESPACES)),
    })),
    nonResourceRules: several(dice, [0, 4], () => ({
      verbs: several(dice, [1, 3], () => oneOf(dice, VERBS)),
      nonResourceURLs: several(dice, [1, 3], () => oneOf(dice, PATHS)),
    })),
  });
  return {
    metadata: { name: 'schema' },
    spec: {
      priorityLevelConfiguration: { name: 'level' },
      matchingPrecedence: 1,
      rules: several(dice, [1, 2], rule),
    },
  };
}

function digest(dice: Dice) {
  const isResourceRequest = dice(3) > 0;
  const resource = { apiGroup: '', resource: '', subresource: '', namespace: '' };
  return {
    user: {
      name: oneOf(dice, [
        ...NAMES,
        'system:serviceaccount:shop:x',
        'system:serviceaccount:shopping:web',
      ]),
      groups: several(dice, [0, 3], () => oneOf(dice, GROUPS)),
    },
    info: {
      isResourceRequest,
      verb: oneOf(dice, ['get', 'list', 'watch', 'create', 'delete']),
      path: oneOf(dice, [
        '/',
        '/healthz',
        '/healthz/ping',
        '/healthzz',
        '/apis/apps',
        '/metrics/x',
      ]),
      ...resource,
      ...(isResourceRequest
        ? {
            apiGroup: oneOf(dice, ['', 'apps']),
            resource: oneOf(dice, ['pods', 'deployments']),
            subresource: oneOf(dice, ['', '', 'status']),
            namespace: oneOf(dice, ['', 'shop', 'kube-system']),
          }
        : {}),
    },
  };
}

const MATCHES = 12_000;

describe.skipIf(oracle === undefined)('flow control, beside upstream', () => {
  it(`agrees on which requests ${String(MATCHES)} flow schemas are for`, () => {
    const dice = seededDice(1);
    const cases = Array.from({ length: MATCHES }, () => ({
      schema: flowSchema(dice),
      ...digest(dice),
    }));
    const answers = oracle?.<{ matches: boolean }>(
      cases.map(({ schema, user, info }) => ({
        do: 'match',
        flowSchema: schema,
        user,
        info: Object.fromEntries(
          Object.entries(info).map(([key, value]) => [key.replace('api', 'API'), value]),
        ),
      })),
    );
    let matching = 0;
    for (const [at, { schema, user, info }] of cases.entries()) {
      const ours = compileFlowSchema(schema as ObjectOf<FlowSchema>).matches(user, info);
      expect(ours, JSON.stringify({ schema, user, info })).toBe(answers?.[at]?.matches);
      if (ours) matching += 1;
    }
    expect(matching).toBeGreaterThan(MATCHES / 20);
  });

  it('shares seats out alike', () => {
    const dice = seededDice(2);
    const problems = Array.from({ length: 3_000 }, () => {
      const classes = several(dice, [1, 8], () => {
        const lower = dice(60);
        const upper = lower + dice(oneOf(dice, [1, 50, 600]));
        return { lower, upper, target: lower + dice(4_000) / 32 };
      });
      const low = classes.reduce((sum, { lower }) => sum + lower, 0);
      const high = classes.reduce((sum, { upper }) => sum + upper, 0);
      const sum = dice(12) === 0 ? dice(1_000) : low + dice(high - low + 1);
      return { sum, classes };
    });
    const answers = oracle?.<{ seats?: number[]; fair?: number; error?: string }>(
      problems.map((problem) => ({ do: 'allocate', ...problem })),
    );
    for (const [at, { sum, classes }] of problems.entries()) {
      const theirs = answers?.[at];
      const ours = allocateSeats(sum, classes);
      expect(ours === undefined, theirs?.error).toBe(theirs?.error !== undefined);
      if (ours === undefined) continue;
      for (const [which, seats] of ours.seats.entries()) {
        expect(seats, JSON.stringify({ sum, classes })).toBeCloseTo(
          theirs?.seats?.[which] ?? -1,
          6,
        );
      }
    }
  });

  it('takes requests to be as wide', () => {
    const dice = seededDice(3);
    const cases = Array.from({ length: 3_000 }, () => asked(dice));
    const answers = oracle?.<object>(cases.map((one) => ({ do: 'estimate', ...one })));
    for (const [at, one] of cases.entries()) {
      const [path = '', query = ''] = one.url.split('?');
      const info: RequestInfo = resolveRequestInfo(one.method, path, query);
      const { work } = estimateWork(
        {
          statsOf: () => ({ count: one.count, averageBytes: one.sizeBytes }),
          watchesOf: () => one.watches,
        },
        { info, query, seatsMax: one.seatsMax },
      );
      expect(work, JSON.stringify(one)).toEqual(answers?.[at]);
    }
  });

  it('has the default objects that upstream makes', () => {
    type Objects = Record<'levels' | 'schemas', JsonObject[]>;
    const [theirs] =
      oracle?.<Record<'mandatory' | 'suggested', Objects>>([{ do: 'defaults' }]) ?? [];
    const ours = defaultObjects();
    for (const which of ['mandatory', 'suggested'] as const) {
      for (const sort of ['levels', 'schemas'] as const) {
        const shown = (objects: readonly JsonObject[] | undefined) =>
          objects?.map(({ metadata, spec }) => ({ metadata, spec }));
        expect(shown(ours[which][sort])).toEqual(shown(theirs?.[which][sort]));
      }
    }
  });
});

function asked(dice: Dice) {
  const terms = several(dice, [0, 3], () =>
    oneOf(dice, [
      'limit=10',
      'limit=500',
      'limit=many',
      'continue=next',
      'resourceVersionMatch=Exact',
      'resourceVersionMatch=NotOlderThan',
      'sendInitialEvents=true',
      'fieldSelector=metadata.name%3Da',
      'fieldSelector=spec.nodeName%3Da',
      'labelSelector=app%3Dweb',
      'watch=1',
    ]),
  );
  // Without a version upstream asks its store whether it has such reads at all.
  terms.push(oneOf(dice, ['resourceVersion=0', 'resourceVersion=17']));
  const path = oneOf(dice, [
    '/api/v1/pods',
    '/api/v1/namespaces/shop/pods',
    '/api/v1/namespaces/shop/pods/web',
    '/api/v1/namespaces/shop/serviceaccounts/web/token',
    '/apis/apps/v1/deployments',
    '/version',
  ]);
  return {
    method: oneOf(dice, ['GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    url: `${path}?${terms.join('&')}`,
    count: dice(oneOf(dice, [3, 100, 20_000])),
    sizeBytes: dice(3) === 0 ? 0 : dice(40_000),
    watches: dice(oneOf(dice, [5, 30, 3_000])),
    seatsMax: dice(14),
  };
}
