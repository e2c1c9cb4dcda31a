/**
 * The file of --egress-selector-config-file: through which proxy connections leave that this server
 * opens, told apart by where they lead: to the `cluster` (services of webhooks), or to the
 * `controlplane` (webhooks by URL, and all that a kubeconfig points at). `etcd` may be named; there
 * is none.
 *
 *     apiVersion: apiserver.k8s.io/v1beta1
 *     kind: EgressSelectorConfiguration
 *     egressSelections:
 *       - name: cluster
 *         connection:
 *           proxyProtocol: HTTPConnect
 *           transport: {uds: {udsName: /run/konnectivity.sock}}
 *
 * By `GRPC` konnectivity is asked, on a Unix socket only.
 *
 * In Kubernetes: apiserver/pkg/server/egressselector/config.go.
 */
import { existsSync, readFileSync } from 'node:fs';
import { formatJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import {
  duplicateValue,
  type FieldError,
  formatFieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../api/field/field-errors.ts';
import { indexPath } from '../../api/field/field-path.ts';
import {
  listOf,
  optional,
  type Read,
  struct,
  text,
  unknownField,
} from '../../api/json/json-shape.ts';
import { parseYaml } from '../negotiation/yaml-codec.ts';
import type { ProxyPlace, ProxyTls } from '../outbound/egress/proxy-place.ts';
import { StartupError, systemProblem } from '../process/startup-error.ts';

/** undefined: straight there. */
export interface EgressPlaces {
  readonly controlPlane: ProxyPlace | undefined;
  readonly cluster: ProxyPlace | undefined;
}

const VERSIONS = ['apiserver.k8s.io/v1beta1', 'apiserver.k8s.io/v1alpha1'];
const KIND = 'EgressSelectorConfiguration';
const NAMES = ['cluster', 'controlplane', 'etcd'];
const PROTOCOLS = ['Direct', 'HTTPConnect', 'GRPC'];
/** As upstream says it, of each alike. */
const CONNECTION = 'service.connection';

/** @throws StartupError that says what is wrong. */
export function readEgressConfiguration(file: string): EgressPlaces {
  const content = contentOf(file);
  const { apiVersion, kind } = content;
  if (kind !== KIND || !VERSIONS.some((one) => one === apiVersion)) {
    const said = `${formatJson(apiVersion ?? '')}, ${formatJson(kind ?? '')}`;
    throw new StartupError(`${file}: must be ${VERSIONS[0] ?? ''}, ${KIND}, not ${said}`);
  }
  const unknown = unknownField(FILE, content);
  if (unknown !== undefined) throw new StartupError(`${file}: unknown field "${unknown}"`);
  // A misspelt field would send connections another way, so the decoder is strict.
  const { egressSelections: selections } = FILE.read(content);
  const errors = [...selections.flatMap(connectionErrors), ...nameErrors(selections)];
  if (errors.length > 0) {
    const why = formatFieldErrors(errors);
    throw new StartupError(`failed to validate egress selector configuration: ${why}`);
  }
  const placeFor = (name: string): ProxyPlace | undefined => {
    const found = selections.find((one) => one.name.toLowerCase() === name);
    return found === undefined ? undefined : placeOf(found, name);
  };
  return { controlPlane: placeFor('controlplane'), cluster: placeFor('cluster') };
}

function contentOf(file: string): JsonObject {
  let content: JsonValue;
  try {
    content = parseYaml(readFileSync(file));
  } catch (cause) {
    const why = systemProblem(cause);
    const reading = `unable to read egress selector configuration from ${JSON.stringify(file)}`;
    throw new StartupError(`${reading} [${why}]`, { cause });
  }
  return isJsonObject(content) ? content : {};
}

const TLS = struct({ caBundle: text, clientKey: text, clientCert: text, tlsServerName: text });
const TCP = struct({ url: text, tlsConfig: optional(TLS) });
const SOCKET = struct({ udsName: text });
const TRANSPORT = struct({ tcp: optional(TCP), uds: optional(SOCKET) });
const SELECTION = struct({
  name: text,
  connection: struct({ proxyProtocol: text, transport: optional(TRANSPORT) }),
});
const FILE = struct({ apiVersion: text, kind: text, egressSelections: listOf(SELECTION) });

type Selection = Read<typeof SELECTION>;
type Transport = Read<typeof TRANSPORT>;
type TlsFiles = Read<typeof TLS>;

function connectionErrors({ connection }: Selection): FieldError[] {
  const { proxyProtocol: protocol, transport } = connection;
  switch (protocol) {
    case 'Direct': {
      if (transport === undefined) return [];
      const why = 'config must be absent for direct connect';
      return [invalidValue(`${CONNECTION}.transport`, 'direct', why)];
    }
    case 'HTTPConnect': {
      if (transport !== undefined) return transportErrors(transport);
      return [required(`${CONNECTION}.transport`, 'transport must be set for HTTPConnect')];
    }
    case 'GRPC':
      if (transport !== undefined) return grpcErrors(transport);
      return [required(`${CONNECTION}.transport`, 'transport must be set for GRPC')];
    default:
      return [notSupported(`${CONNECTION}.protocol`, protocol, PROTOCOLS)];
  }
}

function transportErrors({ tcp, uds }: Transport): FieldError[] {
  if (tcp !== undefined && uds !== undefined) {
    return [invalidValue(`${CONNECTION}.tcp`, tcp, 'TCP and UDS cannot both be set')];
  }
  if (tcp !== undefined) return tcpErrors(tcp);
  if (uds !== undefined) return socketErrors(uds);
  return [required(`${CONNECTION}.tcp`, 'One of TCP or UDS must be set')];
}

/** An address beside the socket is passed over. */
function grpcErrors({ uds }: Transport): FieldError[] {
  if (uds !== undefined) return socketErrors(uds);
  return [required(`${CONNECTION}.uds`, 'UDS must be set with GRPC')];
}

function socketErrors({ udsName }: Read<typeof SOCKET>): FieldError[] {
  if (udsName !== '') return [];
  return [invalidValue(`${CONNECTION}.udsName`, 'nil', 'must be present for UDS connections')];
}

function tcpErrors({ url, tlsConfig: tls }: Read<typeof TCP>): FieldError[] {
  if (url.startsWith('http://') && URL.canParse(url)) {
    if (tls === undefined) return [];
    const why = 'config must not be present when using HTTP';
    return [invalidValue(`${CONNECTION}.tlsConfig`, 'nil', why)];
  }
  if (!url.startsWith('https://') || URL.parse(url) === null) {
    const why = 'supported connection protocols are http:// and https://';
    return [invalidValue(`${CONNECTION}.url`, url, why)];
  }
  if (tls === undefined) {
    const why = 'TLSConfig must be present when using HTTPS';
    return [required(`${CONNECTION}.tlsConfig`, why)];
  }
  return [
    ...(tls.caBundle === '' ? [] : fileErrors(tls, 'caBundle', 'config ca bundle')),
    ...fileErrors(tls, 'clientCert', 'client cert'),
    ...fileErrors(tls, 'clientKey', 'client key'),
  ];
}

function fileErrors(tls: TlsFiles, field: keyof TlsFiles, what: string): FieldError[] {
  const path = `${CONNECTION}.tlsConfig.${field}`;
  const file = tls[field];
  if (file === '') {
    // As upstream says it.
    const requires = field === 'clientKey' ? 'requires requires' : 'requires';
    return [invalidValue(path, 'nil', `Using TLS ${requires} ${field}`)];
  }
  return existsSync(file) ? [] : [invalidValue(path, file, `TLS ${what} does not exist`)];
}

function nameErrors(selections: readonly Selection[]): FieldError[] {
  const seen = new Set<string>();
  return selections.flatMap((selection, at) => {
    const name = selection.name.toLowerCase();
    if (seen.has(name)) return [duplicateValue(indexPath(CONNECTION, at), name)];
    seen.add(name);
    return NAMES.includes(name) ? [] : [notSupported(CONNECTION, name, NAMES)];
  });
}

/** Of a selection without errors. */
function placeOf({ connection }: Selection, name: string): ProxyPlace | undefined {
  const { transport, proxyProtocol } = connection;
  if (transport === undefined) return undefined;
  const { tcp, uds } = transport;
  if (uds !== undefined) {
    return { kind: proxyProtocol === 'GRPC' ? 'grpc' : 'socket', path: uds.udsName };
  }
  if (tcp === undefined) return undefined;
  const url = new URL(tcp.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const tls = isTls && tcp.tlsConfig ? tlsOf(tcp.tlsConfig, name) : undefined;
  return { kind: 'tcp', host, port, tls };
}

function tlsOf(tls: TlsFiles, name: string): ProxyTls {
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      const failed = `failed to create dialer for egressSelection ${JSON.stringify(name)}`;
      throw new StartupError(`${failed}: cannot read ${file}: ${systemProblem(cause)}`, { cause });
    }
  };
  return {
    ca: tls.caBundle === '' ? undefined : read(tls.caBundle),
    cert: read(tls.clientCert),
    key: read(tls.clientKey),
    serverName: tls.tlsServerName,
  };
}
