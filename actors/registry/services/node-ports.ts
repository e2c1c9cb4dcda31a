/**
 * The node ports of a service and the port of its health check. A number is held by one service,
 * whatever the protocol; the ports of one service may share it.
 *
 * In Kubernetes: txnAllocNodePorts and txnUpdateNodePorts, registry/core/service/storage/alloc.go;
 * PortAllocationOperation, registry/core/service/portallocator.
 */
import type { Service, ServicePort, ServiceSpec } from '../../../api/generated/kinds/core-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { invalidValue } from '../../../api/field/field-errors.ts';
import { indexPath } from '../../../api/field/field-path.ts';
import { nodePortOf, nodePortsOf } from '../../../api/kinds/core/services/allocations.ts';
import {
  needsHealthCheckPort,
  needsNodePort,
  typeOf,
} from '../../../api/kinds/core/services/service-spec.ts';
import { formatPortRange, portsOf } from '../../../api/kinds/core/services/service-ranges.ts';
import {
  internalError,
  invalid,
  unclassifiedFailure,
  type Status,
} from '../../../api/meta/status.ts';
import { portKey } from './service-claims.ts';
import type { Choosing } from './choosing.ts';

const SERVICE = { group: '', resource: 'Service' };
const FULL = 'range is full';
const ALLOCATED = 'provided port is already allocated';
/** A dry run is shown the ports behind those that it asks for, or behind this one. */
const DRY_RUN_PORTS_FROM = 32_768;

/** The ports that one write has taken so far. */
export class PortOperation {
  readonly #choosing: Choosing;
  readonly #taken = new Set<number>();

  constructor(choosing: Choosing) {
    this.#choosing = choosing;
  }

  /** Whether nothing is taken in the end. */
  get isDryRun(): boolean {
    return this.#choosing.isDryRun;
  }

  /** @returns why this port cannot be had. */
  take(port: number): string | undefined {
    const why = this.#refusalOf(port);
    const { isDryRun, counts } = this.#choosing;
    if (!isDryRun) counts.port('static', why === undefined);
    if (why === undefined) this.#add(port);
    return why;
  }

  #refusalOf(port: number): string | undefined {
    const { network, isDryRun } = this.#choosing;
    const { first, last } = network.nodePorts;
    const isInside = port >= first && port <= last;
    if (!isInside && !isDryRun) {
      const range = formatPortRange(network.nodePorts);
      return `provided port is not in the valid range. The range of valid ports is ${range}`;
    }
    if (this.#taken.has(port)) return ALLOCATED;
    return isInside && this.#choosing.isTaken(portKey(port)) ? ALLOCATED : undefined;
  }

  /** A free port; undefined where there is none. */
  takeNext(): number | undefined {
    const { network, isDryRun, random } = this.#choosing;
    if (isDryRun) {
      const last = this.#taken.size === 0 ? DRY_RUN_PORTS_FROM : Math.max(...this.#taken);
      const shown = last + 1;
      this.#add(shown);
      return shown;
    }
    for (const port of portsOf(network.nodePorts, random)) {
      const isChosen = this.#taken.has(port) || this.#choosing.isChosen(String(port));
      if (isChosen || this.#choosing.isTaken(portKey(port))) continue;
      this.#choosing.counts.port('dynamic', true);
      this.#add(port);
      return port;
    }
    this.#choosing.counts.port('dynamic', false);
    return undefined;
  }

  #add(port: number): void {
    this.#taken.add(port);
    this.#choosing.choose(String(port));
  }
}

/** Changes the service. @returns why it cannot have what it asks for. */
export function settleNodePorts(
  service: Service,
  old: Service | undefined,
  operation: PortOperation,
): Status | undefined {
  const problem = needsNodePort(service.spec)
    ? old === undefined
      ? settleNew(service, operation)
      : settleChanged(service, old.spec, operation)
    : undefined;
  if (problem !== undefined) return problem;
  const isKept =
    old !== undefined && needsHealthCheckPort(old.spec) && (old.spec.healthCheckNodePort ?? 0) > 0;
  return needsHealthCheckPort(service.spec) && !isKept
    ? settleHealthCheck(service.spec, operation)
    : undefined;
}

