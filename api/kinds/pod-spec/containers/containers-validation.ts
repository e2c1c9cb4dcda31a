/**
 * The three lists of containers of a pod, and what holds for each container in them.
 *
 * In Kubernetes: validateContainers, validateInitContainers, validateEphemeralContainers and
 * validateContainerCommon, pkg/apis/core/validation.
 */
import {
  isJsonObject,
  listAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../../json/json.ts';
import { dns1123LabelProblems } from '../../../meta/names.ts';
import { remembered } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  notFoundValue,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateContainerResourceName } from '../../rules/resource-names.ts';
import { invalidFor, isMissing, objectsAt, ofEachAt, oneOf } from '../../rules/value-validation.ts';
import { validateContainerPorts, validateHostPorts } from './container-ports-validation.ts';
import { validateEnvironment, validateEnvironmentSources } from './environment-validation.ts';
import { validateDevices, validateMounts, type Volumes } from '../volumes/mounts-validation.ts';
import { hasHostUsers, isSidecar, presentAt, type PodRules } from '../pod-rules.ts';
import { validateLifecycle, validateProbes, type PodTimes } from './probes-validation.ts';
import { validateRequirements } from './resource-requirements-validation.ts';
import {
  validateInitRestartRules,
  validateResizePolicies,
  validateRestartRules,
} from './restart-validation.ts';
import { validateSecurityContext } from '../security/security-context-validation.ts';

export const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const TERMINATION_MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
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
/** What only init containers with restartPolicy Always may have. */
const SIDECAR_FIELDS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** What a container may use of its pod. */
export interface PodParts {
  readonly spec: JsonObject;
  readonly volumes: Volumes;
  readonly claims: ReadonlySet<string>;
  readonly times: PodTimes;
}

function validateContainer(field: string, container: JsonObject, parts: PodParts): FieldErrors {
  const { spec, volumes, claims } = parts;
  const name = stringAt(container, 'name');
  const resources = presentAt(container, 'resources');
  return [
    ...(name === ''
      ? [required(`${field}.name`)]
      : invalidFor(`${field}.name`, name, dns1123LabelProblems(name))),
    ...(stringAt(container, 'image') === '' ? [required(`${field}.image`)] : []),
    ...oneOf(
      `${field}.terminationMessagePolicy`,
      container['terminationMessagePolicy'],
      TERMINATION_MESSAGE_POLICIES,
    ),
    ...validateContainerPorts(`${field}.ports`, container),
    ...validateEnvironment(`${field}.env`, container),
    ...validateEnvironmentSources(`${field}.envFrom`, container),
    ...validateMounts(`${field}.volumeMounts`, container, volumes),
    ...validateDevices(`${field}.volumeDevices`, container, volumes),
    ...oneOf(`${field}.imagePullPolicy`, container['imagePullPolicy'], PULL_POLICIES),
    ...validateRequirements(`${field}.resources`, resources, claims, validateContainerResourceName),
    ...validateResizePolicies(`${field}.resizePolicy`, container, stringAt(spec, 'restartPolicy')),
    ...validateSecurityContext(`${field}.securityContext`, container, hasHostUsers(spec)),
  ];
}

/** An image in a pod that runs, unlike one in a template, may not have blanks around it. */
export function validateImageBlanks(field: string, container: JsonObject): FieldErrors {
  const image = stringAt(container, 'image');
  return image === image.trim()
    ? []
    : [invalidValue(`${field}.image`, image, 'must not have leading or trailing whitespace')];
}

export function validateContainers(field: string, parts: PodParts): FieldErrors {
  if (listAt(parts.spec, 'containers').length === 0) return [required(field)];
  const names = remembered(() => new Set<string>());
  const errors = ofEachAt(parts.spec, 'containers', (container, index) => {
    const path = indexPath(field, index);
    const name = stringAt(container, 'name');
    const found = [
      ...validateContainer(path, container, parts),
      ...(names.has(name) ? [duplicateValue(`${path}.name`, name)] : []),
      ...validateLifecycle(path, container, parts.times),
      ...validateProbes(path, container, parts.times),
      ...validateRestartRules(path, container),
    ];
    names.add(name);
    return found;
  });
  return [...errors, ...validateHostPorts(field, parts.spec, 'containers')];
}

