/**
 * What NodeRestriction looks at, and what it says of it.
 *
 * What a node may say of itself: nothing that would bring it pods which are not meant for it.
 *
 * NodeRestriction: a node writes about itself and about the pods that it runs, and about nothing else.
 *
 * The authorizer lets nodes do what kubelets do; what exactly they write is looked at here.
 * In Kubernetes: plugin/pkg/admission/noderestriction.
 */
import type { NodeProblem, NodeWorld, NodeWrite } from './node-write.ts';
import type { Status } from '../../../../api/meta/status.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import { objectAt, stringAt } from '../../../../api/json/json.ts';
import type { StringMap } from '../../../../api/meta/object-meta.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';
import type { MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import { nodeNameOf } from '../../../authorization/node/node-identity.ts';
import { requestSubject } from '../../../../api/kinds/certificates/certificatesigningrequests/certificate-request.ts';
import type { MutatingPlugin } from '../../admission-plugin.ts';
import {
  evictionProblem,
  podProblem,
  podStatusProblem,
  tokenProblem,
} from './node-restriction-pods.ts';

/** In Kubernetes: KubeletLabels, kubelet/pkg/apis. */
const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
const KUBELET_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const RESTRICTED_DOMAIN = 'node-restriction.kubernetes.io';
const OUR_DOMAINS = ['kubernetes.io', 'k8s.io'];

function nodeProblem({ node, attributes }: NodeWrite): NodeProblem {
  const { name, operation, object, oldObject } = attributes;
  const who = `node ${goQuote(node)}`;
  if (name !== node) return `${who} is not allowed to modify node ${goQuote(name)}`;
  const spec = objectAt(object, 'spec');
  const labels = object?.metadata.labels ?? {};
  const source = spec?.['configSource'];
  if (operation === 'CREATE') {
    if (source !== undefined) {
      return `${who} is not allowed to create pods with a non-nil configSource`;
    }
    const forbidden = forbiddenLabels(labels, {});
    return forbidden === ''
      ? ''
      : `${who} is not allowed to set the following labels: ${forbidden}`;
  }
  if (operation !== 'UPDATE') return '';
  const oldSpec = objectAt(oldObject, 'spec');
  if (source !== undefined && !sameValue(source, oldSpec?.['configSource'])) {
    return `${who} is not allowed to update configSource to a new non-nil configSource`;
  }
  if (!sameValue(spec?.['taints'], oldSpec?.['taints'])) {
    return `${who} is not allowed to modify taints`;
  }
  const owners = object?.metadata['ownerReferences'];
  if (!sameValue(owners, oldObject?.metadata['ownerReferences'])) {
    return `${who} is not allowed to modify ownerReferences`;
  }
  const forbidden = forbiddenLabels(labels, oldObject?.metadata.labels ?? {});
  return forbidden === '' ? '' : `is not allowed to modify labels: ${forbidden}`;
}

/** Those that are set, changed or taken away, and are not a node's to say. */
function forbiddenLabels(labels: StringMap, old: StringMap): string {
  const now = new Map(Object.entries(labels));
  const before = new Map(Object.entries(old));
  const keys = new Set([...now.keys(), ...before.keys()]);
  const modified = [...keys].filter((key) => now.get(key) !== before.get(key));
  return modified.filter(isForbidden).sort().join(', ');
}

function isForbidden(label: string): boolean {
  const slash = label.indexOf('/');
  const domain = slash < 0 ? '' : label.slice(0, slash);
  if (isIn(domain, [RESTRICTED_DOMAIN])) return true;
  if (!isIn(domain, OUR_DOMAINS)) return false;
  return !KUBELET_LABELS.has(label) && !isIn(domain, KUBELET_DOMAINS);
}

function isIn(domain: string, domains: readonly string[]): boolean {
  return domains.some((one) => domain === one || domain.endsWith(`.${one}`));
}

type Check = (write: NodeWrite) => MaybePromise<NodeProblem>;

const LEASES_NAMESPACE = 'kube-node-lease';

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['core/pods', ofPods],
  ['core/nodes', nodeProblem],
  ['core/persistentvolumeclaims', claimProblem],
  ['core/serviceaccounts', ofServiceAccounts],
  ['coordination.k8s.io/leases', leaseProblem],
  ['storage.k8s.io/csinodes', csiNodeProblem],
  ['resource.k8s.io/resourceslices', sliceProblem],
  ['certificates.k8s.io/certificatesigningrequests', requestProblem],
  [
    'certificates.k8s.io/podcertificaterequests',
    () => 'PodCertificateRequest feature gate is disabled',
  ],
]);