/** Ports of one number, as of TCP and UDP, share a node port unless the client names two. */
function settleNew(service: Service, operation: PortOperation): Status | undefined {
  const ports = items(service.spec.ports);
  const byPort = new Map<number, number>();
  for (const [index, port] of ports.entries()) {
    const asked = nodePortOf(port);
    if (asked === 0 && !givesPorts(service.spec)) continue;
    const shared = byPort.get(port.port);
    if (shared !== undefined && asked === 0) port.nodePort = shared;
    if (shared !== undefined) {
      const isOther = asked !== 0 && asked !== shared;
      const refused = isOther
        ? refusalOf(service, { index, nodePort: asked }, operation)
        : undefined;
      if (refused !== undefined) return refused;
      continue;
    }
    const requested = requestedFor(port, ports);
    if (requested !== 0) {
      const refused = refusalOf(service, { index, nodePort: requested }, operation);
      if (refused !== undefined) return refused;
    }
    const nodePort = requested === 0 ? operation.takeNext() : requested;
    if (nodePort === undefined) return noneLeft();
    port.nodePort = nodePort;
    byPort.set(port.port, nodePort);
  }
  return undefined;
}

function settleChanged(
  service: Service,
  oldSpec: ServiceSpec,
  operation: PortOperation,
): Status | undefined {
  // A dry run is shown what upstream shows, which takes any port that was spoken of for held.
  const held = new Set(
    operation.isDryRun ? items(oldSpec.ports).map(nodePortOf) : nodePortsOf(oldSpec),
  );
  const seen = new Set<string>();
  const taken = new Set<number>();
  for (const [index, port] of items(service.spec.ports).entries()) {
    const asked = nodePortOf(port);
    if (asked === 0 && !givesPorts(service.spec)) continue;
    if (asked === 0) {
      const nodePort = operation.takeNext();
      if (nodePort === undefined) return noneLeft();
      port.nodePort = nodePort;
    } else if (!held.has(asked) && !taken.has(asked)) {
      const refused = refusalOf(service, { index, nodePort: asked }, operation);
      if (refused !== undefined) return refused;
      taken.add(asked);
    }
    const shown = `{${port.protocol ?? ''} ${String(nodePortOf(port))}}`;
    if (seen.has(shown)) return unclassifiedFailure(`duplicate nodePort: ${shown}`);
    seen.add(shown);
  }
  return undefined;
}

function settleHealthCheck(spec: ServiceSpec, operation: PortOperation): Status | undefined {
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked !== 0) {
    const why = operation.take(asked);
    const port = String(asked);
    return why === undefined
      ? undefined
      : internalError(`failed to allocate requested HealthCheck NodePort ${port}: ${why}`);
  }
  const port = operation.takeNext();
  if (port === undefined)
    return internalError(`failed to allocate a HealthCheck NodePort 0: ${FULL}`);
  spec.healthCheckNodePort = port;
  return undefined;
}

function refusalOf(
  { metadata }: Service,
  { index, nodePort }: { readonly index: number; readonly nodePort: number },
  operation: PortOperation,
): Status | undefined {
  const why = operation.take(nodePort);
  if (why === undefined) return undefined;
  const field = `${indexPath('spec.ports', index)}.nodePort`;
  return invalid(SERVICE, metadata.name ?? '', [invalidValue(field, nodePort, why)]);
}

function requestedFor({ port }: ServicePort, ports: readonly ServicePort[]): number {
  const found = ports.find((one) => one.port === port && nodePortOf(one) !== 0);
  return found === undefined ? 0 : nodePortOf(found);
}

/** Whether ports that the client did not name are given. */
function givesPorts(spec: ServiceSpec): boolean {
  return typeOf(spec) === 'NodePort' || spec.allocateLoadBalancerNodePorts !== false;
}

function noneLeft(): Status {
  return internalError(`failed to allocate a nodePort: ${FULL}`);
}
