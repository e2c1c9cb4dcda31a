/**
 * Whether the server behind an APIService answers, and how its condition `Available` says so.
 *
 * In Kubernetes: AvailableConditionController.sync, kube-aggregator/pkg/controllers/status/remote.
 */
import type {
  APIServiceCondition,
  APIServiceStatus,
} from '../../api/generated/kinds/apiregistration-v1.ts';
import { items } from '../../api/json/go-values.ts';
import { goQuote } from '../../api/json/go-format.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import type { AggregatedServers, FetchFailure } from './aggregated-servers.ts';
import type { AggregatedService, ServiceAddress } from './aggregated-services.ts';
import { hasReadyEndpoint, portOf, serviceAt, slicesOf } from './service-places.ts';

/** What was found out about one APIService. */
export interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

type Objects = Pick<ObjectView, 'get' | 'of'>;

const PROBES = 5;
const PROBE_MS = 5_000;
/** Of an answer only the code counts. */
const PROBE_BYTES_MAX = 8 * 1024 * 1024;

const PASSED: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

/** Of group versions that this server serves itself. */
export const LOCAL: Availability = {
  ...{ status: 'True', reason: 'Local', message: 'Local APIServices are always available' },
};

function unavailable(reason: string, message: string): Availability {
  return { status: 'False', reason, message };
}

/** Looks at the service, and then asks the server itself. Never rejects. */
export async function availabilityOf(
  found: AggregatedService,
  { objects, servers }: { readonly objects: Objects; readonly servers: AggregatedServers },
): Promise<Availability> {
  const problem = serviceProblem(objects, found.service);
  if (problem !== undefined) return problem;
  const failure = await probed(servers, found);
  return failure === undefined ? PASSED : unavailable('FailedDiscoveryCheck', failure);
}

/** undefined: the service is no hindrance. Services of other types than ClusterIP are not looked into. */
function serviceProblem(objects: Objects, address: ServiceAddress): Availability | undefined {
  const service = serviceAt(objects, address);
  const which = `service/${address.name} in ${goQuote(address.namespace)}`;
  if (service === undefined) return unavailable('ServiceNotFound', `${which} is not present`);
  if (service.spec.type !== 'ClusterIP') return undefined;
  const port = portOf(service, address);
  if (port === undefined) {
    const why = `${which} is not listening on port ${String(address.port)}`;
    return unavailable('ServicePortError', why);
  }
  const slices = slicesOf(objects, address);
  if (slices.length === 0) {
    return unavailable('EndpointsNotFound', `cannot find endpointslices for ${which}`);
  }
  const { name = '' } = port;
  if (hasReadyEndpoint(slices, name)) return undefined;
  const why = `endpointslices for ${which} have no addresses with port name ${goQuote(name)}`;
  return unavailable('MissingEndpoints', why);
}

/** Asks several times at once; one success is enough. @returns undefined; or why the last one failed. */
async function probed(
  servers: AggregatedServers,
  found: AggregatedService,
): Promise<string | undefined> {
  const path = found.path === '/api' ? `/api/${found.version}` : found.path;
  const others = new AbortController();
  const options = { timeoutMs: PROBE_MS, sizeMax: PROBE_BYTES_MAX, signal: others.signal };
  let last = '';
  const ask = async (): Promise<void> => {
    const answer = await servers.fetch(found, path, options);
    if (!answer.ok) last = missing(answer);
    else if (answer.code < 200 || answer.code >= 300) {
      const { url, code } = answer;
      last = missing({ ...answer, ok: false, message: `bad status from ${url}: ${String(code)}` });
    } else return;
    throw new ProbeError(last);
  };
  try {
    await Promise.any(Array.from({ length: PROBES }, ask));
    others.abort('one has answered');
    return undefined;
  } catch {
    return last;
  }
}

/** A probe that brought no success. */
class ProbeError extends Error {
  override readonly name = 'ProbeError';
}

function missing({ url, message }: FetchFailure): string {
  return url === '' ? message : `failing or missing response from ${url}: ${message}`;
}

/**
 * The status with what was found out; the time of the condition changes with its `status` only.
 *
 * @returns undefined where it says so already.
 */
export function statusSaying(
  status: APIServiceStatus,
  { status: truth, reason, message }: Availability,
  now: string,
): APIServiceStatus | undefined {
  const before = items(status.conditions);
  const current = before.find(({ type }) => type === 'Available');
  if (current?.status === truth && current.reason === reason && current.message === message) {
    return undefined;
  }
  const lastTransitionTime = current?.status === truth ? current.lastTransitionTime : now;
  const condition: APIServiceCondition = {
    ...{ type: 'Available', status: truth, lastTransitionTime, reason, message },
  };
  const conditions =
    current === undefined
      ? [...before, condition]
      : before.map((one) => (one === current ? condition : one));
  return { ...status, conditions };
}
