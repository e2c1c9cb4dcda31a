/** What a server can be told about the way to nodes, as kube-apiserver spells it. */
import { parseCount, parseDelay, parsePort, parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

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
  /** How long a node may take to be connected with; 0: as long as other backends. */
  readonly kubeletTimeoutMs: number;
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
  kubeletTimeoutMs: {
    flag: 'kubelet-timeout',
    placeholder: 'DURATION',
    help: 'how long a kubelet may take to be connected with',
    takes: 'text',
    default: '5s',
    parse: parseDelay,
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
