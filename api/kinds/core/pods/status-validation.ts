/**
 * What a node's agent may write about a pod.
 *
 * In Kubernetes: ValidatePodStatusUpdate, pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type { Pod, PodStatus, PodSpec } from '../../../generated/kinds/core-v1.ts';
import { dns1123SubdomainProblems, qualifiedNameProblems } from '../../../meta/names.ts';
import {
  forbiddenField,
  invalidValue,
  type FieldError,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { familyOf, parseIp } from '../../rules/ip-address.ts';
import { validateLegacyIp } from '../../rules/ip-validation.ts';
import { podRules } from '../../pod-spec/pod-rules.ts';
import { validatePodAnnotations } from '../../pod-spec/pod-annotations-validation.ts';
import { immutable, invalidFor } from '../../rules/value-validation.ts';
import { validateContainerStatuses } from './container-statuses-validation.ts';
import { validateClaimStatuses } from './claim-statuses-validation.ts';
import { validateFixedAnnotations } from './update-validation.ts';

/** Conditions that the system itself sets need not be looked at. */
const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

export function validatePodStatus(pod: Pod, old: Pod): FieldErrors {
  const status = pod.status;
  const oldStatus = old.status;
  const spec = pod.spec;
  const rules = podRules(pod.metadata, old.spec);
  const annotations = pod.metadata.annotations ?? {};
  const generation = status.observedGeneration ?? 0;
  const { transitions, contents } = validateContainerStatuses(status, oldStatus, old.spec);
  return [
    ...validateFixedAnnotations(pod, old),
    ...validatePodAnnotations('metadata.annotations', annotations, spec, rules),
    ...validateConditions(status),
    ...validateNominatedNode(status, oldStatus, spec),
    ...(generation < 0
      ? [invalidValue('status.observedGeneration', generation, 'must be a non-negative integer')]
      : []),
    ...immutable('status.qosClass', status.qosClass ?? '', oldStatus.qosClass ?? ''),
    ...transitions,
    ...validateClaimStatuses(status, spec),
    ...validateIps(
      'status.podIPs',
      addressesOf(status, 'podIPs'),
      addressesOf(oldStatus, 'podIPs'),
    ),
    ...validateHostIps(status, oldStatus),
    ...contents,
  ];
}

function validateConditions(status: PodStatus): FieldErrors {
  return items(status.conditions).flatMap((condition, index) => {
    const path = indexPath('status.conditions', index);
    const type = condition.type;
    const generation = condition.observedGeneration ?? 0;
    return [
      ...(generation < 0
        ? [invalidValue(`${path}.observedGeneration`, generation, 'must be a non-negative integer')]
        : []),
      ...(SYSTEM_CONDITIONS.includes(type)
        ? []
        : invalidFor(`${path}.Type`, type, qualifiedNameProblems(type))),
    ];
  });
}

function validateNominatedNode(
  status: PodStatus,
  oldStatus: PodStatus,
  spec: PodSpec,
): FieldErrors {
  const field = 'status.nominatedNodeName';
  const name = status.nominatedNodeName ?? '';
  if (name === '' || name === (oldStatus.nominatedNodeName ?? '')) return [];
  return [
    ...invalidFor(field, name, dns1123SubdomainProblems(name)),
    ...((spec.nodeName ?? '') === ''
      ? []
      : [forbiddenField(field, 'may not be set on pods that are already bound to a node')]),
  ];
}

function addressesOf(status: PodStatus, key: 'podIPs' | 'hostIPs'): readonly string[] {
  return items<{ ip?: string }>(status[key]).map(({ ip = '' }) => ip);
}

function validateHostIps(status: PodStatus, oldStatus: PodStatus): FieldErrors {
  const addresses = addressesOf(status, 'hostIPs');
  const [first] = addresses;
  if (first === undefined) return [];
  return [
    ...(first === (status.hostIP ?? '')
      ? []
      : [invalidValue('status.hostIPs[0].ip', first, 'must be equal to `hostIP`')]),
    ...validateIps('status.hostIPs', addresses, addressesOf(oldStatus, 'hostIPs')),
  ];
}

/** At most one address of each family. */
function validateIps(
  field: string,
  addresses: readonly string[],
  oldAddresses: readonly string[],
): FieldErrors {
  return [
    ...addresses.flatMap((ip, index) =>
      validateLegacyIp(indexPath(field, index), ip, oldAddresses),
    ),
    ...(addresses.length > 1 ? validateFamilies(field, addresses) : []),
  ];
}

function validateFamilies(field: string, addresses: readonly string[]): FieldErrors {
  const parsed = addresses.map(parseIp);
  const wrong = parsed.indexOf(undefined);
  const families = new Set(parsed.flatMap((ip) => (ip === undefined ? [] : [familyOf(ip)])));
  const isPair = wrong < 0 && families.size === 2 && addresses.length === 2;
  const shown = addresses.map((ip) => ({ IP: ip }));
  const detail = 'may specify no more than one IP for each IP family';
  return [
    ...(wrong < 0 ? [] : [unreadable(field, wrong, addresses[wrong] ?? '')]),
    ...(isPair ? [] : [invalidValue(field, shown, detail)]),
  ];
}

/** Upstream's own check fails when an address cannot be read. */
function unreadable(field: string, index: number, ip: string): FieldError {
  const why = `failed to check for dual stack with error:invalid IP[${String(index)}]: ${ip}`;
  return { type: 'InternalError', field, body: `Internal error: ${why}` };
}
