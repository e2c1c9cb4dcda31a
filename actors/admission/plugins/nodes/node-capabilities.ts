/**
 * PodResizeValidator: a pod is not made larger than its node, and not at all where the node cannot
 * do that.
 *
 * In Kubernetes: plugin/pkg/admission/podresize.
 *
 * NodeDeclaredFeatureValidator: an update of a pod that its node could not carry out, because it
 * has not said that it can, is refused at once.
 *
 * Of the features that upstream knows, two matter for an update: resources of the pod as a whole,
 * and resources of init containers that end.
 *
 * In Kubernetes: plugin/pkg/admission/nodedeclaredfeatures; the feature is on.
 */
import type { PodSpec } from '../../../../api/generated/kinds/core-v1.ts';
import { type JsonObject, objectAt } from '../../../../api/json/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { addQuantities, compareQuantities, type Quantity } from '../../../../api/meta/quantity.ts';
import { forbidden, type Status } from '../../../../api/meta/status.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { pathOf } from '../../../../streams/event.ts';
import { containerTotals } from '../../../../api/kinds/pod-spec/containers/container-totals.ts';
import { quantityAt, wholeOf } from '../../../../api/kinds/rules/resource-names.ts';
import {
  objectsAt,
  specOf,
  statusOf,
  stringsAt,
} from '../../../../api/kinds/rules/value-validation.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import { PODS } from '../../places.ts';
import { remembered } from '../../remembered.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';

const OS = 'kubernetes.io/os';
const ZERO: Quantity = { unscaled: 0n, exponent: 0, format: 'DecimalSI', text: '0' };

interface Node {
  readonly name: string;
  readonly os: string | undefined;
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

const nodeOf = remembered((object): Node => {
  const allocatable = objectAt(statusOf(object), 'allocatable');
  return {
    name: object.metadata.name ?? '',
    os: object.metadata.labels?.[OS],
    cpu: quantityAt(allocatable?.['cpu']),
    memory: quantityAt(allocatable?.['memory']),
  };
});

export function podResizeValidator(): ValidatingPlugin {
  const validate: AdmissionStep = (attributes) => {
    const { object: pod, oldObject, objects } = attributes;
    if (pod === undefined || pod.metadata.generation === oldObject?.metadata.generation) {
      return undefined;
    }
    const name = specOf(pod)['nodeName'];
    if (typeof name !== 'string' || name === '') return undefined;
    const stored = objects.get('core/nodes', pathOf('', name));
    if (stored === undefined) return refusedAt(attributes, `node ${goQuote(name)} not found`);
    return problemOn(nodeOf(stored), attributes, pod);
  };
  return {
    name: 'PodResizeValidator',
    validatesAt({ served, operation, subresource }) {
      const isResize = subresource === 'resize' && operation === 'UPDATE';
      return isResize && served.definition.storage === PODS ? validate : undefined;
    },
  };
}

function problemOn(
  node: Node,
  attributes: AdmissionAttributes,
  pod: KubeObject,
): Status | undefined {
  if (node.os !== undefined && node.os !== 'linux') {
    const where = `node ${goQuote(node.name)} is ${goQuote(node.os)}`;
    const why = `pod resize is only supported on linux nodes, ${where}`;
    return withCause(attributes, why, 'UnsupportedPlatform');
  }
  const asked = requestsOf(specOf(pod));
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

/** In Kubernetes: PodRequests, component-helpers/resource. */
function requestsOf(spec: JsonObject): { readonly cpu: Quantity; readonly memory: Quantity } {
  const totals = containerTotals(spec as unknown as PodSpec, 'requests');
  const ofPod = objectAt(objectAt(spec, 'resources'), 'requests') ?? {};
  const overhead = objectAt(spec, 'overhead') ?? {};
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
  isNeeded: (spec: JsonObject, old: JsonObject) => boolean,
])[] = [
  [
    'InPlacePodLevelResourcesVerticalScaling',
    (spec, old) => !sameValue(spec['resources'], old['resources']),
  ],
  ['InPlacePodVerticalScalingInitContainers', hasResizedInitContainer],
];

const declaredBy = remembered((node) => stringsAt(statusOf(node), 'declaredFeatures'));

export function nodeDeclaredFeatureValidator(): ValidatingPlugin {
  const validate: AdmissionStep = (attributes) => {
    const { object: pod, oldObject, objects } = attributes;
    if (pod === undefined || oldObject === undefined) return undefined;
    const [spec, old] = [specOf(pod), specOf(oldObject)];
    const node = spec['nodeName'];
    if (typeof node !== 'string' || node === '') return undefined;
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
    validatesAt({ served, operation, subresource }) {
      if (served.definition.storage !== PODS || operation !== 'UPDATE') return undefined;
      return subresource === '' || subresource === 'resize' ? validate : undefined;
    },
  };
}

function hasResizedInitContainer(spec: JsonObject, old: JsonObject): boolean {
  const now = objectsAt(spec, 'initContainers');
  return objectsAt(old, 'initContainers').some(
    (container, index) =>
      container['restartPolicy'] !== 'Always' &&
      !sameValue(container['resources'], now[index]?.['resources']),
  );
}
