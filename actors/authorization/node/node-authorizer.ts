/**
 * Lets a node read what its pods need, report on itself and on them, and nothing of other nodes.
 *
 * What a node may write is limited further by the plug-in NodeRestriction, which sees the objects.
 *
 * In Kubernetes: NodeAuthorizer, plugin/pkg/auth/authorizer/node.
 */
import { parseFieldSelector } from '../../../api/selectors/field-selector.ts';
import { pathOf } from '../../../streams/event.ts';
import { nodeNameOf } from './node-identity.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { RequestInfo } from '../../request/request.ts';
import { ALLOW, type Authorizer, type Decision, NO_OPINION } from '../authorizer.ts';
import type { NodeGraph } from './node-graph.ts';
import type { Referenced } from './node-references.ts';
import { compileRules, ruleQuestion, type PolicyRule } from '../rbac/policy-rule.ts';
import { NO_RULES, type ResolvedRules, type RuleResolver } from '../rule-resolver.ts';

export interface NodeAuthorizerParts {
  readonly graph: NodeGraph;
  /** What all nodes may do: those of the cluster role `system:node`. */
  readonly rules: readonly PolicyRule[];
  /** Whether nodes ask for certificates of pods; no, and then nothing of such requests is allowed. */
  readonly hasPodCertificates?: boolean;
}

const NOT_LISTED: ResolvedRules = {
  ...NO_RULES,
  isIncomplete: true,
  problem: 'node authorizer does not support user rule resolution',
};

export function nodeAuthorizer(parts: NodeAuthorizerParts): Authorizer & RuleResolver {
  const allowed = compileRules(parts.rules);
  const { graph, hasPodCertificates = false } = parts;
  return {
    authorize({ user, request }) {
      const node = nodeNameOf(user);
      if (node === undefined) return NO_OPINION;
      if (node === '') return refused(`unknown node for user ${goQuote(user.name)}`);
      const resource = `${request.apiGroup}/${request.resource}`;
      const decide = request.isResourceRequest ? DECISIONS.get(resource) : undefined;
      if (decide !== undefined) return decide({ graph, node, request, hasPodCertificates });
      return allowed(ruleQuestion(request)) ? ALLOW : NO_OPINION;
    },
    rulesFor: (user) => (nodeNameOf(user) === undefined ? NO_RULES : NOT_LISTED),
  };
}

interface Asked {
  readonly graph: NodeGraph;
  readonly node: string;
  readonly request: RequestInfo;
  readonly hasPodCertificates: boolean;
}

type Decide = (asked: Asked) => Decision;

function refused(reason: string): Decision {
  return { verdict: 'noOpinion', reason };
}

type OwnResource = Referenced | 'persistentvolumes';

function related({ graph, node, request }: Asked, resource: OwnResource): Decision {
  const { namespace, name } = request;
  if (name === '') return refused('No Object name found');
  if (graph.reaches(node, resource, pathOf(namespace, name))) return ALLOW;
  return refused(`no relationship found between node '${node}' and this object`);
}

function getting(resource: OwnResource): Decide {
  return (asked) => {
    const { verb, subresource } = asked.request;
    if (verb !== 'get') return refused('can only get individual resources of this type');
    return subresource === '' ? related(asked, resource) : refused('cannot get subresource');
  };
}

function reading(resource: OwnResource): Decide {
  return (asked) => {
    const { verb, subresource, namespace } = asked.request;
    if (!READS.has(verb)) return refused('can only read resources of this type');
    if (subresource !== '') return refused('cannot read subresource');
    if (namespace === '') return refused('can only read namespaced object of this type');
    return related(asked, resource);
  };
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const getClaim = getting('persistentvolumeclaims');
const getPod = getting('pods');
const readServiceAccount = reading('serviceaccounts');

function claim(asked: Asked): Decision {
  const { subresource, verb } = asked.request;
  if (subresource !== 'status') return getClaim(asked);
  if (verb !== 'update' && verb !== 'patch') {
    return refused('can only get/update/patch this type');
  }
  return related(asked, 'persistentvolumeclaims');
}

function serviceAccount(asked: Asked): Decision {
  const { verb, subresource, name } = asked.request;
  if (verb === 'get' && subresource === '') return readServiceAccount(asked);
  if (verb !== 'create' || name === '') {
    return refused('can only create tokens for individual service accounts');
  }
  if (subresource !== 'token') {
    return refused('can only create token subresource of serviceaccount');
  }
  return related(asked, 'serviceaccounts');
}

const OWN_VERBS: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);
const LEASE_NAMESPACE = 'kube-node-lease';

