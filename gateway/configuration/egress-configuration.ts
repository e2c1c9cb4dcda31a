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
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../api/json/json.ts';
import {
  duplicateValue,
  formatFieldErrors,
  invalidValue,
  notSupported,
  required,
  type FieldError,
} from '../../api/field/field-errors.ts';
import { indexPath } from '../../api/field/field-path.ts';
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
  const unknown = unknownIn(content);
  if (unknown !== undefined) throw new StartupError(`${file}: unknown field "${unknown}"`);
  const selections = listAt(content, 'egressSelections').filter(isJsonObject);
  const errors = [...selections.flatMap(connectionErrors), ...nameErrors(selections)];
  if (errors.length > 0) {
    const why = formatFieldErrors(errors);
    throw new StartupError(`failed to validate egress selector configuration: ${why}`);
  }
  const placeFor = (name: string): ProxyPlace | undefined => {
    const found = selections.find((one) => stringAt(one, 'name').toLowerCase() === name);
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

/** Which fields an object has, and of what theirs are made; undefined: of no objects. */
interface Shape {
  readonly [field: string]: Shape | undefined;
}

const TLS: Shape = Object.fromEntries(
  ['caBundle', 'clientKey', 'clientCert', 'tlsServerName'].map((field) => [field, undefined]),
);
const TRANSPORT: Shape = {
  tcp: { url: undefined, tlsConfig: TLS },
  uds: { udsName: undefined },
};
const FILE: Shape = {
  ...{ apiVersion: undefined, kind: undefined },
  egressSelections: {
    name: undefined,
    connection: { proxyProtocol: undefined, transport: TRANSPORT },
  },
};

/** The decoder is strict: what is misspelt would send connections another way. */
function unknownIn(value: JsonValue | undefined, shape = FILE, path = ''): string | undefined {
  if (Array.isArray(value)) {
    const found = value.map((one, at) => unknownIn(one, shape, `${path}[${String(at)}]`));
    return found.find((one) => one !== undefined);
  }
  if (!isJsonObject(value)) return undefined;
  for (const [field, inner] of Object.entries(value)) {
    const where = path === '' ? field : `${path}.${field}`;
    if (!Object.hasOwn(shape, field)) return where;
    const beneath = shape[field];
    const unknown = beneath === undefined ? undefined : unknownIn(inner, beneath, where);
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}

function connectionErrors(selection: JsonObject): FieldError[] {
  const connection = objectAt(selection, 'connection') ?? {};
  const protocol = stringAt(connection, 'proxyProtocol');
  const transport = objectAt(connection, 'transport');
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

function transportErrors(transport: JsonObject): FieldError[] {
  const tcp = objectAt(transport, 'tcp');
  const uds = objectAt(transport, 'uds');
  if (tcp !== undefined && uds !== undefined) {
    return [invalidValue(`${CONNECTION}.tcp`, tcp, 'TCP and UDS cannot both be set')];
  }
  if (tcp !== undefined) return tcpErrors(tcp);
  if (uds !== undefined) return socketErrors(uds);
  return [required(`${CONNECTION}.tcp`, 'One of TCP or UDS must be set')];
}

/** An address beside the socket is passed over. */
function grpcErrors(transport: JsonObject): FieldError[] {
  const uds = objectAt(transport, 'uds');
  if (uds !== undefined) return socketErrors(uds);
  return [required(`${CONNECTION}.uds`, 'UDS must be set with GRPC')];
}

function socketErrors(uds: JsonObject): FieldError[] {
  if (stringAt(uds, 'udsName') !== '') return [];
  return [invalidValue(`${CONNECTION}.udsName`, 'nil', 'must be present for UDS connections')];
}

function tcpErrors(tcp: JsonObject): FieldError[] {
  const url = stringAt(tcp, 'url');
  const tls = objectAt(tcp, 'tlsConfig');
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
    ...(stringAt(tls, 'caBundle') === '' ? [] : fileErrors(tls, 'caBundle', 'config ca bundle')),
    ...fileErrors(tls, 'clientCert', 'client cert'),
    ...fileErrors(tls, 'clientKey', 'client key'),
  ];
}

function fileErrors(tls: JsonObject, field: string, what: string): FieldError[] {
  const path = `${CONNECTION}.tlsConfig.${field}`;
  const file = stringAt(tls, field);
  if (file === '') {
    // As upstream says it.
    const requires = field === 'clientKey' ? 'requires requires' : 'requires';
    return [invalidValue(path, 'nil', `Using TLS ${requires} ${field}`)];
  }
  return existsSync(file) ? [] : [invalidValue(path, file, `TLS ${what} does not exist`)];
}

function nameErrors(selections: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>();
  return selections.flatMap((selection, at) => {
    const name = stringAt(selection, 'name').toLowerCase();
    if (seen.has(name)) return [duplicateValue(indexPath(CONNECTION, at), name)];
    seen.add(name);
    return NAMES.includes(name) ? [] : [notSupported(CONNECTION, name, NAMES)];
  });
}

/** Of what has no errors. */
function placeOf(selection: JsonObject, name: string): ProxyPlace | undefined {
  const connection = objectAt(selection, 'connection') ?? {};
  const transport = objectAt(connection, 'transport');
  if (transport === undefined) return undefined;
  const path = stringAt(objectAt(transport, 'uds') ?? {}, 'udsName');
  const isGrpc = stringAt(connection, 'proxyProtocol') === 'GRPC';
  if (path !== '') return { kind: isGrpc ? 'grpc' : 'socket', path };
  const tcp = objectAt(transport, 'tcp') ?? {};
  const url = new URL(stringAt(tcp, 'url'));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const tls = isTls ? tlsOf(objectAt(tcp, 'tlsConfig') ?? {}, name) : undefined;
  return { kind: 'tcp', host, port, tls };
}

function tlsOf(tls: JsonObject, name: string): ProxyTls {
  const read = (field: string): string => {
    const file = stringAt(tls, field);
    try {
      return readFileSync(file, 'utf8');
    } catch (cause) {
      const failed = `failed to create dialer for egressSelection ${JSON.stringify(name)}`;
      throw new StartupError(`${failed}: cannot read ${file}: ${systemProblem(cause)}`, { cause });
    }
  };
  return {
    ca: stringAt(tls, 'caBundle') === '' ? undefined : read('caBundle'),
    cert: read('clientCert'),
    key: read('clientKey'),
    serverName: stringAt(tls, 'tlsServerName'),
  };
}
