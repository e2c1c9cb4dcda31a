/**
 * What the level baseline forbids, apart from profiles and capabilities: ways out of the container.
 *
 * In Kubernetes: k8s.io/pod-security-admission/policy, a file for each check.
 */
import { items } from '../../../api/json/go-values.ts';
import { type AnyContainer, containersOf } from '../../../api/kinds/pod-spec/pod-parts.ts';
import {
  type Check,
  type CheckPod,
  type Secured,
  joinQuoted,
  namesOf,
  plural,
  shownContainers,
  shownSetters,
  sortedOnce,
  unlessOwnUsers,
} from './check.ts';

const hostNamespaces: CheckPod = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter(
    (key) => spec[key] === true,
  );
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((key) => `${key}=true`).join(', ') };
};

const hostPathVolumes: CheckPod = ({ spec }) => {
  const names = items(spec.volumes)
    .filter(({ hostPath }) => hostPath !== undefined)
    .map(({ name }) => name);
  if (names.length === 0) return undefined;
  const detail = `${plural(names.length, 'volume')} ${joinQuoted(names)}`;
  return { reason: 'hostPath volumes', detail };
};

const hostPorts: CheckPod = ({ spec }) => {
  const bad = namesOf(spec, (container) => hostPortsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sortedOnce(containersOf(spec).flatMap(hostPortsOf));
  const uses = `${plural(bad.length, 'uses', 'use')} ${plural(ports.length, 'hostPort')}`;
  return { reason: 'hostPort', detail: `${shownContainers(bad)} ${uses} ${ports.join(', ')}` };
};

function hostPortsOf({ ports }: AnyContainer): string[] {
  return items(ports)
    .map(({ hostPort = 0 }) => hostPort)
    .filter((port) => port !== 0)
    .map(String);
}

const probeHosts: CheckPod = ({ spec }) => {
  const bad = sortedOnce(namesOf(spec, (container) => hostsOf(container).length > 0));
  if (bad.length === 0) return undefined;
  const hosts = sortedOnce(containersOf(spec).flatMap(hostsOf));
  const what = plural(hosts.length, 'probe or lifecycle host');
  const uses = `${plural(bad.length, 'uses', 'use')} ${what} ${joinQuoted(hosts)}`;
  return { reason: 'probe or lifecycle host', detail: `${shownContainers(bad)} ${uses}` };
};

function hostsOf(container: AnyContainer): string[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  // Most have none of them, and a pod may have many containers.
  if (!(livenessProbe ?? readinessProbe ?? startupProbe ?? lifecycle)) return [];
  const probes = [livenessProbe, readinessProbe, startupProbe];
  return [...probes, lifecycle?.postStart, lifecycle?.preStop]
    .flatMap((handler) => [handler?.httpGet, handler?.tcpSocket])
    .map((action) => action?.host ?? '')
    .filter((host) => host !== '');
}

const privileged: CheckPod = ({ spec }) => {
  const bad = namesOf(spec, (container) => container.securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  const detail = `${shownContainers(bad)} must not set securityContext.privileged=true`;
  return { reason: 'privileged', detail };
};

/** Also of the level restricted, where it holds for pods with users of their own. */
export const procMount: CheckPod = ({ spec }) => {
  const bad = namesOf(spec, (container) => procMountOf(container) !== undefined);
  if (bad.length === 0) return undefined;
  const types = containersOf(spec)
    .map(procMountOf)
    .filter((type) => type !== undefined);
  const what = `must not set securityContext.procMount to ${joinQuoted(sortedOnce(types))}`;
  return { reason: 'procMount', detail: `${shownContainers(bad)} ${what}` };
};

/** undefined: none, or the usual one. */
function procMountOf(container: AnyContainer): string | undefined {
  const type = container.securityContext?.procMount;
  return type === 'Default' ? undefined : type;
}

const SYSCTLS_1_0 = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const SYSCTLS_1_27 = [...SYSCTLS_1_0, 'net.ipv4.ip_local_reserved_ports'];
const SYSCTLS_1_29 = [
  ...SYSCTLS_1_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const SYSCTLS_1_32 = [...SYSCTLS_1_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

function sysctls(allowed: readonly string[]): CheckPod {
  const safe = new Set(allowed);
  return ({ spec }) => {
    const forbidden = items(spec.securityContext?.sysctls)
      .map(({ name }) => name)
      .filter((name) => !safe.has(name));
    if (forbidden.length === 0) return undefined;
    return { reason: 'forbidden sysctls', detail: forbidden.join(', ') };
  };
}

const windowsHostProcess: CheckPod = ({ spec }) => {
  const bad = namesOf(spec, isHostProcess);
  const setters = shownSetters(isHostProcess(spec), bad);
  if (setters === '') return undefined;
  const what = 'must not set securityContext.windowsOptions.hostProcess=true';
  return { reason: 'hostProcess', detail: `${setters} ${what}` };
};

function isHostProcess(parent: Secured): boolean {
  return parent.securityContext?.windowsOptions?.hostProcess === true;
}

export const BASELINE_CHECKS: readonly Check[] = [
  { id: 'hostNamespaces', level: 'baseline', versions: [{ since: 0, check: hostNamespaces }] },
  { id: 'hostPathVolumes', level: 'baseline', versions: [{ since: 0, check: hostPathVolumes }] },
  { id: 'hostPorts', level: 'baseline', versions: [{ since: 0, check: hostPorts }] },
  {
    id: 'hostProbesAndHostLifecycle',
    level: 'baseline',
    versions: [{ since: 34, check: probeHosts }],
  },
  { id: 'privileged', level: 'baseline', versions: [{ since: 0, check: privileged }] },
  {
    id: 'procMount',
    level: 'baseline',
    versions: [
      { since: 0, check: procMount },
      { since: 35, check: unlessOwnUsers(procMount) },
    ],
  },
  {
    id: 'sysctls',
    level: 'baseline',
    versions: [
      { since: 0, check: sysctls(SYSCTLS_1_0) },
      { since: 27, check: sysctls(SYSCTLS_1_27) },
      { since: 29, check: sysctls(SYSCTLS_1_29) },
      { since: 32, check: sysctls(SYSCTLS_1_32) },
    ],
  },
  {
    id: 'windowsHostProcess',
    level: 'baseline',
    versions: [{ since: 0, check: windowsHostProcess }],
  },
];
