/**
 * NodeRestriction: a node writes about itself and about the pods that it runs, and about nothing else.
 *
 * The authorizer lets nodes do what kubelets do; what exactly they write is looked at here.
 * In Kubernetes: plugin/pkg/admission/noderestriction.
 */
import { objectAt, stringAt } from '../../../../api/json/json.ts';
import type { MaybePromise } from '../../../../api/meta/maybe-promise.ts';
import type { Status } from '../../../../api/meta/status.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { nodeNameOf } from '../../../authorization/node/node-identity.ts';
import { requestSubject } from '../../../../api/kinds/certificates/certificatesigningrequests/request-subject.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';
import { refusedAt, type AdmissionAttributes } from '../../admission-attributes.ts';
import type { MutatingPlugin } from '../../admission-plugin.ts';
import type { NodeProblem, NodeWorld, NodeWrite } from './node-write.ts';
import { evictionProblem, podProblem, podStatusProblem } from './node-restriction-pods.ts';
import { nodeProblem } from './node-restriction-nodes.ts';
import { tokenProblem } from './node-restriction-tokens.ts';

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
