/**
 * Writes of services at random, which a seed decides, step by step: none depends on an answer. What
 * clients name lies where the servers choose none, so that two servers can be told the same history.
 */
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { chanceFrom } from '../../../tools/seeded-chance.fixture.ts';

/** How a step is sent; `put` lays its fields over what is there, `replace` knows nothing of that. */
export type StepVerb =
  | 'create'
  | 'put'
  | 'replace'
  | 'merge-patch'
  | 'strategic-merge-patch'
  | 'json-patch'
  | 'apply-patch'
  | 'status'
  | 'remove';

/** One write of a history. */
export interface ServiceStep {
  readonly verb: StepVerb;
  readonly name: string;
  /** With its question mark; empty for none. */
  readonly query: string;
  readonly spec: JsonObject;
  /** Of a JSON patch. */
  readonly operations: JsonObject[];
}

/** Whether fields are chosen each by itself, or by moves that lead from one state of a service to another. */
export type StepStyle = 'fields' | 'moves';

const NAMES = 6;

/** The names of all services of a history. */
export const SERVICE_NAMES = Array.from({ length: NAMES }, (_, nth) => `s${String(nth)}`);

const VERBS: Readonly<Record<StepStyle, Partial<Record<StepVerb, number>>>> = {
  fields: { create: 4, put: 3, 'merge-patch': 6, remove: 1 },
  moves: {
    ...{ create: 5, put: 3, replace: 2, 'merge-patch': 4, 'strategic-merge-patch': 2 },
    ...{ 'json-patch': 2, 'apply-patch': 3, status: 1, remove: 1 },
  },
};

/** The step of that number. */
export function serviceStep(style: StepStyle, seed: number, nth: number): ServiceStep {
  const dice = new Dice(`${String(seed)} ${String(nth)}`);
  const verb = dice.weighed(VERBS[style]);
  const name = dice.oneOf(SERVICE_NAMES);
  const isApplied = verb === 'apply-patch';
  const parameters = [
    ...(dice.happens(0.15) ? ['dryRun=All'] : []),
    ...(isApplied ? [`fieldManager=m${String(dice.below(2))}`] : []),
    ...(isApplied && dice.happens(0.6) ? ['force=true'] : []),
  ];
  const isNew = verb === 'create' || verb === 'replace' || isApplied;
  const share = isNew ? 0.22 : 0.18;
  const isMove = style === 'moves' && dice.happens(0.8);
  const { internalTrafficPolicy, ...others } = isMove ? moved(dice) : fieldsBy(dice, share);
  // Upstream keeps it of an ExternalName where no client sees it, for the type that comes next.
  const isSaid = style === 'fields' && internalTrafficPolicy !== undefined;
  const spec = {
    ...(isNew ? { ports: [{ port: 80 }] } : {}),
    ...others,
    ...(isSaid ? { internalTrafficPolicy } : {}),
  };
  const operations = verb === 'json-patch' ? operationsBy(dice, spec) : [];
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return { verb, name, query, spec, operations };
}

/** Chance that a text decides. */
class Dice {
  readonly #random: () => number;

