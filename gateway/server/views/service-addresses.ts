/**
 * Where the services of a control plane are reached by this server: at a ready endpoint, where there
 * is one, because behind the cluster's own addresses nobody may route for a server that stands
 * outside; else at the address of the service.
 *
 * In Kubernetes: ResolveEndpoint and ResolveCluster, apiserver/pkg/util/proxy.
 */
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
} from '../../../api/json/json.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf } from '../../../streams/event.ts';
import type { ResolveService } from '../../outbound/https-webhooks.ts';

const SERVICES = 'core/services';
const SLICES = 'discovery.k8s.io/endpointslices';
const SERVICE_LABEL = 'kubernetes.io/service-name';

interface Address {
  readonly host: string;
  readonly port: number;
}

export function serviceAddresses(objects: Pick<ObjectView, 'get' | 'of'>): ResolveService {
  return (namespace, name, port) => {
    const stored = objects.get(SERVICES, pathOf(namespace, name));
    if (stored === undefined) return { ok: false, message: `services "${name}" not found` };
    const spec = objectAt(parsedObject(stored), 'spec');
    if (stringAt(spec, 'type') === 'ExternalName') {
      return { ok: true, host: stringAt(spec, 'externalName'), port };
    }
    const said = listAt(spec, 'ports').filter(isJsonObject);
    const servicePort = said.find((one) => one['port'] === port);
    if (servicePort === undefined) {
      const where = `no service port ${String(port)} found for service "${name}"`;
      return { ok: false, message: where };
    }
    const portName = stringAt(servicePort, 'name');
    const endpoint = readyEndpoint(objects, { namespace, name, portName });
    if (endpoint !== undefined) return { ok: true, ...endpoint };
    const clusterIp = stringAt(spec, 'clusterIP');
    if (clusterIp !== '' && clusterIp !== 'None') return { ok: true, host: clusterIp, port };
    return { ok: false, message: `no endpoints available for service "${name}"` };
  };
}

function readyEndpoint(
  objects: Pick<ObjectView, 'of'>,
  about: { readonly namespace: string; readonly name: string; readonly portName: string },
): Address | undefined {
  for (const stored of objects.of(SLICES).inOrder(about.namespace)) {
    if (stored.labels?.[SERVICE_LABEL] !== about.name) continue;
    const found = addressIn(parsedObject(stored), about.portName);
    if (found !== undefined) return found;
  }
  return undefined;
}

function addressIn(slice: JsonObject, portName: string): Address | undefined {
  const ports = listAt(slice, 'ports').filter(isJsonObject);
  const port = ports.find((one) => stringAt(one, 'name') === portName)?.['port'];
  if (typeof port !== 'number') return undefined;
  for (const endpoint of listAt(slice, 'endpoints').filter(isJsonObject)) {
    const isReady = objectAt(endpoint, 'conditions')?.['ready'] !== false;
    const [host] = listAt(endpoint, 'addresses');
    if (isReady && typeof host === 'string') return { host, port };
  }
  return undefined;
}
