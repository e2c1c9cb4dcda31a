/** A kubeconfig that is like the one in use, but for the server: that is a fork. */
import type { JsonObject } from '../../../api/json/json.ts';
import { prefixOf } from '../../../actors/request/request-place.ts';
import { formatYaml } from '../../negotiation/yaml-codec.ts';
import type { ClusterAccess } from '../../configuration/kubeconfig-access.ts';

const USER = 'user';
const BEARER = 'Bearer ';
const BASIC = 'Basic ';

/** Holds everything itself, keys too: it refers to no other file. */
export function formatForkKubeconfig(access: ClusterAccess, name: string): string {
  const { namespace } = access;
  const context = { cluster: name, user: USER, ...(namespace === '' ? {} : { namespace }) };
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: clusterOf(access, name) }],
    users: [{ name: USER, user: userOf(access) }],
    contexts: [{ name, context }],
    'current-context': name,
  });
}

function clusterOf({ server, ca, verifiesServer, serverName }: ClusterAccess, name: string) {
  return {
    server: server + prefixOf({ fork: name, at: '' }),
    ...(ca === undefined ? {} : { 'certificate-authority-data': inBase64(ca) }),
    ...(verifiesServer ? {} : { 'insecure-skip-tls-verify': true }),
    ...(serverName === '' ? {} : { 'tls-server-name': serverName }),
  };
}

function userOf({ cert, key, authorization }: ClusterAccess): JsonObject {
  return {
    ...(cert === undefined ? {} : { 'client-certificate-data': inBase64(cert) }),
    ...(key === undefined ? {} : { 'client-key-data': inBase64(key) }),
    ...credentialsOf(authorization),
  };
}

function credentialsOf(authorization: string): JsonObject {
  if (authorization.startsWith(BEARER)) return { token: authorization.slice(BEARER.length) };
  if (!authorization.startsWith(BASIC)) return {};
  const pair = Buffer.from(authorization.slice(BASIC.length), 'base64').toString();
  const colon = pair.indexOf(':');
  return { username: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

function inBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
