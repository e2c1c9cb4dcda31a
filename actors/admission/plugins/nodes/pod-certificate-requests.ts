/**
 * What a node may say when it asks for the certificate of a pod: that a pod that it runs is what it is.
 * Where the views may be behind, the answer is an error that the kubelet tries again, and no refusal.
 *
 * In Kubernetes: admitPodCertificateRequest, plugin/pkg/admission/noderestriction.
 */
import type { PodCertificateRequest } from '../../../../api/generated/kinds/certificates-v1beta1.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { unclassifiedFailure } from '../../../../api/meta/status.ts';
import { storedAt } from '../../../../projections/objects/stored-kinds.ts';
import { pathOf } from '../../../../streams/event.ts';
import type { AttributesOf } from '../../kind-steps.ts';
import type { NodeProblem, NodeWrite } from './node-write.ts';

const MIRROR = 'kubernetes.io/config.mirror';

type Write = NodeWrite<AttributesOf<PodCertificateRequest, 'CREATE'>>;

/** What is wrong with a request of the node `write.node`. */
export function podCertificateProblem(write: Write): NodeProblem {
  const { node, attributes } = write;
  const { spec } = attributes.object;
  if (spec.nodeName !== node) {
    const named = `PodCertificateRequest.Spec.NodeName=${goQuote(spec.nodeName)}`;
    return `${named}, which is not the requesting node ${goQuote(node)}`;
  }
  const stored = storedAt(attributes.objects, 'v1/nodes', pathOf('', node));
  const pod = `PodCertificateRequest for pod ${podOf(write)}`;
  if (stored === undefined) return missing('node', node);
  const { uid = '' } = stored.metadata;
  if (uid === spec.nodeUID) return podProblem(write);
  const named = `${pod} names node UID ${goQuote(spec.nodeUID)}`;
  return unclassifiedFailure(`${named}, inconsistent with the running node (${goQuote(uid)})`);
}

function podProblem(write: Write): NodeProblem {
  const { node, attributes } = write;
  const { spec } = attributes.object;
  const pod = storedAt(attributes.objects, 'v1/pods', pathOf(attributes.namespace, spec.podName));
  const shown = podOf(write);
  const request = `PodCertificateRequest for pod ${shown}`;
  if (pod === undefined) return missing('pod', spec.podName, shown);
  const { uid = '', annotations = {} } = pod.metadata;
  if (uid !== spec.podUID) {
    const contained = `${request} contains pod UID (${goQuote(spec.podUID)})`;
    return unclassifiedFailure(`${contained} which differs from running pod ${goQuote(uid)}`);
  }
  if (pod.spec.nodeName !== node) {
    const named = `named in the PodCertificateRequest`;
    return `pod ${shown} is not running on node ${goQuote(node)} ${named}`;
  }
  if (Object.hasOwn(annotations, MIRROR)) return `pod ${shown} is a mirror pod`;
  const { serviceAccountName: account = '' } = pod.spec;
  if (account === spec.serviceAccountName) return accountProblem(write);
  const named = `contains serviceAccountName (${goQuote(spec.serviceAccountName)})`;
  return `${request} ${named} that differs from running pod (${goQuote(account)})`;
}

function accountProblem(write: Write): NodeProblem {
  const { attributes } = write;
  const { serviceAccountName: name, serviceAccountUID: told } = attributes.object.spec;
  const { objects, namespace } = attributes;
  const account = storedAt(objects, 'v1/serviceaccounts', pathOf(namespace, name));
  if (account === undefined) {
    return missing('service account', name, goQuote(`${namespace}/${name}`), 'serviceaccount');
  }
  const { uid = '' } = account.metadata;
  if (uid === told) return '';
  const request = `PodCertificateRequest for pod ${podOf(write)}`;
  const named = `names service account UID ${goQuote(told)}`;
  const running = `which differs from the running service account (${goQuote(uid)})`;
  return unclassifiedFailure(`${request} ${named}, ${running}`);
}

function podOf({ attributes: { namespace, object } }: Write): string {
  return goQuote(`${namespace}/${object.spec.podName}`);
}

/** @param what as the message begins; `resource` as it ends. */
function missing(what: string, name: string, shown = goQuote(name), resource = what): NodeProblem {
  const retrieving = `while retrieving ${what} ${shown} named in the PodCertificateRequest`;
  return unclassifiedFailure(`${retrieving}: ${resource} ${goQuote(name)} not found`);
}
