/**
 * The spec of a pod, which also stands in the template of everything that runs pods.
 * It holds the checks that people meet first; every list below is meant to grow.
 *
 * In Kubernetes: ValidatePodSpec, pkg/apis/core/validation.
 */
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../api/meta/json.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  qualifiedNameProblems,
} from '../../api/meta/names.ts';
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  notFoundValue,
  required,
  type FieldErrors,
} from '../../api/schema/field-errors.ts';
import { indexPath } from '../../api/schema/field-path.ts';
import { validateContainer } from './container-validation.ts';
import { validateLabels } from './label-selector-validation.ts';
import { validateVolumes } from './pod-volumes-validation.ts';
import { invalidFor, isMissing, numberAt, objectsAt, oneOf } from './value-validation.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
/** What cannot be given to a container that joins a running pod, in upstream's order. */
const NOT_FOR_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];
const SECONDS_MAX = 2 ** 31 - 1;
/** What only init containers with restartPolicy Always may have. */
const SIDECAR_FIELDS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

export function validatePodSpec(field: string, spec: JsonObject): FieldErrors {
  const volumes = validateVolumes(`${field}.volumes`, spec);
  return [
    ...(isMissing(spec['terminationGracePeriodSeconds'])
      ? [required(`${field}.terminationGracePeriodSeconds`)]
      : []),
    ...volumes.errors,
    ...validateContainers(`${field}.containers`, spec, volumes.names),
    ...validateInitContainers(`${field}.initContainers`, spec, volumes.names),
    ...validateEphemeralContainers(`${field}.ephemeralContainers`, spec, volumes.names),
    ...oneOf(`${field}.restartPolicy`, spec['restartPolicy'], RESTART_POLICIES),
    ...oneOf(`${field}.dnsPolicy`, spec['dnsPolicy'], DNS_POLICIES),
    ...validateLabels(`${field}.nodeSelector`, spec['nodeSelector']),
    ...validateSchedulingGates(`${field}.schedulingGates`, spec),
    ...validateNames(field, spec, ['serviceAccountName', 'nodeName']),
    ...validateActiveDeadline(`${field}.activeDeadlineSeconds`, spec),
    ...validateNames(field, spec, ['hostname', 'subdomain']),
    ...validateNames(field, spec, ['priorityClassName', 'runtimeClassName']),
  ];
}

function validateContainers(
  field: string,
  spec: JsonObject,
  volumes: ReadonlySet<string>,
): FieldErrors {
  const containers = objectsAt(spec, 'containers');
  if (containers.length === 0) return [required(field)];
  const names = new Set<string>();
  return containers.flatMap((container, index) => {
    const path = indexPath(field, index);
    const name = stringAt(container, 'name');
    const isTaken = names.has(name);
    names.add(name);
    return [
      ...validateContainer(path, container, volumes),
      ...(isTaken ? [duplicateValue(`${path}.name`, name)] : []),
    ];
  });
}

function validateInitContainers(
  field: string,
  spec: JsonObject,
  volumes: ReadonlySet<string>,
): FieldErrors {
  const names = namesOf(spec, 'containers');
  return objectsAt(spec, 'initContainers').flatMap((container, index) => {
    const path = indexPath(field, index);
    const name = stringAt(container, 'name');
    const isTaken = names.has(name);
    if (name !== '') names.add(name);
    return [
      ...validateContainer(path, container, volumes),
      ...(isTaken ? [duplicateValue(`${path}.name`, name)] : []),
      ...validateSidecarFields(path, container),
    ];
  });
}

function validateSidecarFields(field: string, container: JsonObject): FieldErrors {
  if (container['restartPolicy'] === 'Always') return [];
  return SIDECAR_FIELDS.filter((key) => !isMissing(container[key])).map((key) =>
    forbiddenField(
      `${field}.${key}`,
      'may not be set for init containers without restartPolicy=Always',
    ),
  );
}

function validateEphemeralContainers(
  field: string,
  spec: JsonObject,
  volumes: ReadonlySet<string>,
): FieldErrors {
  const others = namesOf(spec, 'containers', 'initContainers');
  const names = new Set(others);
  return objectsAt(spec, 'ephemeralContainers').flatMap((container, index) => {
    const path = indexPath(field, index);
    const name = stringAt(container, 'name');
    const target = stringAt(container, 'targetContainerName');
    const isTaken = names.has(name);
    names.add(name);
    return [
      ...validateContainer(path, container, volumes),
      ...(isTaken ? [duplicateValue(`${path}.name`, name)] : []),
      ...(target !== '' && !others.has(target)
        ? [notFoundValue(`${path}.targetContainerName`, target)]
        : []),
      ...validateEphemeralFields(path, container),
    ];
  });
}

function validateEphemeralFields(field: string, container: JsonObject): FieldErrors {
  const detail = 'cannot be set for an Ephemeral Container';
  const forbidden = NOT_FOR_EPHEMERAL.filter((key) => !isMissingOrEmpty(container[key]));
  const subPaths = objectsAt(container, 'volumeMounts').flatMap((mount, index) =>
    ['subPath', 'subPathExpr']
      .filter((key) => stringAt(mount, key) !== '')
      .map((key) => `volumeMounts[${String(index)}].${key}`),
  );
  return [...forbidden, ...subPaths].map((key) => forbiddenField(`${field}.${key}`, detail));
}

function isMissingOrEmpty(value: JsonValue | undefined): boolean {
  return isMissing(value) || (isJsonObject(value) && Object.keys(value).length === 0);
}

function namesOf(spec: JsonObject, ...keys: readonly string[]): Set<string> {
  return new Set(keys.flatMap((key) => objectsAt(spec, key).map((one) => stringAt(one, 'name'))));
}

function validateSchedulingGates(field: string, spec: JsonObject): FieldErrors {
  const names = new Set<string>();
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const path = indexPath(field, index);
    const name = stringAt(gate, 'name');
    const isTaken = names.has(name);
    names.add(name);
    return [
      ...invalidFor(path, name, qualifiedNameProblems(name)),
      ...(isTaken ? [duplicateValue(path, name)] : []),
    ];
  });
}

/** Those that become a part of a host name are labels, the others subdomains. */
function validateNames(field: string, spec: JsonObject, keys: readonly string[]): FieldErrors {
  return keys.flatMap((key) => {
    const name = stringAt(spec, key);
    const isLabel = key === 'hostname' || key === 'subdomain';
    if (name === '') return [];
    const problems = isLabel ? dns1123LabelProblems(name) : dns1123SubdomainProblems(name);
    return invalidFor(`${field}.${key}`, name, problems);
  });
}

function validateActiveDeadline(field: string, spec: JsonObject): FieldErrors {
  const seconds = numberAt(spec, 'activeDeadlineSeconds');
  if (seconds === undefined || (seconds >= 1 && seconds <= SECONDS_MAX)) return [];
  return [invalidValue(field, seconds, `must be between 1 and ${String(SECONDS_MAX)}, inclusive`)];
}