export function validateInitContainers(
  field: string,
  parts: PodParts,
  rules: PodRules,
): FieldErrors {
  const names = remembered(() => namesOf(parts.spec, 'containers'));
  return ofEachAt(parts.spec, 'initContainers', (container, index) => {
    const path = indexPath(field, index);
    const name = stringAt(container, 'name');
    const found = [
      ...validateContainer(path, container, parts),
      ...validateInitRestartRules(path, container),
      ...(names.has(name) ? [duplicateValue(`${path}.name`, name)] : []),
      // One runs after the other, so each has the ports of the host for itself.
      ...validateHostPorts(field, { containers: [container] }, 'containers'),
      ...(isSidecar(container)
        ? [
            ...validateLifecycle(path, container, parts.times),
            ...validateProbes(path, container, parts.times),
          ]
        : validateNoSidecar(path, container, rules)),
    ];
    if (name !== '') names.add(name);
    return found;
  });
}

function validateNoSidecar(field: string, container: JsonObject, rules: PodRules): FieldErrors {
  const detail = 'may not be set for init containers without restartPolicy=Always';
  const resize = "must not be set to 'RestartContainer' for non-sidecar initContainers";
  const policies = rules.allowsInitRestart ? [] : objectsAt(container, 'resizePolicy');
  return [
    ...SIDECAR_FIELDS.filter((key) => !isMissing(container[key])).map((key) =>
      forbiddenField(`${field}.${key}`, detail),
    ),
    ...policies.flatMap((policy, index) =>
      policy['restartPolicy'] === 'RestartContainer'
        ? [
            invalidValue(
              `${indexPath(`${field}.resizePolicy`, index)}.restartPolicy`,
              'RestartContainer',
              resize,
            ),
          ]
        : [],
    ),
  ];
}

export function validateEphemeralContainers(field: string, parts: PodParts): FieldErrors {
  if (listAt(parts.spec, 'ephemeralContainers').length === 0) return [];
  const others = remembered(() => namesOf(parts.spec, 'containers', 'initContainers'));
  const names = remembered(() => new Set(others));
  return ofEachAt(parts.spec, 'ephemeralContainers', (container, index) => {
    const path = indexPath(field, index);
    const name = stringAt(container, 'name');
    const target = stringAt(container, 'targetContainerName');
    const found = [
      ...validateContainer(path, container, parts),
      ...validateImageBlanks(path, container),
      ...(names.has(name) ? [duplicateValue(`${path}.name`, name)] : []),
      ...(target !== '' && !others.has(target)
        ? [notFoundValue(`${path}.targetContainerName`, target)]
        : []),
      ...validateEphemeralFields(path, container),
    ];
    names.add(name);
    return found;
  });
}

function validateEphemeralFields(field: string, container: JsonObject): FieldErrors {
  const detail = 'cannot be set for an Ephemeral Container';
  const forbidden = NOT_FOR_EPHEMERAL.filter((key) => isSet(key, container[key]));
  const subPaths = objectsAt(container, 'volumeMounts').flatMap((mount, index) =>
    ['subPath', 'subPathExpr']
      .filter((key) => stringAt(mount, key) !== '')
      .map((key) => `volumeMounts[${String(index)}].${key}`),
  );
  return [...forbidden, ...subPaths].map((key) => forbiddenField(`${field}.${key}`, detail));
}

/** `resources` is no pointer in Go, so that an empty one is as good as none. */
function isSet(key: string, value: JsonValue | undefined): boolean {
  if (isMissing(value)) return false;
  const isEmpty = isJsonObject(value) && Object.keys(value).length === 0;
  return !(key === 'resources' && isEmpty);
}

function namesOf(spec: JsonObject, ...keys: readonly string[]): Set<string> {
  return new Set(keys.flatMap((key) => objectsAt(spec, key).map((one) => stringAt(one, 'name'))));
}
