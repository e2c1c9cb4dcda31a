/** Which claims on devices a pod has got. In Kubernetes: validatePodResourceClaimStatuses and its neighbours. */
import { objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  duplicateValue,
  invalidValue,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { presentAt } from '../../pod-spec/pod-rules.ts';
import { invalidFor, isMissing, objectsAt } from '../../rules/value-validation.ts';

export function validateClaimStatuses(status: JsonObject, spec: JsonObject): FieldErrors {
  return [...validateClaims(status, spec), ...validateExtendedClaim(status, spec)];
}

function validateClaims(status: JsonObject, spec: JsonObject): FieldErrors {
  const known = new Set(objectsAt(spec, 'resourceClaims').map((one) => stringAt(one, 'name')));
  const names = new Set<string>();
  const detail = 'must match the name of an entry in `spec.resourceClaims`';
  return objectsAt(status, 'resourceClaimStatuses').flatMap((claim, index) => {
    const path = indexPath('status.resourceClaimStatuses', index);
    const name = stringAt(claim, 'name');
    const isTaken = names.has(name);
    names.add(name);
    const made = stringAt(claim, 'resourceClaimName');
    return [
      ...(known.has(name) ? [] : [invalidValue(`${path}.name`, name, detail)]),
      ...(isTaken ? [duplicateValue(`${path}.name`, name)] : []),
      ...(isMissing(claim['resourceClaimName'])
        ? []
        : invalidFor(`${path}.resourceClaimName`, made, dns1123SubdomainProblems(made))),
    ];
  });
}

/** A claim that was made for extended resources which containers ask for by name. */
function validateExtendedClaim(status: JsonObject, spec: JsonObject): FieldErrors {
  const extended = presentAt(status, 'extendedResourceClaimStatus');
  if (extended === undefined) return [];
  const field = 'status.extendedResourceClaimStatus';
  const claim = stringAt(extended, 'resourceClaimName');
  const mappings = objectsAt(extended, 'requestMappings');
  const containers = containersByName(spec);
  const seen = new Set<string>();
  return [
    ...(mappings.length === 0
      ? [required(`${field}.requestMappings`, 'at least one request mapping is required')]
      : []),
    ...mappings.flatMap((mapping, index) => {
      const path = indexPath(`${field}.requestMappings`, index);
      const request = stringAt(mapping, 'requestName');
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

function containersByName(spec: JsonObject): ReadonlyMap<string, JsonObject> {
  const containers = [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')];
  return new Map(containers.map((one) => [stringAt(one, 'name'), one]));
}

function validateMapping(
  field: string,
  mapping: JsonObject,
  containers: ReadonlyMap<string, JsonObject>,
): FieldErrors {
  const name = stringAt(mapping, 'containerName');
  const resource = stringAt(mapping, 'resourceName');
  const container = containers.get(name);
  if (container === undefined) {
    const detail =
      'must match the name of an entry in spec.initContainers.name or spec.containers.name';
    return [invalidValue(`${field}.containerName`, name, detail)];
  }
  const requests = objectAt(objectAt(container, 'resources'), 'requests') ?? {};
  const detail =
    'must match the extended resource name of an entry in spec.initContainers.resources.requests ' +
    'or spec.containers.resources.requests';
  return Object.hasOwn(requests, resource)
    ? []
    : [invalidValue(`${field}.resourceName`, resource, detail)];
}

const KEYS = ['containerName', 'resourceName', 'requestName'];

/** Adds the mapping to `seen`. */
function validateNotTwice(field: string, mapping: JsonObject, seen: Set<string>): FieldErrors {
  const key = JSON.stringify(KEYS.map((name) => stringAt(mapping, name)));
  const isTwice = seen.has(key);
  seen.add(key);
  if (!isTwice) return [];
  return KEYS.map((name) => duplicateValue(`${field}.${name}`, stringAt(mapping, name)));
}
