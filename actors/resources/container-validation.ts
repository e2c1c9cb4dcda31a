/**
 * What every container must say, whether it is an ordinary, an init or an ephemeral one.
 * Resources, probes, lifecycle hooks and security contexts are not looked at yet.
 *
 * In Kubernetes: validateContainerCommon, pkg/apis/core/validation.
 */
import { stringAt, type JsonObject } from '../../api/meta/json.ts';
import { dns1123LabelProblems } from '../../api/meta/names.ts';
import {
  duplicateValue,
  invalidValue,
  notFoundValue,
  required,
  type FieldErrors,
} from '../../api/schema/field-errors.ts';
import { indexPath } from '../../api/schema/field-path.ts';
import {
  environmentNameProblems,
  invalidFor,
  numberAt,
  objectsAt,
  oneOf,
  portNameProblems,
  portNumberProblems,
} from './value-validation.ts';

export const PORT_PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const TERMINATION_MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];

/** `volumes` are the names that may be mounted. */
export function validateContainer(
  field: string,
  container: JsonObject,
  volumes: ReadonlySet<string>,
): FieldErrors {
  const name = stringAt(container, 'name');
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
    ...validatePorts(`${field}.ports`, objectsAt(container, 'ports')),
    ...validateEnvironment(`${field}.env`, objectsAt(container, 'env')),
    ...validateMounts(`${field}.volumeMounts`, objectsAt(container, 'volumeMounts'), volumes),
    ...oneOf(`${field}.imagePullPolicy`, container['imagePullPolicy'], PULL_POLICIES),
  ];
}

/** An image in a pod that runs, unlike one in a template, may not have blanks around it. */
export function validateImageBlanks(field: string, container: JsonObject): FieldErrors {
  const image = stringAt(container, 'image');
  return image === image.trim()
    ? []
    : [invalidValue(`${field}.image`, image, 'must not have leading or trailing whitespace')];
}

function validatePorts(field: string, ports: readonly JsonObject[]): FieldErrors {
  const names = new Set<string>();
  return ports.flatMap((port, index) => validatePort(indexPath(field, index), port, names));
}

/** Adds the port's name to `names`, which holds those of the ports before it. */
function validatePort(field: string, port: JsonObject, names: Set<string>): FieldErrors {
  const containerPort = numberAt(port, 'containerPort') ?? 0;
  const hostPort = numberAt(port, 'hostPort') ?? 0;
  return [
    ...validatePortName(`${field}.name`, stringAt(port, 'name'), names),
    ...(containerPort === 0
      ? [required(`${field}.containerPort`)]
      : invalidFor(`${field}.containerPort`, containerPort, portNumberProblems(containerPort))),
    ...(hostPort === 0
      ? []
      : invalidFor(`${field}.hostPort`, hostPort, portNumberProblems(hostPort))),
    ...oneOf(`${field}.protocol`, port['protocol'], PORT_PROTOCOLS),
  ];
}

function validatePortName(field: string, name: string, names: Set<string>): FieldErrors {
  if (name === '') return [];
  const problems = portNameProblems(name);
  if (problems.length > 0) return invalidFor(field, name, problems);
  if (names.has(name)) return [duplicateValue(field, name)];
  names.add(name);
  return [];
}

function validateEnvironment(field: string, variables: readonly JsonObject[]): FieldErrors {
  return variables.flatMap((variable, index) => {
    const name = stringAt(variable, 'name');
    const path = `${indexPath(field, index)}.name`;
    return name === '' ? [required(path)] : invalidFor(path, name, environmentNameProblems(name));
  });
}

function validateMounts(
  field: string,
  mounts: readonly JsonObject[],
  volumes: ReadonlySet<string>,
): FieldErrors {
  const paths = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const path = stringAt(mount, 'mountPath');
    const found = validateMount(indexPath(field, index), mount, volumes);
    const isTaken = paths.has(path);
    paths.add(path);
    const taken = invalidValue(`${indexPath(field, index)}.mountPath`, path, 'must be unique');
    return isTaken ? [...found, taken] : found;
  });
}

function validateMount(
  field: string,
  mount: JsonObject,
  volumes: ReadonlySet<string>,
): FieldErrors {
  const name = stringAt(mount, 'name');
  return [
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...(volumes.has(name) ? [] : [notFoundValue(`${field}.name`, name)]),
    ...(stringAt(mount, 'mountPath') === '' ? [required(`${field}.mountPath`)] : []),
  ];
}
