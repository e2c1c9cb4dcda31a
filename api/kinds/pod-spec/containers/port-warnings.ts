/**
 * Warnings about ports of a pod that are there twice, or get into one another's way.
 *
 * In Kubernetes: warningsForPodSpecAndMeta, pkg/api/pod.
 */
import { items } from '../../../json/go-values.ts';
import { goQuote } from '../../../json/go-format.ts';
import { indexPath } from '../../../field/field-path.ts';
import { PairBudget } from '../placement/pair-budget.ts';
import type { PlacedContainer } from '../pod-rules.ts';

interface PlacedPort {
  readonly field: string;
  readonly name: string;
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: string;
  readonly hostIp: string;
}

export function portWarnings(containers: readonly PlacedContainer[]): readonly string[] {
  const ports = containers.flatMap(portsOf);
  return [...placeWarnings(ports), ...nameRepeats(ports)];
}

function portsOf({ container, field }: PlacedContainer): PlacedPort[] {
  return items(container.ports).map((port, index) => ({
    field: indexPath(`${field}.ports`, index),
    name: port.name ?? '',
    hostPort: port.hostPort ?? 0,
    containerPort: port.containerPort,
    protocol: port.protocol ?? '',
    hostIp: port.hostIP ?? '',
  }));
}

function placeWarnings(ports: readonly PlacedPort[]): readonly string[] {
  const known = new Map<string, PlacedPort[]>();
  const budget = new PairBudget();
  return ports.flatMap((port) => {
    const place = `${String(port.containerPort)}/${port.protocol}`;
    const others = known.get(place) ?? [];
    known.set(place, others);
    const warnings = [
      ...(port.hostIp !== '' && port.hostPort === 0
        ? [`${port.field}: hostIP set without hostPort: ${shownPort(port)}`]
        : []),
      ...others.slice(0, budget.take(others.length)).flatMap((other) => {
        const how = clashOf(port, other);
        return how === undefined
          ? []
          : [`${port.field}: ${how} port definition with ${other.field}`];
      }),
    ];
    others.push(port);
    return warnings;
  });
}

function clashOf(port: PlacedPort, other: PlacedPort): string | undefined {
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return 'duplicate';
  if (port.hostPort === 0 || other.hostPort === 0) return 'overlapping';
  const isOneOpen = (port.hostIp === '') !== (other.hostIp === '');
  return port.hostPort === other.hostPort && isOneOpen ? 'dangerously ambiguous' : undefined;
}

function nameRepeats(ports: readonly PlacedPort[]): readonly string[] {
  const firsts = new Map<string, string>();
  return ports.flatMap(({ field, name }) => {
    if (name === '') return [];
    const first = firsts.get(name);
    if (first !== undefined) {
      const why = `services and probes that select ports by name will use ${first}`;
      return [`${field}: duplicate port name ${goQuote(name)} with ${first}, ${why}`];
    }
    firsts.set(name, field);
    return [];
  });
}

/** As Go prints the struct. */
function shownPort(port: PlacedPort): string {
  const { name, hostPort, containerPort, protocol, hostIp } = port;
  const numbers = `HostPort:${String(hostPort)} ContainerPort:${String(containerPort)}`;
  return `{Name:${name} ${numbers} Protocol:${protocol} HostIP:${hostIp}}`;
}
