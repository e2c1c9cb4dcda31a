/**
 * The rules of changes, which compare two objects: both have each list and map grown. A rule that looks for each
 * item of the one in all of the other, or for each address or status in all before it, shows only here.
 */
import { isJsonObject, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import { asKubeObject, type KubeObject } from '../../../../api/meta/object-meta.ts';
import { builtInResources } from '../../../../api/kinds/built-in.ts';
import type { ServedResource } from '../../../../api/kinds/resource-definition.ts';
import type { UpdateRules } from '../../../../api/kinds/strategy.ts';
import { prepareDelete } from '../../../../actors/registry/objects/deletion.ts';
import { parseDeleteOptions } from '../../../../api/options/options-delete.ts';
import type { CostCase } from '../cost-case.ts';
import { growthsOf, growthsOfPlaces } from '../grown-objects.ts';

const CLOCK = {
  now: () => Date.parse('2026-11-21T09:00:00Z'),
  after: () => () => undefined,
};

/** With lists that only change later, as those of a status. */
const CHANGED: readonly JsonObject[] = [
  {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name: 'a' },
    spec: {
      podCIDRs: ['10.0.0.0/24'],
      taints: [{ key: 'a', effect: 'NoSchedule' }],
    },
    status: {
      addresses: [{ type: 'Hostname', address: 'a' }],
      declaredFeatures: ['a'],
    },
  },
  {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a', finalizers: ['example.com/a'] },
    spec: {
      containers: [{ name: 'a', image: 'b' }],
      tolerations: [{ key: 'a', operator: 'Exists' }],
      schedulingGates: [{ name: 'a' }],
    },
    status: {
      podIPs: [{ ip: '10.0.0.1' }],
      conditions: [{ type: 'a', status: 'True' }],
      containerStatuses: [{ name: 'a', state: { terminated: { exitCode: 1 } } }],
    },
  },
  {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'a' },
    spec: {
      ports: [{ port: 1 }],
      externalIPs: ['192.0.2.1'],
      loadBalancerSourceRanges: ['10.0.0.0/8'],
    },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  },
];

export function cases(): CostCase[] {
  const served = new Map(
    builtInResources(CLOCK).map((one) => [`${one.apiVersion}/${one.facts.kind}`, one]),
  );
  return CHANGED.flatMap((seed) => {
    const of = served.get(`${stringAt(seed, 'apiVersion')}/${stringAt(seed, 'kind')}`);
    return of === undefined ? [] : casesOf(of, seed);
  });
}

function casesOf(served: ServedResource, seed: JsonObject): CostCase[] {
  const { strategy } = served.definition;
  const all: (readonly [string, UpdateRules])[] = [['', strategy], ...strategy.subresources];
  const growths = [...growthsOf(seed, []), ...growthsOfPlaces(seed)];
  const kind = `changes of ${stringAt(seed, 'apiVersion')} ${stringAt(seed, 'kind')}`;
  const caseOf = (
    how: string,
    { name, grown }: (typeof growths)[number],
    run: (object: KubeObject, old: KubeObject) => unknown,
  ): CostCase => ({
    name: `${kind}${how}: ${name}`,
    stage: 'after authentication',
    make(bytes) {
      const text = JSON.stringify(grown(bytes));
      const [object, old] = [decoded(served, text), decoded(served, text)];
      const isRead = object !== undefined && old !== undefined;
      return {
        bytes: text.length,
        run: () => (isRead ? run(object, old) : undefined),
      };
    },
  });
  return growths.flatMap((growth) => [
    ...all.map(([name, rules]) =>
      caseOf(name === '' ? '' : `/${name}`, growth, (object, old) =>
        rules.validateUpdate(object, old),
      ),
    ),
    caseOf(' by DELETE', growth, (object) => {
      const options = parseDeleteOptions('propagationPolicy=Orphan', undefined);
      return options.ok ? prepareDelete(strategy, object, options.options, CLOCK) : undefined;
    }),
  ]);
}

function decoded(
  { codec, definition, facts, apiVersion }: ServedResource,
  text: string,
): KubeObject | undefined {
  const read = codec.decode(JSON.parse(text) as JsonObject, {
    collectUnknown: false,
  });
  if (!read.ok || !isJsonObject(read.value['metadata'])) return undefined;
  const object = asKubeObject({ ...read.value, kind: facts.kind, apiVersion });
  definition.strategy.prepareForCreate(object, {
    name: 'a',
    uid: '',
    groups: [],
    extra: {},
  });
  return object;
}
