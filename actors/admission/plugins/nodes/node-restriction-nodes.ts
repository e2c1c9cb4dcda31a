/** What a node may say of itself: nothing that would bring it pods which are not meant for it. */
import { objectAt } from '../../../../api/json/json.ts';
import type { StringMap } from '../../../../api/meta/object-meta.ts';
import { goQuote } from '../../../../api/json/go-format.ts';
import { sameValue } from '../../../../api/kinds/rules/same-value.ts';
import type { NodeProblem, NodeWrite } from './node-write.ts';

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

export function nodeProblem({ node, attributes }: NodeWrite): NodeProblem {
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
