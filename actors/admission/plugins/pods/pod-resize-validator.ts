/**
 * PodResizeValidator: a pod is not made larger than its node, and not at all where the node cannot
 * do that.
 *
 * In Kubernetes: plugin/pkg/admission/podresize.
 */
import type { PodSpec } from '../../../../api/generated/kinds/core-v1.ts';
import { objectAt, type JsonObject } from '../../../../api/json/json.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { addQuantities, compareQuantities, type Quantity } from '../../../../api/meta/quantity.ts';
import { forbidden, type Status } from '../../../../api/meta/status.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { pathOf } from '../../../../streams/event.ts';
import { containerTotals } from '../../../../api/kinds/pod-spec/containers/container-totals.ts';
import { quantityAt, wholeOf } from '../../../../api/kinds/rules/resource-names.ts';
import { specOf, statusOf } from '../../../../api/kinds/rules/value-validation.ts';
import { refusedAt, type AdmissionAttributes } from '../../admission-attributes.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import { PODS } from '../../places.ts';
import { remembered } from '../../remembered.ts';

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
