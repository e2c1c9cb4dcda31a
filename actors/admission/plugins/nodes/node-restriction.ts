/**
 * NodeRestriction: a node writes about itself and about the pods that it runs, and about nothing else;
 * and of itself it says nothing that would bring it pods which are not meant for it.
 *
 * The authorizer lets nodes do what kubelets do; what exactly they write is looked at here.
 * In Kubernetes: plugin/pkg/admission/noderestriction.
 */
import type { CertificateSigningRequest } from '../../../../api/generated/kinds/certificates-v1.ts';
import type { Node, PersistentVolumeClaim } from '../../../../api/generated/kinds/core-v1.ts';
import type { ResourceSlice } from '../../../../api/generated/kinds/resource-v1.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import type { JsonObject } from '../../../../api/json/json.ts';
import { requestSubject } from '../../../../api/kinds/certificates/certificate-request.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';
import { type MaybePromise, andThen } from '../../../../api/meta/maybe-promise.ts';
import type { StringMap } from '../../../../api/meta/object-meta.ts';
import type { Status } from '../../../../api/meta/status.ts';
import { nodeNameOf } from '../../../authorization/node/node-identity.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import type { MutatingPlugin } from '../../admission-plugin.ts';
import { type AttributesOf, firstOf, stepFor } from '../../kind-steps.ts';
import type { NodeCheck, NodeProblem, NodeWorld, NodeWrite } from './node-write.ts';
import { podCertificateProblem } from './pod-certificate-requests.ts';
import {
  deletedPodProblem,
  evictionProblem,
  mirrorProblem,
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

function newNodeProblem({
  node,
  attributes,
}: NodeWrite<AttributesOf<Node, 'CREATE'>>): NodeProblem {
  const { name, object } = attributes;
  const subject = `node ${goQuote(node)}`;
  if (name !== node) return notItself(node, name);
  if (object.spec.configSource !== undefined) {
    return `${subject} is not allowed to create pods with a non-nil configSource`;
  }
  const forbidden = forbiddenLabels(object.metadata.labels, {});
  return forbidden === ''
    ? ''
    : `${subject} is not allowed to set the following labels: ${forbidden}`;
}

function changedNodeProblem({
  node,
  attributes,
}: NodeWrite<AttributesOf<Node, 'UPDATE'>>): NodeProblem {
  const { name, object, oldObject } = attributes;
  const subject = `node ${goQuote(node)}`;
  if (name !== node) return notItself(node, name);
  const [{ metadata, spec }, { metadata: oldMetadata, spec: oldSpec }] = [object, oldObject];
  const { configSource } = spec;
  if (configSource !== undefined && !sameValue(configSource, oldSpec.configSource)) {
    return `${subject} is not allowed to update configSource to a new non-nil configSource`;
  }
  if (!sameValue(spec.taints, oldSpec.taints)) {
    return `${subject} is not allowed to modify taints`;
  }
  if (!sameValue(metadata.ownerReferences, oldMetadata.ownerReferences)) {
    return `${subject} is not allowed to modify ownerReferences`;
  }
  const forbidden = forbiddenLabels(metadata.labels, oldMetadata.labels);
  return forbidden === '' ? '' : `is not allowed to modify labels: ${forbidden}`;
}

function otherNodeProblem({ node, attributes: { name } }: NodeWrite): NodeProblem {
  return name === node ? '' : notItself(node, name);
}

function notItself(node: string, name: string): string {
  return `node ${goQuote(node)} is not allowed to modify node ${goQuote(name)}`;
}

/** Those that are set, changed or taken away, and are not a node's to say. */
function forbiddenLabels(labels: StringMap = {}, old: StringMap = {}): string {
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

const LEASES_NAMESPACE = 'kube-node-lease';
const REQUESTS = 'certificates.k8s.io/v1/certificatesigningrequests';

/** What is asked of a write that no row of {@link nodeRestriction} knows better. */
const OTHERS: ReadonlyMap<string, NodeCheck> = new Map<string, NodeCheck>([
  ['core/pods', otherPodProblem],
  ['core/nodes', otherNodeProblem],
  ['core/persistentvolumeclaims', otherClaimProblem],
  ['coordination.k8s.io/leases', leaseProblem],
  ['storage.k8s.io/csinodes', csiNodeProblem],
  [
    'certificates.k8s.io/podcertificaterequests',
    ({ attributes: { operation } }) => `unexpected operation ${operation}`,
  ],
]);

export function nodeRestriction(world: NodeWorld): MutatingPlugin {
  const judging =
    <Attributes extends AdmissionAttributes>(check: NodeCheck<Attributes>) =>
    (attributes: Attributes): MaybePromise<Status | undefined> =>
      restricted(check, attributes, world);
  return {
    name: 'NodeRestriction',
    mutatesAt: firstOf(
      stepFor('v1/pods', ['CREATE'], judging(mirrorProblem)),
      stepFor('v1/pods', ['DELETE'], judging(deletedPodProblem)),
      stepFor('v1/pods/status', ['UPDATE'], judging(podStatusProblem)),
      stepFor('v1/pods/eviction', ['CREATE'], judging(evictionProblem)),
      stepFor('v1/nodes', ['CREATE'], judging(newNodeProblem)),
      stepFor(['v1/nodes', 'v1/nodes/status'], ['UPDATE'], judging(changedNodeProblem)),
      stepFor('v1/persistentvolumeclaims/status', ['UPDATE'], judging(claimProblem)),
      stepFor('v1/serviceaccounts/token', ['CREATE'], judging(tokenProblem)),
      stepFor('resource.k8s.io/v1/resourceslices', ['CREATE'], judging(newSliceProblem)),
      stepFor('resource.k8s.io/v1/resourceslices', ['DELETE'], judging(deletedSliceProblem)),
      stepFor(REQUESTS, ['CREATE'], judging(requestProblem)),
      stepFor(
        'certificates.k8s.io/v1beta1/podcertificaterequests',
        ['CREATE'],
        judging(podCertificateProblem),
      ),
      ({ served, operation }) => {
        const check = OTHERS.get(served.definition.storage);
        if (check === undefined || operation === 'CONNECT') return undefined;
        return judging(check);
      },
    ),
  };
}

function restricted<Attributes extends AdmissionAttributes>(
  check: NodeCheck<Attributes>,
  attributes: Attributes,
  world: NodeWorld,
): MaybePromise<Status | undefined> {
  const { user } = attributes.request;
  const node = nodeNameOf(user);
  if (node === undefined) return undefined;
  if (node === '') {
    return refusedAt(attributes, `could not determine node from user ${goQuote(user.name)}`);
  }
  return andThen(check({ node, attributes, world }), (problem) => {
    if (typeof problem !== 'string') return problem;
    return problem === '' ? undefined : refusedAt(attributes, problem);
  });
}

function otherPodProblem({ node, attributes }: NodeWrite): NodeProblem {
  const { operation, subresource } = attributes;
  if (subresource === '') {
    return `unexpected operation ${goQuote(operation)}, node ${goQuote(node)} can only create and delete mirror pods`;
  }
  if (subresource === 'status') return `unexpected operation ${goQuote(operation)}`;
  if (subresource === 'eviction') return `unexpected operation ${operation}`;
  const which = goQuote(subresource);
  return `unexpected pod subresource ${which}, only 'status' and 'eviction' are allowed`;
}

function otherClaimProblem({ attributes }: NodeWrite): NodeProblem {
  const { subresource, operation } = attributes;
  if (subresource !== 'status') return 'may only update PVC status';
  return `unexpected operation ${goQuote(operation)}`;
}

/** What a kubelet says of a claim is how large it is, and how its resizing goes on. */
function claimProblem({
  node,
  attributes: { object, oldObject },
}: NodeWrite<AttributesOf<PersistentVolumeClaim, 'UPDATE'>>): NodeProblem {
  if (sameValue(withoutSizes(object), withoutSizes(oldObject))) return '';
  return `node ${goQuote(node)} is not allowed to update fields other than status.quantity and status.conditions`;
}

function withoutSizes(claim: PersistentVolumeClaim): JsonObject {
  const { resourceVersion: _version, managedFields: _managers, ...metadata } = claim.metadata;
  const {
    capacity: _capacity,
    conditions: _conditions,
    allocatedResourceStatuses: _statuses,
    allocatedResources: _resources,
    ...status
  } = claim.status;
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

function newSliceProblem({
  node,
  attributes: { object },
}: NodeWrite<AttributesOf<ResourceSlice, 'CREATE'>>): NodeProblem {
  return sliceProblem(node, 'create', object);
}

function deletedSliceProblem({
  node,
  attributes: { oldObject },
}: NodeWrite<AttributesOf<ResourceSlice, 'DELETE'>>): NodeProblem {
  return sliceProblem(node, 'delete', oldObject);
}

function sliceProblem(node: string, verb: string, { spec }: ResourceSlice): NodeProblem {
  if (spec.nodeName === node) return '';
  return `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
}

const OF_KUBELETS = [
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
];

function requestProblem({
  node,
  attributes,
}: NodeWrite<AttributesOf<CertificateSigningRequest, 'CREATE'>>): NodeProblem {
  const { signerName, request } = attributes.object.spec;
  if (!OF_KUBELETS.includes(signerName)) return '';
  const read = requestSubject(request ?? '');
  if (!read.ok) return `unable to parse csr: ${read.why}`;
  if (read.subject.commonName === `system:node:${node}`) return '';
  return `can only create a node CSR with CN=system:node:${node}`;
}
