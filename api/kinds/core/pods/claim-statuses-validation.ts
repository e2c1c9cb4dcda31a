/** Which claims on devices a pod has got. In Kubernetes: validatePodResourceClaimStatuses and its neighbours. */
import { items } from '../../../json/go-values.ts';
import type {
  Container,
  PodSpec,
  PodStatus,
  ContainerExtendedResourceRequest,
} from '../../../generated/kinds/core-v1.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  duplicateValue,
  invalidValue,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';

export function validateClaimStatuses(status: PodStatus, spec: PodSpec): FieldErrors {
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
