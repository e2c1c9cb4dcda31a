/**
 * Two plug-ins that hold an update of a pod against the node that it is on.
 *
 * In Kubernetes: plugin/pkg/admission/{podresize,nodedeclaredfeatures}; the feature is on.
 */
import { items } from '../../../../api/json/go-values.ts';
import { type AttributesOf, stepFor } from '../../kind-steps.ts';
import type { Pod, PodSpec } from '../../../../api/generated/kinds/core-v1.ts';
import { type Quantity, addQuantities, compareQuantities } from '../../../../api/meta/quantity.ts';
import { type Status, forbidden } from '../../../../api/meta/status.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { pathOf } from '../../../../streams/event.ts';
import { containerTotals } from '../../../../api/quota/container-totals.ts';
import { quantityAt, wholeOf } from '../../../../api/kinds/rules/resource-names.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import type { ValidatingPlugin } from '../../admission-plugin.ts';
import { inSlicesFor } from '../../large-objects.ts';
import { remembered } from '../../remembered.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';

const OS = 'kubernetes.io/os';
const ZERO: Quantity = { unscaled: 0n, exponent: 0, format: 'DecimalSI', text: '0' };

interface NodeLimits {
  readonly name: string;
  readonly os: string | undefined;
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

const limitsOf = remembered('v1/nodes', ({ metadata, status }): NodeLimits => {
  const { allocatable } = status;
  return {
    name: metadata.name ?? '',
    os: metadata.labels?.[OS],
    cpu: quantityAt(allocatable?.['cpu']),
    memory: quantityAt(allocatable?.['memory']),
  };
});

/** A pod is not made larger than its node, and not at all where the node cannot do that. */
export function podResizeValidator(): ValidatingPlugin {
  return {
    name: 'PodResizeValidator',
    validatesAt: stepFor('v1/pods/resize', ['UPDATE'], (attributes) => {
      const { object: pod, oldObject, objects } = attributes;
      if (pod.metadata.generation === oldObject.metadata.generation) return undefined;
      const { nodeName: name = '' } = pod.spec;
      if (name === '') return undefined;
      const stored = objects.get('core/nodes', pathOf('', name));
      if (stored === undefined) return refusedAt(attributes, `node ${goQuote(name)} not found`);
      return inSlicesFor(
        attributes,
        () => requestsOf(pod.spec),
        (asked) => problemOn(limitsOf(stored), asked, attributes),
      );
    }),
  };
}

function problemOn(
  node: NodeLimits,
  asked: PodRequests,
  attributes: AttributesOf<Pod, 'UPDATE'>,
): Status | undefined {
  if (node.os !== undefined && node.os !== 'linux') {
    const where = `node ${goQuote(node.name)} is ${goQuote(node.os)}`;
    const why = `pod resize is only supported on linux nodes, ${where}`;
    return withCause(attributes, why, 'UnsupportedPlatform');
  }
  const problems = [
    ...(compareQuantities(asked.cpu, node.cpu) > 0
      ? [`cpu, ${compared(millisOf(asked.cpu), millisOf(node.cpu))}`]
      : []),
    ...(compareQuantities(asked.memory, node.memory) > 0
      ? [`memory, ${compared(wholeOf(asked.memory), wholeOf(node.memory))}`]
      : []),
  ];
  if (problems.length === 0) return undefined;
  const why = `node didn't have enough allocatable resources: ${problems.join('; ')}`;
  return withCause(attributes, why, 'NodeCapacity');
}

function compared(requested: bigint, allocatable: bigint): string {
  return `requested: ${String(requested)}, allocatable: ${String(allocatable)}`;
}

function millisOf(quantity: Quantity): bigint {
  return wholeOf({ ...quantity, exponent: quantity.exponent + 3 });
}

interface PodRequests {
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

/** In Kubernetes: PodRequests, component-helpers/resource. */
function requestsOf(spec: PodSpec): PodRequests {
  const totals = containerTotals(spec, 'requests');
  const ofPod = spec.resources?.requests ?? {};
  const overhead = spec.overhead ?? {};
  const amount = (name: 'cpu' | 'memory'): Quantity => {
    const own = ofPod[name];
    const needed = own === undefined ? (totals.get(name) ?? ZERO) : quantityAt(own);
    return addQuantities(needed, quantityAt(overhead[name]));
  };
  return { cpu: amount('cpu'), memory: amount('memory') };
}

/** The cause has a reason and nothing else. */
function withCause(attributes: AdmissionAttributes, why: string, reason: string): Status {
  const refused = refusedAt(attributes, why);
  const { group, resource } = attributes.served.facts;
  const name = refused.details?.name ?? '';
  return forbidden({ group, resource }, name, why, [{ reason }]);
}

/** By the name of the feature, in the order in which upstream lists them. */
const NEEDED_BY: readonly (readonly [
  feature: string,
  isNeeded: (spec: PodSpec, old: PodSpec) => boolean,
])[] = [
  [
    'InPlacePodLevelResourcesVerticalScaling',
    (spec, old) => !sameValue(spec.resources, old.resources),
  ],
  ['InPlacePodVerticalScalingInitContainers', hasResizedInitContainer],
];

const declaredBy = remembered('v1/nodes', ({ status }) => items(status.declaredFeatures));

/**
 * An update that the node could not carry out, because it has not said that it can, is refused at
 * once. Of the features that upstream knows, two matter for an update: resources of the pod as a
 * whole, and resources of init containers that end.
 */
export function nodeDeclaredFeatureValidator(): ValidatingPlugin {
  const validate = (attributes: AttributesOf<Pod, 'UPDATE'>): Status | undefined => {
    const { object: pod, oldObject, objects } = attributes;
    const [{ spec }, { spec: old }] = [pod, oldObject];
    const { nodeName: node = '' } = spec;
    if (node === '') return undefined;
    if (pod.metadata.generation === oldObject.metadata.generation) return undefined;
    const needed = NEEDED_BY.filter(([, isNeeded]) => isNeeded(spec, old)).map(([name]) => name);
    if (needed.length === 0) return undefined;
    const stored = objects.get('core/nodes', pathOf('', node));
    if (stored === undefined) return refusedAt(attributes, `node ${goQuote(node)} not found`);
    const declared = declaredBy(stored);
    const missing = needed.filter((name) => !declared.includes(name));
    if (missing.length === 0) return undefined;
    const where = `which are not available on node ${goQuote(node)}`;
    return refusedAt(attributes, `pod update requires features ${missing.join(', ')} ${where}`);
  };
  return {
    name: 'NodeDeclaredFeatureValidator',
    validatesAt: stepFor(['v1/pods', 'v1/pods/resize'], ['UPDATE'], validate),
  };
}

function hasResizedInitContainer(spec: PodSpec, old: PodSpec): boolean {
  const now = items(spec.initContainers);
  return items(old.initContainers).some(
    ({ restartPolicy, resources }, index) =>
      restartPolicy !== 'Always' && !sameValue(resources, now[index]?.resources),
  );
}
