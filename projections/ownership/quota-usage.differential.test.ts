/** How much of quotas for devices is used, by us and as kube-controller-manager would count it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemsAt, objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import { amountsIn } from '../../api/quota/amounts.ts';
import { checkQuotas } from '../../api/quota/quota-check.ts';
import { goOracle } from '../../api/patch/go-oracle.fixture.ts';
import type { ObjectView } from '../objects/object-view.ts';
import { inItsType } from '../../api/quota/counted-objects.fixture.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { parsedObject } from '../objects/stored-object.ts';
import {
  CLAIMS,
  CLASSES,
  deviceStep,
  NAMES,
  newClaim,
  playedDevices,
  PODS,
  QUOTAS,
  shownAmounts,
} from './quota-world.fixture.ts';

const oracle = await goOracle('quota');
const CASES = 200;
const NAMESPACE = 'a';
/** As the program has it. */
const NOW = Date.now();

interface Told {
  readonly problem: string;
  readonly used?: Readonly<Record<string, JsonObject>>;
  readonly claims?: Readonly<Record<string, JsonObject>>;
}

function thereIs(objects: ObjectView, resource: string, namespace: string): KubeObject[] {
  return [...objects.of(resource).inOrder(namespace)].map(parsedObject);
}

/** Of two classes that stand for the same, upstream counts a claim for both by the one or the other. */
function isDecidedByChance(claim: JsonObject, classes: readonly JsonObject[]): boolean {
  const requests = itemsAt(objectAt(objectAt(claim, 'spec'), 'devices'), 'requests');
  const asked = requests.flatMap((one) => [
    stringAt(objectAt(one, 'exactly'), 'deviceClassName'),
    ...itemsAt(one, 'firstAvailable').map((choice) => stringAt(choice, 'deviceClassName')),
  ]);
  const names = classes
    .filter((one) => asked.includes(nameIn(one)))
    .map((one) => stringAt(objectAt(one, 'spec'), 'extendedResourceName'))
    .filter((name) => name !== '');
  return new Set(names).size < names.length;
}

function cases() {
  const played = fc.record({
    steps: fc.array(deviceStep, { minLength: 5, maxLength: 30 }),
    coming: newClaim,
  });
  return fc.sample(played, { seed: 17, numRuns: CASES }).flatMap(({ steps, coming }) => {
    const { objects, usage } = playedDevices(steps, NOW);
    const classes = thereIs(objects, CLASSES, '');
    const claims = thereIs(objects, CLAIMS, NAMESPACE);
    if ([coming, ...claims].some((claim) => isDecidedByChance(claim, classes))) return [];
    const pods = thereIs(objects, PODS, NAMESPACE);
    const quotas = thereIs(objects, QUOTAS, NAMESPACE);
    return [{ question: { classes, pods, claims, quotas }, usage, coming }];
  });
}

type Case = ReturnType<typeof cases>[number];
type Used = Readonly<Record<string, JsonObject>>;

/** As the program is asked whether one more claim fits: by what the status of the quotas says. */
function coming({ question, coming: object }: Case, used: Used) {
  const quotas = question.quotas.map((quota) => ({
    ...quota,
    status: { hard: objectAt(objectAt(quota, 'spec'), 'hard'), used: used[nameIn(quota)] },
  }));
  return {
    do: 'check',
    resource: 'resourceclaims',
    operation: 'CREATE',
    object,
    ...question,
    quotas,
  };
}

function ours({ usage, coming: object }: Case) {
  const evaluator = usage.evaluators.of(CLAIMS);
  if (evaluator === undefined) throw new Error('no evaluator counts claims');
  const create = { operation: 'CREATE', subresource: '', oldObject: undefined } as const;
  const write = {
    ...create,
    object: inItsType('resourceclaims', object),
    resource: CLAIMS,
    usageOf: (claim: KubeObject) => evaluator.usage(claim, NOW),
  };
  const quotas = usage.quotasOf(NAMESPACE, CLAIMS, NOW);
  const verdict = checkQuotas(evaluator, write, quotas, []);
  return verdict.ok ? '' : `resourceclaims.resource.k8s.io "new" is forbidden: ${verdict.why}`;
}

describe.skipIf(oracle === undefined)('quotas for devices', () => {
  it('count of pods and claims what Kubernetes counts, and admit what it admits', () => {
    if (oracle === undefined) return;
    const asked = cases();
    const answers = oracle<Told>(asked.map(({ question }) => ({ do: 'count', ...question })));
    const counts = { figures: 0, claims: 0, spared: 0, admitted: 0, refused: 0 };
    const wrong = asked.flatMap(({ question, usage }, index) => {
      const { problem, used = {}, claims = {} } = answers[index] ?? { problem: 'none' };
      const theirs = NAMES.map((name) => shownAmounts(nothingOr(used[name])));
      const mine = NAMES.map((name) => shownAmounts(usage.usedOf(NAMESPACE, name, NOW)));
      const evaluator = usage.evaluators.of(CLAIMS);
      for (const claim of question.claims) {
        theirs.push(shownAmounts(nothingOr(claims[nameIn(claim)])));
        mine.push(shownAmounts(evaluator?.usage(claim, NOW)));
        counts.claims += 1;
        if (isSpared(claims[nameIn(claim)])) counts.spared += 1;
      }
      counts.figures += Object.keys(used).length;
      const isSame = problem === '' && JSON.stringify(mine) === JSON.stringify(theirs);
      return isSame ? [] : [{ mine, theirs, problem, question }];
    });
    expect(wrong.slice(0, 2).map((one) => JSON.stringify(one))).toEqual([]);
    const checks = oracle<Told>(asked.map((one, index) => coming(one, answers[index]?.used ?? {})));
    const misjudged = asked.flatMap((one, index) => {
      const [mine, theirs] = [ours(one), checks[index]?.problem];
      counts[mine === '' ? 'admitted' : 'refused'] += 1;
      return mine === theirs ? [] : [{ mine, theirs, question: one.question, coming: one.coming }];
    });
    expect(misjudged.slice(0, 2).map((one) => JSON.stringify(one))).toEqual([]);
    // Enough of what is worth asking for.
    expect(counts.figures).toBeGreaterThan(CASES);
    expect(counts.claims).toBeGreaterThan(CASES);
    expect(counts.spared).toBeGreaterThan(CASES / 50);
    expect(counts.admitted).toBeGreaterThan(CASES / 10);
    expect(counts.refused).toBeGreaterThan(CASES / 10);
  });
});

function nameIn(object: JsonObject): string {
  return stringAt(objectAt(object, 'metadata'), 'name');
}

function nothingOr(amounts: JsonObject | undefined) {
  return amounts === undefined ? undefined : amountsIn(amounts);
}

/** Whether the pod counts something for the claim. */
function isSpared(usage: JsonObject | undefined): boolean {
  const gpus = usage?.['gpu.deviceclass.resource.k8s.io/devices'];
  return gpus !== '0' && usage?.['requests.deviceclass.resource.kubernetes.io/gpu'] !== gpus;
}
