/**
 * What makes aggregated API servers work without a flag: an authority for this server as a proxy, and the
 * certificate that they are shown, made in the data directory beside the others. Only for a server that
 * also makes the certificates that its clients see, and that was given none of the flags about it: else
 * the flags say everything, as with kube-apiserver, which makes neither.
 */
import type { AggregationSettings } from '../../flags/sections/kubelet-settings.ts';
import type { LogSettings, UserSettings } from '../../flags/serve-settings.ts';
import type { TlsSettings } from '../../flags/sections/tls-settings.ts';
import {
  FRONT_PROXY_NAME,
  prepareFrontProxy,
  type FrontProxyFiles,
} from '../../listener/tls/self-signed.ts';

/** What the flags say of certificates, and of proxies. */
export interface FrontProxySections {
  /** Where the server has its certificates, and whether it may write there. */
  readonly log: Pick<LogSettings, 'dataDir' | 'readOnly'>;
  /** Whether the server makes the certificate that its clients see. */
  readonly listening: Pick<TlsSettings, 'tlsCertFile'>;
  /** Which clients and proxies are believed. */
  readonly authentication: Pick<
    UserSettings,
    | 'clientCaFile'
    | 'requestheaderClientCaFile'
    | 'requestheaderAllowedNames'
    | 'requestheaderUsernameHeaders'
    | 'requestheaderUidHeaders'
    | 'requestheaderGroupHeaders'
    | 'requestheaderExtraHeadersPrefix'
  >;
  /** What other servers are shown. */
  readonly aggregation: Pick<
    AggregationSettings,
    'proxyClientCertFile' | 'proxyClientKeyFile' | 'peerCaFile'
  >;
}

/**
 * The files of a front proxy of its own, made where they are missing; undefined for a server that has none.
 * The data directory has to be this server's already.
 *
 * @param now in milliseconds since 1970.
 * @throws StartupError when a file cannot be read or written, or is not what it should be.
 */
export function ownFrontProxy(
  options: FrontProxySections,
  now: number,
): Promise<FrontProxyFiles | undefined> {
  return isOwn(options) ? prepareFrontProxy(options.log.dataDir, now) : Promise.resolve(undefined);
}

/** The options as if the flags had named these files. */
export function withFrontProxy<Options extends Omit<FrontProxySections, 'log' | 'listening'>>(
  options: Options,
  files: FrontProxyFiles | undefined,
): Options {
  if (files === undefined) return options;
  return {
    ...options,
    authentication: {
      ...options.authentication,
      requestheaderClientCaFile: files.authorityFile,
      requestheaderAllowedNames: [FRONT_PROXY_NAME],
      requestheaderUsernameHeaders: ['x-remote-user'],
      requestheaderUidHeaders: ['x-remote-uid'],
      requestheaderGroupHeaders: ['x-remote-group'],
      requestheaderExtraHeadersPrefix: ['x-remote-extra-'],
    },
    aggregation: {
      ...options.aggregation,
      proxyClientCertFile: files.certFile,
      proxyClientKeyFile: files.keyFile,
    },
  };
}

function isOwn({ log, listening, authentication, aggregation }: FrontProxySections): boolean {
  const files = [
    ...[listening.tlsCertFile, authentication.clientCaFile],
    authentication.requestheaderClientCaFile,
    ...[aggregation.proxyClientCertFile, aggregation.proxyClientKeyFile, aggregation.peerCaFile],
  ];
  const lists = [
    ...[authentication.requestheaderAllowedNames, authentication.requestheaderUsernameHeaders],
    ...[authentication.requestheaderUidHeaders, authentication.requestheaderGroupHeaders],
    authentication.requestheaderExtraHeadersPrefix,
  ];
  const isBare =
    files.every((file) => file === undefined) && lists.every((one) => one.length === 0);
  return isBare && !log.readOnly;
}
