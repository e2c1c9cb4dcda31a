/** What a server can be told about aggregated API servers, as kube-apiserver spells it. */
import { parseBoolean, parseText } from '../flag-values.ts';
import type { SettingsOf } from '../setting.ts';

export interface AggregationSettings {
  /** Shown to aggregated servers; undefined: none. */
  readonly proxyClientCertFile: string | undefined;
  readonly proxyClientKeyFile: string | undefined;
  /** Whether requests go to endpoints of a service rather than to its own address. */
  readonly enableAggregatorRouting: boolean;
  /** Whether a redirect of an aggregated server is answered with 502. */
  readonly aggregatorRejectForwardingRedirect: boolean;
}

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
};
