/** What objects use of quotas, and whether they fit, by us and by Kubernetes' own evaluators. */
import type { KubeObject } from '../meta/object-meta.ts';
import { describe, expect, it } from 'vitest';
import type { ScopedResourceSelectorRequirement } from '../generated/kinds/core-v1.ts';
import type { JsonObject } from '../json/json.ts';
import { decodedAs } from '../kinds/kind.ts';
import { addQuantities, compareQuantities, type Quantity } from '../meta/quantity.ts';
import { goOracle, oneOf, seededDice, type Dice } from '../patch/go-oracle.fixture.ts';
import { amountsIn, type Amounts } from './amounts.ts';
import {
  AMOUNTS,
  amounts,
  inItsType,
  object,
  PLURALS,
  RESOURCES,
  type Plural,
} from './counted-objects.fixture.ts';
import { QuotaEvaluators, type QuotaEvaluator } from './evaluators.ts';
import { checkQuotas, type CheckedQuota } from './quota-check.ts';
import { selectorOf, selectorsOf } from './quota-scopes.ts';

const oracle = await goOracle('quota');
const CASES = 6_000;
/** Behind everything, so that what is being deleted has expired. */
const NOW = Date.now();

const HARD: Readonly<Record<Plural, readonly string[]>> = {
  pods: [
    ...['pods', 'count/pods', 'cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu'],
    ...['limits.memory', 'ephemeral-storage', 'hugepages-2Mi', 'requests.hugepages-2Mi'],
    ...['requests.example.com/gpu', 'requests.deviceclass.resource.kubernetes.io/fast'],
  ],
  services: ['services', 'count/services', 'services.nodeports', 'services.loadbalancers'],
  persistentvolumeclaims: [
    ...['persistentvolumeclaims', 'count/persistentvolumeclaims', 'requests.storage'],
    'gold.storageclass.storage.k8s.io/requests.storage',
    'gold.storageclass.storage.k8s.io/persistentvolumeclaims',
  ],
  resourceclaims: [
    ...['count/resourceclaims.resource.k8s.io', 'fast.deviceclass.resource.k8s.io/devices'],
    'requests.deviceclass.resource.kubernetes.io/slow',
  ],
  configmaps: ['configmaps', 'count/configmaps'],
  deployments: ['count/deployments.apps'],
};

const SCOPES: readonly string[] = [
  ...['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity'],
  ...['PriorityClass', 'VolumeAttributesClass'],
];

type Requirement = ScopedResourceSelectorRequirement;

function requirement(dice: Dice): Requirement {
  const scopeName = oneOf(dice, SCOPES as [string, ...string[]]);
  const operator = oneOf(dice, ['Exists', 'In', 'NotIn', 'DoesNotExist']);
  const hasValues = operator === 'In' || operator === 'NotIn';
  return { scopeName, operator, ...(hasValues && { values: [oneOf(dice, ['high', 'gold'])] }) };
}

function quota(dice: Dice, plural: Plural, name: string): JsonObject {
  const hard = amounts(dice, [...HARD[plural], ...HARD[plural], 'secrets'], 4);
  // Enough for something to fit in.
  for (const key of Object.keys(hard)) if (dice(2) === 0) hard[key] = oneOf(dice, ['50', '20Gi']);
  const used = Object.fromEntries(Object.keys(hard).map((key) => [key, oneOf(dice, AMOUNTS)]));
  const scopes = dice(3) === 0 ? { scopes: [oneOf(dice, SCOPES as [string, ...string[]])] } : {};
  const selector =
    dice(4) === 0 ? { scopeSelector: { matchExpressions: [requirement(dice)] } } : {};
  return { metadata: { name }, spec: { hard, ...scopes, ...selector }, status: { hard, used } };
}

interface Case {
  readonly plural: Plural;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly subresource: string;
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
  readonly quotas: readonly JsonObject[];
  readonly limited: readonly JsonObject[];
}

const GROUPS: Readonly<Partial<Record<Plural, string>>> = {
  resourceclaims: 'resource.k8s.io',
  deployments: 'apps',
};

function writeCase(dice: Dice): Case {
  const plural = oneOf(dice, PLURALS);
  const isUpdate = dice(3) === 0;
  const sub = plural === 'pods' ? 'resize' : plural === 'persistentvolumeclaims' ? 'status' : '';
  const old = isUpdate ? object(dice, plural) : undefined;
  if (old !== undefined)
    old['metadata'] = { ...(old['metadata'] as JsonObject), resourceVersion: '7' };
  return {
    plural,
    operation: isUpdate ? 'UPDATE' : 'CREATE',
    subresource: isUpdate && dice(2) === 0 ? sub : '',
    object: object(dice, plural),
    old,
    quotas: Array.from({ length: dice(3) }, (_, index) => quota(dice, plural, `q${String(index)}`)),
    limited:
      dice(3) > 0
        ? []
        : [
            {
              apiGroup: GROUPS[plural] ?? '',
              resource: plural,
              MatchContains: [oneOf(dice, HARD[plural] as [string, ...string[]])],
              ...(dice(2) === 0 && { matchScopes: [requirement(dice)] }),
            },
          ],
  };
}

