/**
 * What a server can be told about the servers behind it, as kube-apiserver spells it: the way to nodes
 * and to aggregated API servers, and the proxies out of its network.
 */
import { type EgressSelection, egressThrough } from '../../configuration/egress.ts';
import { readEgressConfiguration } from '../../configuration/egress-configuration.ts';
import { parseBoolean, parseCount, parsePort, parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

/** The proxies by which connections leave the network. */
export interface EgressSettings {
  /** Read when the flag is: a server that cannot read it does not start. */
  readonly egressSelectorConfigFile: EgressSelection | undefined;
}

/** The flags of {@link EgressSettings}. */
export const EGRESS_SETTINGS: SettingsOf<EgressSettings> = {
  egressSelectorConfigFile: {
    flag: 'egress-selector-config-file',
    placeholder: 'FILE',
    help: 'an EgressSelectorConfiguration (apiserver.k8s.io/v1beta1): through which proxies webhooks, nodes, pods and services are reached',
    takes: 'text',
    default: undefined,
    parse: (file) => egressThrough(readEgressConfiguration(parseText(file))),
  },
};

/** How this server shows itself to aggregated API servers, and finds them. */
export interface AggregationSettings {
  /** Shown to aggregated servers; undefined: none. */
  readonly proxyClientCertFile: string | undefined;
  readonly proxyClientKeyFile: string | undefined;
  /** Whether requests go to endpoints of a service rather than to its own address. */
  readonly enableAggregatorRouting: boolean;
  /** Whether a redirect of an aggregated server is answered with 502. */
  readonly aggregatorRejectForwardingRedirect: boolean;
  /** Authorities of the certificates of other servers of this log; undefined: nothing is passed on to them. */
  readonly peerCaFile: string | undefined;
  /** Where they reach this one, where it and the port are said. */
  readonly peerAdvertiseIp: string | undefined;
  readonly peerAdvertisePort: string | undefined;
}

/** The flags of {@link AggregationSettings}. */
export const AGGREGATION_SETTINGS: SettingsOf<AggregationSettings> = {
  proxyClientCertFile: {
    flag: 'proxy-client-cert-file',
    placeholder: 'FILE',
    help: 'the certificate that aggregated API servers are shown; read again when it changes',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  proxyClientKeyFile: {
    flag: 'proxy-client-key-file',
    placeholder: 'FILE',
    help: 'the key of that certificate',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  enableAggregatorRouting: {
    flag: 'enable-aggregator-routing',
    placeholder: 'BOOLEAN',
    help: 'whether requests go to ready endpoints of the service of an APIService, rather than to its cluster IP',
    takes: 'boolean',
    default: 'false',
    parse: parseBoolean,
  },
  aggregatorRejectForwardingRedirect: {
    flag: 'aggregator-reject-forwarding-redirect',
    placeholder: 'BOOLEAN',
    help: 'whether a redirect of an aggregated API server is answered with 502 instead of being passed on',
    takes: 'boolean',
    default: 'true',
    parse: parseBoolean,
  },
  peerCaFile: {
    flag: 'peer-ca-file',
    placeholder: 'FILE',
    help: 'authorities of the certificates of other servers of this log: what this server does not serve is passed on to one that does',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  peerAdvertiseIp: {
    flag: 'peer-advertise-ip',
    placeholder: 'ADDRESS',
    help: 'with --peer-advertise-port: where other servers of this log reach this one; without them at its usual address',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  peerAdvertisePort: {
    flag: 'peer-advertise-port',
    placeholder: 'PORT',
    help: 'see --peer-advertise-ip',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
};

export interface KubeletSettings {
  /** Shown to kubelets; undefined: none. */
  readonly kubeletClientCertificate: string | undefined;
  readonly kubeletClientKey: string | undefined;
  /** undefined: any certificate of a kubelet is believed. */
  readonly kubeletCertificateAuthority: string | undefined;
  /** Which address of a node is called, in this order. */
  readonly kubeletPreferredAddressTypes: readonly string[];
  /** Of nodes that name none. */
  readonly kubeletPort: number;
  /** Of each passed-on connection, each way; 0: as fast as it goes. */
  readonly maxConnectionBytesPerSec: number;
}

export const KUBELET_SETTINGS: SettingsOf<KubeletSettings> = {
  kubeletClientCertificate: {
    flag: 'kubelet-client-certificate',
    placeholder: 'FILE',
    help: 'the certificate that kubelets are shown; read again when it changes',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  kubeletClientKey: {
    flag: 'kubelet-client-key',
    placeholder: 'FILE',
    help: 'the key of that certificate',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  kubeletCertificateAuthority: {
    flag: 'kubelet-certificate-authority',
    placeholder: 'FILE',
    help: 'authorities that certificates of kubelets must come from; without it any certificate is believed',
    takes: 'text',
    default: undefined,
    parse: parseText,
  },
  kubeletPreferredAddressTypes: {
    flag: 'kubelet-preferred-address-types',
    placeholder: 'TYPE,...',
    help: 'which of the addresses of a node is called, the first that it has',
    takes: 'list',
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    parse: (types) => types,
  },
  kubeletPort: {
    flag: 'kubelet-port',
    placeholder: 'PORT',
    help: 'deprecated: the port of kubelets whose nodes name none',
    takes: 'text',
    default: '10250',
    parse: parsePort,
  },
  maxConnectionBytesPerSec: {
    flag: 'max-connection-bytes-per-sec',
    placeholder: 'COUNT',
    help: 'how many bytes a second are passed on each way of one exec, attach, port-forward or upgraded proxy connection; 0: as fast as it goes',
    takes: 'text',
    default: '0',
    parse: parseCount,
  },
};