  constructor(seed: string) {
    this.#random = chanceFrom(createHash('sha1').update(seed).digest().readUInt32BE());
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  happens(share: number): boolean {
    return this.#random() < share;
  }

  oneOf<Value>(some: readonly Value[]): Value {
    return some[this.below(some.length)] as Value; // The lists of this file have members.
  }

  weighed<Key extends string>(weights: Readonly<Partial<Record<Key, number>>>): Key {
    const entries = Object.entries(weights) as [Key, number][]; // Its keys are of that type.
    return this.oneOf(entries.flatMap(([key, weight]) => Array<Key>(weight).fill(key)));
  }
}

const LOW = ['10.0.0.2', '10.0.0.3', 'fd00::2', 'fd00::3'];
const POLICIES = ['SingleStack', 'PreferDualStack', 'RequireDualStack'];
const FAMILIES: JsonValue[] = [['IPv4'], ['IPv6'], ['IPv4', 'IPv6'], ['IPv6', 'IPv4']];
const OUTER: JsonValue[] = [['192.0.2.1'], ['192.0.2.1', '2001:db8::1'], [], null];
const AFFINITY: JsonValue[] = [
  { clientIP: { timeoutSeconds: 20 } },
  { clientIP: {} },
  { clientIP: { timeoutSeconds: 0 } },
  null,
];

type Choice = (dice: Dice) => JsonValue;
const of =
  (...values: JsonValue[]): Choice =>
  (dice) =>
    dice.oneOf(values);
const low: Choice = (dice) => dice.oneOf(LOW);

const FIELDS: Readonly<Record<string, Choice>> = {
  type: of('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName', 'Other'),
  clusterIP: (dice) => dice.oneOf<JsonValue>([low(dice), 'None', '', '10.9.9.9', null]),
  clusterIPs: (dice) =>
    dice.oneOf<JsonValue>([[low(dice)], [low(dice), low(dice)], ['None'], [], null]),
  ipFamilyPolicy: of(...POLICIES, null),
  ipFamilies: of(...FAMILIES, null),
  externalName: of('example.com', '', null),
  externalTrafficPolicy: of('Local', 'Cluster', 'Other', null),
  internalTrafficPolicy: of('Local', 'Cluster', null),
  healthCheckNodePort: of(30_010, 30_011, 0, 5, null),
  sessionAffinity: of('ClientIP', 'None', null),
  allocateLoadBalancerNodePorts: of(true, false, null),
  loadBalancerClass: of('example.com/lb', null),
  selector: of({ app: 'web' }, null),
  ports: portsBy,
};

const SELDOM: Readonly<Record<string, Choice>> = {
  externalIPs: of(...OUTER),
  loadBalancerIP: of('192.0.2.9', 'x', ''),
  loadBalancerSourceRanges: of(['10.0.0.0/8'], [' 10.0.0.0/8 '], ['x'], null),
  sessionAffinityConfig: of(...AFFINITY),
  trafficDistribution: of('PreferClose', 'PreferSameZone', 'Other', null),
  publishNotReadyAddresses: of(true, false),
  loadBalancerClass: of('example.com/lb', 'example.com/other', 'Internal', '', null),
  clusterIP: of(
    '010.0.0.2',
    'FD00::2',
    'fd00:0::2',
    '::ffff:10.0.0.2',
    '10.0.0.0',
    '10.0.0.255',
    '10.9.8.2',
  ),
  ipFamilyPolicy: of('Other', ''),
  ipFamilies: of(['IPv4', 'IPv4'], ['Other'], ['IPv4', 'IPv6', 'IPv4'], []),
  type: of('', null),
};

function fieldsBy(dice: Dice, share: number): JsonObject {
  return chosen(dice, FIELDS, (name) => (name === 'type' ? 0.5 : share));
}

function chosen(
  dice: Dice,
  fields: Readonly<Record<string, Choice>>,
  shareOf: (name: string) => number,
): JsonObject {
  const some = Object.entries(fields).filter(([name]) => dice.happens(shareOf(name)));
  return Object.fromEntries(some.map(([name, choose]) => [name, choose(dice)]));
}

/** Each is a change that a client makes on purpose, or half of one. */
const MOVES: readonly ((dice: Dice) => JsonObject)[] = [
  (dice) => ({ type: dice.oneOf(['ClusterIP', 'NodePort', 'LoadBalancer']) }),
  () => ({ type: 'ExternalName', externalName: 'example.com' }),
  () => ({ type: 'ExternalName', externalName: 'example.com', clusterIP: null, clusterIPs: null }),
  (dice) => ({ type: 'ClusterIP', externalName: null, selector: of({ app: 'web' }, null)(dice) }),
  (dice) => ({ ipFamilyPolicy: dice.oneOf(POLICIES) }),
  (dice) => ({ ipFamilyPolicy: dice.oneOf(POLICIES), ipFamilies: dice.oneOf(FAMILIES) }),
  (dice) => ({ ipFamilyPolicy: dice.oneOf(POLICIES), clusterIPs: [low(dice), low(dice)] }),
  (dice) => ({ ipFamilyPolicy: 'SingleStack', ipFamilies: dice.oneOf(FAMILIES.slice(0, 2)) }),
  (dice) => {
    const [first, second] = dice.happens(0.5) ? ['10.0.0.2', 'fd00::2'] : ['fd00::3', '10.0.0.3'];
    return { clusterIP: first, clusterIPs: [first, second], ipFamilyPolicy: dice.oneOf(POLICIES) };
  },
  () => ({ clusterIP: 'None', clusterIPs: ['None'] }),
  (dice) => ({ clusterIP: 'None', ipFamilyPolicy: dice.oneOf([...POLICIES, null]) }),
  (dice) => ({ clusterIP: null, clusterIPs: null, ipFamilies: null, selector: selector(dice) }),
  (dice) => ({ type: 'LoadBalancer', externalTrafficPolicy: dice.oneOf(['Local', 'Cluster']) }),
  (dice) => ({ type: 'LoadBalancer', allocateLoadBalancerNodePorts: dice.happens(0.5) }),
  (dice) => ({
    ...{ type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
    healthCheckNodePort: dice.oneOf([0, 30_010, 30_011]),
  }),
  (dice) => ({ sessionAffinity: 'ClientIP', sessionAffinityConfig: dice.oneOf(AFFINITY) }),
  (dice) => ({ ports: portsBy(dice) }),
  (dice) => ({ ports: portsBy(dice), type: dice.oneOf(['NodePort', 'LoadBalancer']) }),
  (dice) => ({ externalIPs: dice.oneOf(OUTER) }),
  (dice) => ({ selector: selector(dice) }),
];

const selector = of({ app: 'web' }, { app: 'other' }, null);

function moved(dice: Dice): JsonObject {
  const first = dice.oneOf(MOVES)(dice);
  const second = dice.happens(0.4) ? dice.oneOf(MOVES)(dice) : {};
  const seldom = dice.happens(0.3) ? chosen(dice, SELDOM, () => 0.12) : {};
  return { ...first, ...second, ...seldom };
}

function portsBy(dice: Dice): JsonValue {
  const count = dice.below(3);
  return Array.from({ length: count }, (_, nth) => ({
    port: 80 + dice.below(2),
    ...(count > 1 || dice.happens(0.3) ? { name: `p${String(nth)}` } : {}),
    ...(dice.happens(0.3) ? { protocol: dice.oneOf(['TCP', 'UDP']) } : {}),
    ...(dice.happens(0.3) ? { nodePort: 30_000 + dice.below(4) } : {}),
  }));
}

const PLACES = ['clusterIPs/1', 'ipFamilies/1', 'clusterIPs/0', 'ports/0/nodePort', 'ports/0'];

/** A patch that removes what is not there is refused as a whole, so most of them replace. */
function operationsBy(dice: Dice, spec: JsonObject): JsonObject[] {
  const replaced = Object.entries(spec).map(([name, value]) => ({
    op: value === null ? 'remove' : dice.oneOf(['add', 'add', 'add', 'replace']),
    path: `/spec/${name}`,
    ...(value === null ? {} : { value }),
  }));
  const removed = { op: 'remove', path: `/spec/${dice.oneOf(PLACES)}` };
  return dice.happens(0.4) ? [...replaced.slice(1), removed] : replaced;
}
