/** Roles and bindings as a user left them, put right here and by Kubernetes' own reconciliation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { items } from '../../../api/json/go-values.ts';
import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import { anyRule } from '../../authorization/rbac/given-policy.fixture.ts';
import {
  AUTOUPDATE,
  bootstrapPolicy,
  type Reconciled,
  reconciledBinding,
  reconciledRole,
  type AnyRole,
} from './bootstrap-policy.ts';

const oracle = await goOracle('rbac');
const API = 'rbac.authorization.k8s.io';

interface Said {
  readonly operation: '' | 'None' | 'Update' | 'Recreate';
  readonly role?: JsonObject;
  readonly binding?: JsonObject;
  /** An annotation asks for it to be left alone: it is said what would be done, and nothing is. */
  readonly protected?: boolean;
  readonly error?: string;
}

const pairs = fc.dictionary(fc.constantFrom('a', 'b', 'c/d'), fc.constantFrom('', '1', '2'), {
  maxKeys: 2,
  noNullPrototype: true,
});
const metadata = fc
  .record({ labels: pairs, annotations: pairs, autoupdate: fc.constantFrom('', 'true', 'false') })
  .map(({ labels, annotations, autoupdate }) => ({
    name: 'one',
    labels,
    annotations: autoupdate === '' ? annotations : { ...annotations, [AUTOUPDATE]: autoupdate },
  }));
const selectors = fc.array(
  fc.record({ matchLabels: fc.record({ to: fc.constantFrom('view', 'edit', 'admin') }) }),
  { minLength: 1, maxLength: 2 },
);
const role = fc
  .record(
    {
      metadata,
      rules: fc.array(anyRule, { maxLength: 3 }),
      aggregationRule: fc.record({ clusterRoleSelectors: selectors }),
    },
    { requiredKeys: ['metadata', 'rules'] },
  )
  .map((one) => ({ kind: 'ClusterRole', apiVersion: `${API}/v1`, ...one }) as unknown as AnyRole); // Rules are.
const subject = fc.record({
  kind: fc.constantFrom('User', 'Group'),
  apiGroup: fc.constant(API),
  name: fc.constantFrom('jane', 'joe'),
});
const binding = fc
  .record({
    metadata,
    roleRef: fc.record({
      apiGroup: fc.constant(API),
      kind: fc.constant('ClusterRole'),
      name: fc.constantFrom('view', 'view', 'view', 'edit'),
    }),
    subjects: fc.array(subject, { maxLength: 3 }),
  })
  .map((one) => ({ kind: 'ClusterRoleBinding', apiVersion: `${API}/v1`, ...one }));

/** As Go writes it down: what is empty is left out, and types are known. */
function bare(object: unknown): unknown {
  return JSON.parse(JSON.stringify(object), (key, value: unknown) => {
    const isEmpty =
      typeof value === 'object' && value !== null && Object.keys(value).length === 0 && key !== '';
    return isEmpty || key === 'kind' || key === 'apiVersion' ? undefined : value;
  });
}

function compare(
  ours: Reconciled,
  said: Said | undefined,
  theirs: JsonObject | undefined,
  about: string,
): void {
  expect(said?.error).toBeUndefined();
  const isLeft = said?.operation === '' || said?.protected === true;
  const operation = isLeft ? 'None' : said?.operation;
  expect(ours.operation, about).toBe(operation?.toLowerCase());
  if (ours.operation !== 'none') expect(bare(ours.object), about).toEqual(bare(theirs));
}

/** A part of what is expected, or something of its own. */
function samplesOf<One>(one: fc.Arbitrary<One>, seed: number): readonly (readonly [One, One])[] {
  return fc.sample(fc.tuple(one, one), { numRuns: 1_000, seed });
}

describe.skipIf(oracle === undefined)('what has to be put right, beside Kubernetes', () => {
  it('is the same of 1,000 roles', () => {
    const asked = samplesOf(role, 11);
    const answers =
      oracle?.<Said>(
        asked.map(([existing, expected]) => ({ ask: 'reconcile', role: existing, expected })),
      ) ?? [];
    const operations = new Set<string>();
    for (const [at, [existing, expected]] of asked.entries()) {
      const ours = reconciledRole(existing, expected);
      operations.add(ours.operation);
      compare(ours, answers[at], answers[at]?.role, JSON.stringify([existing, expected]));
    }
    expect(operations).toEqual(new Set(['none', 'update']));
  });

  it('is the same of 1,000 bindings', () => {
    const asked = samplesOf(binding, 12);
    const answers =
      oracle?.<Said>(
        asked.map(([existing, expected]) => ({
          ask: 'reconcileBinding',
          binding: existing,
          expectedBinding: expected,
        })),
      ) ?? [];
    const operations = new Set<string>();
    for (const [at, [existing, expected]] of asked.entries()) {
      const ours = reconciledBinding(existing, expected);
      operations.add(ours.operation);
      compare(ours, answers[at], answers[at]?.binding, JSON.stringify([existing, expected]));
    }
    expect(operations).toEqual(new Set(['none', 'update', 'recreate']));
  });

  it('is nothing of any role of the bootstrap policy, and is what was taken away from it', () => {
    const roles = bootstrapPolicy().filter(({ kind }) => kind === 'ClusterRole') as AnyRole[]; // Ours.
    const asked = roles.flatMap((expected) => {
      return [expected, { ...expected, rules: items(expected.rules).slice(1) }].map(
        (existing) => [existing, expected] as const,
      );
    });
    const answers =
      oracle?.<Said>(
        asked.map(([existing, expected]) => ({ ask: 'reconcile', role: existing, expected })),
      ) ?? [];
    for (const [at, [existing, expected]] of asked.entries()) {
      compare(
        reconciledRole(existing, expected),
        answers[at],
        answers[at]?.role,
        existing.metadata.name ?? '',
      );
    }
    expect(asked.length).toBeGreaterThan(100);
  });
});
