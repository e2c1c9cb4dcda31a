/** The ports of containers. In Kubernetes: validateContainerPorts, pkg/apis/core/validation. */
import type { ListOf } from '../../../json/go-values.ts';
import type {
  Container,
  EphemeralContainer,
  ContainerPort,
  PodSpec,
} from '../../../generated/kinds/core-v1.ts';
import { remembered } from '../../../json/work-in-slices.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import {
  invalidFor,
  ofEach,
  oneOf,
  portNameProblems,
  portNumberProblems,
} from '../../rules/value-validation.ts';

/** The protocols of container and service ports, in the order in which messages list them. */
export const PORT_PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateContainerPorts(
  field: string,
  container: Container | EphemeralContainer,
): FieldErrors {
  const names = remembered(() => new Set<string>());
  return ofEach(container.ports, (port, index) => {
    const errors = validatePort(indexPath(field, index), port, names);
    const name = port.name ?? '';
    if (portNameProblems(name).length === 0) names.add(name);
    return errors;
  });
}

/** @param names of the ports before it. */
function validatePort(field: string, port: ContainerPort, names: ReadonlySet<string>): FieldErrors {
  const containerPort = port.containerPort;
  const hostPort = port.hostPort ?? 0;
  return [
    ...validatePortName(field, port.name ?? '', names),
    ...(containerPort === 0
      ? [required(`${field}.containerPort`)]
      : invalidFor(`${field}.containerPort`, containerPort, portNumberProblems(containerPort))),
    ...(hostPort === 0
      ? []
      : invalidFor(`${field}.hostPort`, hostPort, portNumberProblems(hostPort))),
    ...oneOf(`${field}.protocol`, port.protocol, PORT_PROTOCOLS),
  ];
}

function validatePortName(field: string, name: string, names: ReadonlySet<string>): FieldErrors {
  if (name === '') return [];
  const problems = portNameProblems(name);
  if (problems.length > 0) return invalidFor(`${field}.name`, name, problems);
  return names.has(name) ? [duplicateValue(`${field}.name`, name)] : [];
}

/** A port of the host can be taken once; `field` is that of the list of containers. */
export function validateHostPorts(field: string, list: ListOf<Container>): FieldErrors {
  const taken = remembered(() => new Set<string>());
  return ofEach(list, (container, at) =>
    ofEach(container.ports, (port, index) => {
      const hostPort = port.hostPort ?? 0;
      if (hostPort === 0) return [];
      const what = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${String(hostPort)}`;
      if (taken.has(what)) {
        const path = `${indexPath(field, at)}.ports`;
        return [duplicateValue(`${indexPath(path, index)}.hostPort`, what)];
      }
      taken.add(what);
      return [];
    }),
  );
}

/** On the host's network a port is the host's; in a template it may be left to be filled in. */
export function validateHostNetworkPorts(
  field: string,
  spec: PodSpec,
  isPod: boolean,
): FieldErrors {
  if (spec.hostNetwork !== true) return [];
  return ofEach(spec.containers, (container, at) =>
    ofEach(container.ports, (port, index) => {
      const hostPort = port.hostPort ?? 0;
      const isLeftOut = hostPort === 0 && !isPod;
      if (isLeftOut || hostPort === port.containerPort) return [];
      const path = `${indexPath(`${field}.containers`, at)}.ports`;
      const detail = 'must match `containerPort` when `hostNetwork` is true';
      return [invalidValue(`${indexPath(path, index)}.hostPort`, hostPort, detail)];
    }),
  );
}
