/**
 * The three lists of containers of a pod, and what holds for each container in them.
 *
 * In Kubernetes: validateContainers, validateInitContainers, validateEphemeralContainers and
 * validateContainerCommon, pkg/apis/core/validation.
 */
import { items, type ListOf } from '../../../json/go-values.ts';
import type { Container, PodSpec, EphemeralContainer } from '../../../generated/kinds/core-v1.ts';
import { isJsonObject, type JsonValue } from '../../../json/json.ts';
import { dns1123LabelProblems } from '../../../meta/names.ts';
import { remembered } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notFoundValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { validateContainerResourceName } from '../../rules/resource-names.ts';
import { invalidFor, isMissing, ofEach, oneOf } from '../../rules/value-validation.ts';
import { validateContainerPorts, validateHostPorts } from './container-ports-validation.ts';
import { validateEnvironment, validateEnvironmentSources } from './environment-validation.ts';
import { validateDevices, validateMounts, type Volumes } from '../volumes/mounts-validation.ts';
import { hasHostUsers, isSidecar, type PodRules } from '../pod-rules.ts';
import { type PodTimes, validateLifecycle, validateProbes } from './probes-validation.ts';
import { validateRequirements } from './resource-requirements-validation.ts';
import {
  validateInitRestartRules,
  validateResizePolicies,
  validateRestartRules,
} from './restart-validation.ts';
import { validateSecurityContext } from '../security/security-context-validation.ts';

/** In the order in which messages list them. */
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
] as const;
/** What only init containers with restartPolicy Always may have. */
const SIDECAR_FIELDS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** What a container may use of its pod. */
export interface PodParts {
  /** All of the pod's. */
  readonly spec: PodSpec;
  readonly volumes: Volumes;
  /** Names of its `resourceClaims`. */
  readonly claims: ReadonlySet<string>;
  /** The grace period and the system of the pod, by which probes are judged. */
  readonly times: PodTimes;
}

function validateContainer(
  field: string,
  container: Container | EphemeralContainer,
  parts: PodParts,
): FieldErrors {
  const { spec, volumes, claims } = parts;
  const name = container.name;
  const resources = container.resources;
  return [
    ...(name === ''
      ? [required(`${field}.name`)]
      : invalidFor(`${field}.name`, name, dns1123LabelProblems(name))),
    ...((container.image ?? '') === '' ? [required(`${field}.image`)] : []),
    ...oneOf(
      `${field}.terminationMessagePolicy`,
      container.terminationMessagePolicy,
      TERMINATION_MESSAGE_POLICIES,
    ),
    ...validateContainerPorts(`${field}.ports`, container),
    ...validateEnvironment(`${field}.env`, container),
    ...validateEnvironmentSources(`${field}.envFrom`, container),
    ...validateMounts(`${field}.volumeMounts`, container, volumes),
    ...validateDevices(`${field}.volumeDevices`, container, volumes),
    ...oneOf(`${field}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES),
    ...validateRequirements(`${field}.resources`, resources, claims, validateContainerResourceName),
    ...validateResizePolicies(`${field}.resizePolicy`, container, spec.restartPolicy ?? ''),
    ...validateSecurityContext(`${field}.securityContext`, container, hasHostUsers(spec)),
  ];
}

/** An image in a pod that runs, unlike one in a template, may not have blanks around it. */
export function validateImageBlanks(field: string, container: EphemeralContainer): FieldErrors {
  const image = container.image ?? '';
  return image === image.trim()
    ? []
    : [invalidValue(`${field}.image`, image, 'must not have leading or trailing whitespace')];
}

/** ValidateContainers: at least one, each with a name of its own. */
export function validateContainers(field: string, parts: PodParts): FieldErrors {
  if (items(parts.spec.containers).length === 0) return [required(field)];
  const names = remembered(() => new Set<string>());
  const errors = ofEach(parts.spec.containers, (container, index) => {
    const path = indexPath(field, index);
    const name = container.name;
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
  return [...errors, ...validateHostPorts(field, parts.spec.containers)];
}

/** ValidateInitContainers; names differ from those of the containers too. */
export function validateInitContainers(
  field: string,
  parts: PodParts,
  rules: PodRules,
): FieldErrors {
  const names = remembered(() => namesOf(parts.spec.containers));
  return ofEach(parts.spec.initContainers, (container, index) => {
    const path = indexPath(field, index);
    const name = container.name;
    const found = [
      ...validateContainer(path, container, parts),
      ...validateInitRestartRules(path, container),
      ...(names.has(name) ? [duplicateValue(`${path}.name`, name)] : []),
      // One runs after the other, so each has the ports of the host for itself.
      ...validateHostPorts(field, [container]),
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

function validateNoSidecar(field: string, container: Container, rules: PodRules): FieldErrors {
  const detail = 'may not be set for init containers without restartPolicy=Always';
  const resize = "must not be set to 'RestartContainer' for non-sidecar initContainers";
  const policies = rules.allowsInitRestart ? [] : items(container.resizePolicy);
  return [
    ...SIDECAR_FIELDS.filter((key) => !isMissing(container[key])).map((key) =>
      forbiddenField(`${field}.${key}`, detail),
    ),
    ...policies.flatMap((policy, index) =>
      policy.restartPolicy === 'RestartContainer'
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

/** ValidateEphemeralContainers: they may only debug, so ports, probes and resources are refused. */
export function validateEphemeralContainers(field: string, parts: PodParts): FieldErrors {
  if (items(parts.spec.ephemeralContainers).length === 0) return [];
  const others = remembered(() => namesOf(parts.spec.containers, parts.spec.initContainers));
  const names = remembered(() => new Set(others));
  return ofEach(parts.spec.ephemeralContainers, (container, index) => {
    const path = indexPath(field, index);
    const name = container.name;
    const target = container.targetContainerName ?? '';
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

function validateEphemeralFields(field: string, container: EphemeralContainer): FieldErrors {
  const detail = 'cannot be set for an Ephemeral Container';
  const forbidden = NOT_FOR_EPHEMERAL.filter((key) => isSet(key, container[key]));
  const subPaths = items(container.volumeMounts).flatMap((mount, index) =>
    (['subPath', 'subPathExpr'] as const)
      .filter((key) => (mount[key] ?? '') !== '')
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

function namesOf(...lists: readonly ListOf<Container>[]): Set<string> {
  return new Set(lists.flatMap((list) => items(list).map((one) => one.name)));
}
