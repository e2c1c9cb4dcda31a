/** Where the page is, as commands of kubectl. */
import type { PageLocation } from '../state/page-location.ts';

/** `--server` of the fork and the moment of a location. */
function serverOf(origin: string, { fork, at }: Pick<PageLocation, 'fork' | 'at'>): string {
  return `--server ${origin}${fork === '' ? '' : `/forks/${fork}`}${at === '' ? '' : `/at/${at}`}`;
}

/** `kubectl --server https://…/at/1234 get pods -n shop`. */
export function kubectlCommand(origin: string, pageLocation: PageLocation): string {
  const { view, query } = pageLocation;
  const before = `kubectl ${serverOf(origin, pageLocation)}`;
  if (view.name === 'forks' || view.name === 'compare') return `${before} get forks`;
  if (view.name === 'overview') return `${before} get all --all-namespaces`;
  const { group, resource } = view.of;
  const kind = group === '' ? resource : `${resource}.${group}`;
  if (view.name === 'object') {
    const { namespace, name } = view.of;
    const within = namespace === '' ? '' : ` -n ${namespace}`;
    const { tab = '', container = '' } = query;
    const of = container === '' ? '' : ` -c ${container}`;
    if (tab === 'logs') return `${before} logs ${name}${within}${of} -f`;
    if (tab === 'terminal') return `${before} exec ${name}${within}${of} -it -- sh`;
    return `${before} get ${kind} ${name}${within} -o yaml`;
  }
  const { namespace = '', labels = '' } = query;
  const where = namespace === '' ? ' -A' : ` -n ${namespace}`;
  return `${before} get ${kind}${where}${labels === '' ? '' : ` -l '${labels}'`}`;
}

/** What ports are forwarded of. */
export interface ForwardedTo {
  readonly namespace: string;
  /** `pod/web-0`, `service/web`. */
  readonly target: string;
}

/** Below it a port is one for the administrator of a machine only. */
const FREE_PORTS = 1_024;
const MOVED_BY = 8_000;

/** `kubectl … port-forward -n shop pod/web-0 8080:80`. */
export function forwardCommand(
  origin: string,
  { namespace, target }: ForwardedTo,
  ports: readonly number[],
): string {
  const pairs = [...new Set(ports)].map((port) =>
    port < FREE_PORTS ? `${String(port + MOVED_BY)}:${String(port)}` : String(port),
  );
  return `kubectl --server ${origin} port-forward -n ${namespace} ${target} ${pairs.join(' ')}`;
}