/** What device classes and pods change of claims is compared where they are known. */
const EVALUATORS = new QuotaEvaluators({
  extendedNameOf: () => undefined,
  isOfClass: () => false,
  podOf: () => undefined,
});

function evaluatorFor(plural: Plural): QuotaEvaluator {
  const evaluator = EVALUATORS.of(RESOURCES[plural]);
  if (evaluator === undefined) throw new Error(`no evaluator counts ${plural}`);
  return evaluator;
}

function checkedQuota(one: JsonObject): CheckedQuota {
  const quota = decodedAs('io.k8s.api.core.v1.ResourceQuota', one);
  if (quota === undefined) throw new Error('this is no quota');
  const { metadata, spec, status } = quota;
  return {
    name: metadata.name ?? '',
    hard: amountsIn(spec.hard),
    selectors: selectorsOf(quota),
    used: () => amountsIn(status.used),
  };
}

/** The message as the oracle gives it, which stands in front of every refusal. */
function ours({ plural, operation, subresource, object: now, old, quotas, limited }: Case) {
  const evaluator = evaluatorFor(plural);
  const resource = RESOURCES[plural];
  const object = inItsType(plural, now);
  const oldObject = old && inItsType(plural, old);
  const usageOf = (one: KubeObject) => evaluator.usage(one, NOW);
  const write = { operation, subresource, object, oldObject, resource, usageOf };
  if (!evaluator.mayHandle(operation, subresource)) return { problem: '', isCharged: false };
  const limits = limited.map((one) => ({
    resource: RESOURCES[plural],
    matchContains: one['MatchContains'] as string[],
    matchScopes: ((one['matchScopes'] ?? []) as Requirement[]).map(selectorOf),
  }));
  const verdict = checkQuotas(evaluator, write, quotas.map(checkedQuota), limits);
  if (verdict.ok) return { problem: '', isCharged: verdict.charged.length > 0 };
  const { group, name } = aboutOf(plural, now);
  const front = `${plural}${group} "${name}" is forbidden: `;
  return { problem: (verdict.isForbidden ? front : '') + verdict.why, isCharged: false };
}

function aboutOf(plural: Plural, now: JsonObject) {
  const named = GROUPS[plural];
  const group = named === undefined ? '' : `.${named}`;
  return { group, name: (now['metadata'] as JsonObject)['name'] as string };
}

function shown(list: Amounts): string {
  return [...list]
    .filter(([, amount]) => amount.unscaled !== 0n)
    .map(([name, amount]) => `${name}=${plain(amount)}`)
    .sort()
    .join();
}

/** Whatever it is written as. */
function plain(amount: Quantity): string {
  return addQuantities({ unscaled: 0n, exponent: 0, format: 'DecimalSI', text: '0' }, amount).text;
}

describe.skipIf(oracle === undefined)('quotas', () => {
  it('count of objects what Kubernetes counts', () => {
    if (oracle === undefined) return;
    const dice = seededDice(5);
    const cases = Array.from({ length: CASES }, () => {
      const plural = oneOf(dice, PLURALS);
      return { plural, object: object(dice, plural) };
    });
    const answers = oracle<{ usage?: JsonObject; problem: string }>(
      cases.map((one) => ({ do: 'usage', resource: one.plural, object: one.object })),
    );
    const wrong = cases.flatMap((one, index) => {
      const mine = shown(evaluatorFor(one.plural).usage(inItsType(one.plural, one.object), NOW));
      const { usage, problem = '' } = answers[index] ?? {};
      const theirs = shown(amountsIn(usage));
      return mine === theirs && problem === '' ? [] : [{ mine, theirs, problem, ...one }];
    });
    expect(wrong.slice(0, 2)).toEqual([]);
  });

  it('refuse what Kubernetes refuses, in its words, and charge what it charges', () => {
    if (oracle === undefined) return;
    const dice = seededDice(7);
    const cases = Array.from({ length: CASES }, () => writeCase(dice));
    const answers = oracle<{ problem: string; used?: Readonly<Record<string, JsonObject>> }>(
      cases.map(({ plural, ...one }) => ({ do: 'check', resource: plural, ...one })),
    );
    const counts = { refused: 0, charged: 0 };
    const wrong = cases.flatMap((one, index) => {
      const mine = ours(one);
      const { problem, used = {} } = answers[index] ?? { problem: 'none' };
      const isCharged = one.quotas.some((quotaThen) => {
        const { name, used: before } = checkedQuota(quotaThen);
        return isMore(amountsIn(used[name]), before());
      });
      if (problem !== '') counts.refused += 1;
      if (isCharged && problem === '') counts.charged += 1;
      const isSame = mine.problem === problem && (problem !== '' || mine.isCharged === isCharged);
      return isSame ? [] : [{ mine, theirs: { problem, isCharged } }];
    });
    expect(wrong.slice(0, 12).map((one) => JSON.stringify(one))).toEqual([]);
    expect(counts.refused).toBeGreaterThan(CASES / 10);
    expect(counts.charged).toBeGreaterThan(CASES / 20);
  });
});

function isMore(now: Amounts, before: Amounts): boolean {
  return [...now].some(([name, amount]) => {
    const old = before.get(name);
    return old === undefined || compareQuantities(amount, old) > 0;
  });
}
