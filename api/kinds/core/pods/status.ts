/**
 * The status of a pod, which its node's agent writes, and what it may say: phases, addresses, and the
 * claims on devices that the pod has got.
 *
 * In Kubernetes: podStatusStrategy, registry/core/pod; ValidatePodStatusUpdate and
 * validatePodResourceClaimStatuses, pkg/apis/core/validation.
 */
import type {
  Container,
  ContainerExtendedResourceRequest,
  Pod,
  PodSpec,
  PodStatus,
} from '../../../generated/kinds/core-v1.ts';
import { type Int64, items } from '../../../json/go-values.ts';
import type { ObjectOf } from '../../../meta/object-meta.ts';
import { indexPath } from '../../../field/field-path.ts';
import { ipWarnings, validateLegacyIp } from '../../rules/ip-validation.ts';
import { withoutGatedStatus } from '../../pod-spec/pod-spec-preparation.ts';
import type { StatusRules } from '../../strategy-of.ts';
import { pairPodIps } from './pod-ips.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  qualifiedNameProblems,
} from '../../../meta/names.ts';
import {
  duplicateValue,
  type FieldError,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { familyOf, parseIp } from '../../rules/ip-address.ts';
import { podRules } from '../../pod-spec/pod-rules.ts';
import { validatePodAnnotations } from '../../pod-spec/pod-annotations.ts';
import { immutable, invalidFor, isMissing } from '../../rules/value-validation.ts';
import { validateContainerStatuses } from './container-statuses-validation.ts';
import { validateFixedAnnotations } from './update-validation.ts';

export const podStatus: Omit<StatusRules<ObjectOf<Pod>>, 'initial'> = {
  keeps: ['ownerReferences'],
  prepareForUpdate(pod, old, isOn) {
    // The registry puts the old object's back; it cannot be set this way.
    delete pod.metadata.deletionTimestamp;
    const status = withOldGenerations({ ...pod.status }, old.status);
    pairPodIps(status);
    const { qosClass } = old.status;
    if (qosClass !== undefined) status.qosClass ??= qosClass;
    pod.status = withoutGatedStatus(status, old.status, isOn);
  },
  validateUpdate: validatePodStatus,
  warningsOnUpdate: ({ status }) =>
    (['podIPs', 'hostIPs'] as const).flatMap((key) =>
      // oxlint-disable-next-line typescript/no-useless-default-assignment -- An item of JSON may lack it.
      items(status[key]).flatMap(({ ip = '' }, index) =>
        ipWarnings(`${indexPath(`status.${key}`, index)}.ip`, ip),
      ),
    ),
};

/** Writers that do not know of observed generations must not erase them. */
function withOldGenerations(status: PodStatus, old: PodStatus): PodStatus {
  keepGeneration(status, old);
  if (status.conditions === undefined) return status;
  const oldConditions = [...items(old.conditions)];
  status.conditions = status.conditions.map((condition) => {
    const copy = { ...condition };
    keepGeneration(copy, takeFirst(oldConditions, ({ type }) => type === condition.type) ?? {});
    return copy;
  });
  return status;
}

function keepGeneration(target: Observing, { observedGeneration: old = 0 }: Observing): void {
  if ((target.observedGeneration ?? 0) === 0 && old !== 0) target.observedGeneration = old;
}

interface Observing {
  observedGeneration?: Int64;
}

/** Removes what it returns, so that conditions of one type are paired in their order. */
function takeFirst<T>(list: T[], matches: (one: T) => boolean): T | undefined {
  const index = list.findIndex(matches);
  return index < 0 ? undefined : list.splice(index, 1)[0];
}

/** Conditions that the system itself sets need not be looked at. */
const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

function validatePodStatus(pod: Pod, old: Pod): FieldErrors {
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

function validateClaimStatuses(status: PodStatus, spec: PodSpec): FieldErrors {
  return [...validateClaims(status, spec), ...validateExtendedClaim(status, spec)];
}

function validateClaims(status: PodStatus, spec: PodSpec): FieldErrors {
  const known = new Set(items(spec.resourceClaims).map((one) => one.name));
  const names = new Set<string>();
  const detail = 'must match the name of an entry in `spec.resourceClaims`';
  return items(status.resourceClaimStatuses).flatMap((claim, index) => {
    const path = indexPath('status.resourceClaimStatuses', index);
    const name = claim.name;
    const isTaken = names.has(name);
    names.add(name);
    const made = claim.resourceClaimName ?? '';
    return [
      ...(known.has(name) ? [] : [invalidValue(`${path}.name`, name, detail)]),
      ...(isTaken ? [duplicateValue(`${path}.name`, name)] : []),
      ...(isMissing(claim.resourceClaimName)
        ? []
        : invalidFor(`${path}.resourceClaimName`, made, dns1123SubdomainProblems(made))),
    ];
  });
}

/** A claim that was made for extended resources which containers ask for by name. */
function validateExtendedClaim(status: PodStatus, spec: PodSpec): FieldErrors {
  const extended = status.extendedResourceClaimStatus;
  if (extended === undefined) return [];
  const field = 'status.extendedResourceClaimStatus';
  const claim = extended.resourceClaimName;
  const mappings = items(extended.requestMappings);
  const containers = containersByName(spec);
  const seen = new Set<string>();
  return [
    ...(mappings.length === 0
      ? [required(`${field}.requestMappings`, 'at least one request mapping is required')]
      : []),
    ...mappings.flatMap((mapping, index) => {
      const path = indexPath(`${field}.requestMappings`, index);
      const request = mapping.requestName;
      return [
        ...validateMapping(path, mapping, containers),
        ...invalidFor(`${field}.requestName`, request, dns1123LabelProblems(request)),
        ...validateNotTwice(path, mapping, seen),
      ];
    }),
    ...(claim === ''
      ? [required(`${field}.resourceClaimName`)]
      : invalidFor(`${field}.resourceClaimName`, claim, dns1123SubdomainProblems(claim))),
  ];
}

function containersByName(spec: PodSpec): ReadonlyMap<string, Container> {
  const containers = [...items(spec.initContainers), ...items(spec.containers)];
  return new Map(containers.map((one) => [one.name, one]));
}

function validateMapping(
  field: string,
  mapping: ContainerExtendedResourceRequest,
  containers: ReadonlyMap<string, Container>,
): FieldErrors {
  const name = mapping.containerName;
  const resource = mapping.resourceName;
  const container = containers.get(name);
  if (container === undefined) {
    const detail =
      'must match the name of an entry in spec.initContainers.name or spec.containers.name';
    return [invalidValue(`${field}.containerName`, name, detail)];
  }
  const requests = container.resources.requests ?? {};
  const detail =
    'must match the extended resource name of an entry in spec.initContainers.resources.requests ' +
    'or spec.containers.resources.requests';
  return Object.hasOwn(requests, resource)
    ? []
    : [invalidValue(`${field}.resourceName`, resource, detail)];
}

const KEYS = ['containerName', 'resourceName', 'requestName'] as const;

/** Adds the mapping to `seen`. */
function validateNotTwice(
  field: string,
  mapping: ContainerExtendedResourceRequest,
  seen: Set<string>,
): FieldErrors {
  const key = JSON.stringify(KEYS.map((name) => mapping[name]));
  const isTwice = seen.has(key);
  seen.add(key);
  if (!isTwice) return [];
  return KEYS.map((name) => duplicateValue(`${field}.${name}`, mapping[name]));
}