export function nodeRestriction(world: NodeWorld): MutatingPlugin {
  return {
    name: 'NodeRestriction',
    mutatesAt({ served, operation }) {
      const check = CHECKS.get(served.definition.storage);
      if (check === undefined || operation === 'CONNECT') return undefined;
      return (attributes) => restricted(check, attributes, world);
    },
  };
}

function restricted(
  check: Check,
  attributes: AdmissionAttributes,
  world: NodeWorld,
): MaybePromise<Status | undefined> {
  const { user } = attributes.request;
  const node = nodeNameOf(user);
  if (node === undefined) return undefined;
  if (node === '') {
    return refusedAt(attributes, `could not determine node from user ${goQuote(user.name)}`);
  }
  const problem = check({ node, attributes, world });
  return problem instanceof Promise
    ? problem.then((one) => answerOf(one, attributes))
    : answerOf(problem, attributes);
}

function answerOf(problem: NodeProblem, attributes: AdmissionAttributes): Status | undefined {
  if (typeof problem !== 'string') return problem;
  return problem === '' ? undefined : refusedAt(attributes, problem);
}

function ofPods(write: NodeWrite): NodeProblem {
  const { subresource } = write.attributes;
  if (subresource === '') return podProblem(write);
  if (subresource === 'status') return podStatusProblem(write);
  if (subresource === 'eviction') return evictionProblem(write);
  const which = goQuote(subresource);
  return `unexpected pod subresource ${which}, only 'status' and 'eviction' are allowed`;
}

function ofServiceAccounts(write: NodeWrite): MaybePromise<NodeProblem> {
  const { operation, subresource } = write.attributes;
  return operation === 'CREATE' && subresource === 'token' ? tokenProblem(write) : '';
}

/** What a kubelet says of a claim is how large it is, and how its resizing goes on. */
function claimProblem({ node, attributes }: NodeWrite): NodeProblem {
  const { subresource, operation, object, oldObject } = attributes;
  if (subresource !== 'status') return 'may only update PVC status';
  if (operation !== 'UPDATE') return `unexpected operation ${goQuote(operation)}`;
  if (sameValue(withoutSizes(object), withoutSizes(oldObject))) return '';
  return `node ${goQuote(node)} is not allowed to update fields other than status.quantity and status.conditions`;
}

function withoutSizes(claim: AdmissionAttributes['object']) {
  const metadata = { ...claim?.metadata };
  for (const key of ['resourceVersion', 'managedFields']) Reflect.deleteProperty(metadata, key);
  const status = { ...objectAt(claim, 'status') };
  for (const key of ['capacity', 'conditions', 'allocatedResourceStatuses', 'allocatedResources']) {
    Reflect.deleteProperty(status, key);
  }
  return { ...claim, metadata, status };
}

function leaseProblem({ node, attributes }: NodeWrite): NodeProblem {
  if (attributes.namespace !== LEASES_NAMESPACE) {
    return `can only access leases in the ${goQuote(LEASES_NAMESPACE)} system namespace`;
  }
  return ownName(attributes) === node
    ? ''
    : 'can only access node lease with the same name as the requesting node';
}

function csiNodeProblem({ node, attributes }: NodeWrite): NodeProblem {
  return ownName(attributes) === node
    ? ''
    : 'can only access CSINode with the same name as the requesting node';
}

/** Of what is created the object says it. */
function ownName({ operation, name, object }: AdmissionAttributes): string {
  return operation === 'CREATE' ? (object?.metadata.name ?? '') : name;
}

function sliceProblem({ node, attributes }: NodeWrite): NodeProblem {
  const { operation, object, oldObject } = attributes;
  if (operation !== 'CREATE' && operation !== 'DELETE') return '';
  const slice = operation === 'CREATE' ? object : oldObject;
  if (stringAt(objectAt(slice, 'spec'), 'nodeName') === node) return '';
  return `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
}

const OF_KUBELETS = [
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
];

function requestProblem({ node, attributes }: NodeWrite): NodeProblem {
  const spec = objectAt(attributes.object, 'spec');
  if (attributes.operation !== 'CREATE') return '';
  if (!OF_KUBELETS.includes(stringAt(spec, 'signerName'))) return '';
  const read = requestSubject(stringAt(spec, 'request'));
  if (!read.ok) return `unable to parse csr: ${read.why}`;
  if (read.subject.commonName === `system:node:${node}`) return '';
  return `can only create a node CSR with CN=system:node:${node}`;
}
