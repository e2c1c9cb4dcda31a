/**
 * Flags of kube-apiserver that this server does not have, and why, so that a user that brings a command
 * line of kubeadm or envtest is told which to leave out, and what to say in its place.
 */
const ETCD = 'there is no etcd; the log lies in --data-dir, or where --log says';
const NETWORK = 'services are given no addresses here, and no service points at this server';
const KUBELET = 'nodes are not called: there is no logs, exec, attach or port-forward yet';
const AGGREGATION = 'there are no aggregated APIs yet: nothing is passed on to other servers';
const LOGGING = 'there are no files of logs; they go to stderr';
const VERSION = 'this server is one version of Kubernetes; see everwatch version';
const PEERS = 'servers of one log have one version, and pass nothing on to each other';
const SOCKET = 'the port is opened as Node opens it';
const ALWAYS = 'it is always so here';
const CACHE = 'every read is of memory or of the log; there is nothing to be sized';

const REASONS: readonly (readonly [reason: string, flags: readonly string[]])[] = [
  [
    ETCD,
    [
      ...['etcd-cafile', 'etcd-certfile', 'etcd-compaction-interval', 'etcd-keyfile'],
      ...['etcd-count-metric-poll-period', 'etcd-db-metric-poll-interval', 'etcd-prefix'],
      ...['etcd-healthcheck-timeout', 'etcd-readycheck-timeout', 'etcd-servers'],
      ...['etcd-servers-overrides', 'lease-reuse-duration-seconds', 'storage-backend'],
      ...['storage-initialization-timeout', 'storage-media-type'],
    ],
  ],
  [
    NETWORK,
    [
      ...['advertise-address', 'endpoint-reconciler-type', 'external-hostname'],
      ...['kubernetes-service-node-port', 'service-cluster-ip-range', 'service-node-port-range'],
    ],
  ],
  [
    KUBELET,
    [
      ...['kubelet-certificate-authority', 'kubelet-client-certificate', 'kubelet-client-key'],
      ...['kubelet-preferred-address-types', 'kubelet-timeout', 'max-connection-bytes-per-sec'],
    ],
  ],
  [
    AGGREGATION,
    [
      ...['aggregator-reject-forwarding-redirect', 'enable-aggregator-routing'],
      ...['proxy-client-cert-file', 'proxy-client-key-file'],
    ],
  ],
  [LOGGING, ['enable-logs-handler']],
  [
    VERSION,
    [
      ...['emulated-version', 'emulation-forward-compatible', 'min-compatibility-version'],
      ...['runtime-config-emulation-forward-compatible', 'version'],
    ],
  ],
  [PEERS, ['peer-advertise-ip', 'peer-advertise-port', 'peer-ca-file']],
  [SOCKET, ['disable-http2-serving', 'permit-address-sharing', 'permit-port-sharing']],
  [ALWAYS, ['enable-garbage-collector']],
  [CACHE, ['delete-collection-workers', 'watch-cache', 'watch-cache-sizes']],
  ['events do not expire here yet', ['event-ttl']],
  ['V8 has no locks to be profiled', ['contention-profiling']],
  [
    'leaders are elected by the components themselves, with leases',
    [
      ...['coordinated-leadership-lease-duration', 'coordinated-leadership-renew-deadline'],
      'coordinated-leadership-retry-period',
    ],
  ],
];

/**
 * @param message what is said of an unknown option: `error: unknown option '--etcd-servers=…'`.
 * @returns the same, with the reason where the flag is known from kube-apiserver.
 */
export function withReason(message: string): string {
  const unknown = /unknown option '-([^'=]*)(?:=[^']*)?'.*/;
  const flag = (unknown.exec(message)?.[1] ?? '').replace(/^-/, '');
  const reason = REASONS.find(([, flags]) => flags.includes(flag))?.[0];
  if (reason === undefined) return message;
  const said = `--${flag} is a flag of kube-apiserver that does not exist here: ${reason}`;
  return message.replace(unknown, () => said);
}

/** All of them, without dashes. */
export function absentFlags(): string[] {
  return REASONS.flatMap(([, flags]) => flags);
}