function lease({ node, request: { verb, namespace, name } }: Asked): Decision {
  if (!OWN_VERBS.has(verb)) {
    return refused('can only get, create, update, patch, or delete a node lease');
  }
  if (namespace !== LEASE_NAMESPACE) {
    return refused(`can only access leases in the ${goQuote(LEASE_NAMESPACE)} system namespace`);
  }
  // The name of a new one is not known here; NodeRestriction looks at it.
  if (verb === 'create' || name === node) return ALLOW;
  return refused('can only access node lease with the same name as the requesting node');
}

function csiNode({ node, request: { verb, subresource, name } }: Asked): Decision {
  if (!OWN_VERBS.has(verb)) {
    return refused('can only get, create, update, patch, or delete a CSINode');
  }
  if (subresource !== '') return refused('cannot authorize CSINode subresources');
  if (verb === 'create' || name === node) return ALLOW;
  return refused('can only access CSINode with the same name as the requesting node');
}

function resourceSlice(asked: Asked): Decision {
  const { verb, subresource } = asked.request;
  if (subresource !== '') return refused('cannot authorize ResourceSlice subresources');
  switch (verb) {
    case 'create':
      return ALLOW;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return related(asked, 'resourceslices');
    case 'watch':
    case 'list':
    case 'deletecollection':
      if (selectsOwn(asked)) return ALLOW;
      return refused(
        'can only list/watch/deletecollection resourceslices with nodeName field selector',
      );
    default:
      return refused(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
  }
}

/** Whether nothing is asked for but what is on the node. */
function selectsOwn({ node, request }: Asked): boolean {
  const parsed = parseFieldSelector(request.fieldSelector);
  return parsed.ok && parsed.selector.requiresExactMatch('spec.nodeName') === node;
}

function ownNode({ node, request: { verb, subresource, name } }: Asked): Decision {
  if (subresource === 'status') {
    return verb === 'update' || verb === 'patch' ? ALLOW : NO_OPINION;
  }
  if (subresource !== '') return NO_OPINION;
  if (verb === 'create' || verb === 'update' || verb === 'patch') return ALLOW;
  if (!READS.has(verb)) return NO_OPINION;
  if (name === node) return ALLOW;
  const what = name === '' ? 'read all nodes' : `read '${name}'`;
  return refused(`node '${node}' cannot ${what}, only its own Node object`);
}

function pod(asked: Asked): Decision {
  const { verb, subresource, name } = asked.request;
  switch (subresource) {
    case '':
      break;
    case 'status':
      return verb === 'update' || verb === 'patch' ? ALLOW : NO_OPINION;
    case 'eviction':
      return verb === 'create' ? ALLOW : NO_OPINION;
    default:
      return NO_OPINION;
  }
  if (verb === 'get') return getPod(asked);
  // Mirror pods, which NodeRestriction tells from others.
  if (verb === 'create' || verb === 'delete') return ALLOW;
  if (verb !== 'list' && verb !== 'watch') return NO_OPINION;
  if (selectsOwn(asked)) return ALLOW;
  if (name !== '') return related(asked, 'pods');
  return refused('can only list/watch pods with spec.nodeName field selector');
}

function podCertificateRequest(asked: Asked): Decision {
  if (!asked.hasPodCertificates) return NO_OPINION;
  const { verb, subresource } = asked.request;
  if (subresource !== '') {
    return refused('nodes may not access the status subresource of PodCertificateRequests');
  }
  switch (verb) {
    case 'create':
      return ALLOW;
    case 'get':
      return related(asked, 'podcertificaterequests');
    case 'list':
    case 'watch':
      if (selectsOwn(asked)) return ALLOW;
      return refused('can only list/watch podcertificaterequests with nodeName field selector');
    default:
      return refused(`nodes may not ${verb} podcertificaterequests`);
  }
}

/** By group and resource. Others are what all nodes may do alike. */
const DECISIONS: ReadonlyMap<string, Decide> = new Map<string, Decide>([
  ['/secrets', reading('secrets')],
  ['/configmaps', reading('configmaps')],
  ['/persistentvolumeclaims', claim],
  ['/persistentvolumes', getting('persistentvolumes')],
  ['resource.k8s.io/resourceclaims', getting('resourceclaims')],
  ['storage.k8s.io/volumeattachments', getting('volumeattachments')],
  ['/serviceaccounts', serviceAccount],
  ['coordination.k8s.io/leases', lease],
  ['storage.k8s.io/csinodes', csiNode],
  ['resource.k8s.io/resourceslices', resourceSlice],
  ['/nodes', ownNode],
  ['/pods', pod],
  ['certificates.k8s.io/podcertificaterequests', podCertificateRequest],
]);
