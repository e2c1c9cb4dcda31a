/**
 * A kubeconfig whose server is a plane behind the one in use, the past or a fork: the same user, and a path at
 * the end of the server's URL, which every client keeps. So kubectl, dashboards and informers travel in time.
 */
import type { JsonObject } from '../../../api/json/json.ts';
import { prefixOf } from '../../../actors/request/request-info.ts';
import {
  clusterAccess,
  type AccessOptions,
  type ClusterAccess,
} from '../../configuration/kubeconfig-access.ts';
import { formatYaml } from '../../negotiation/yaml-codec.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';
import { parseMoment } from '../tool/moment.ts';

/** The name of a fork, or ''; a version or a time, or ''; and whether watches stay there. */
export interface PlaneLocation {
  readonly fork: string;
  readonly at: string;
  readonly isStill?: boolean;
}

export interface PlaneOptions extends AccessOptions {
  readonly fork: string | undefined;
  /** A moment as a person says it; undefined: the present. */
  readonly at: string | undefined;
  /** Whether watches show that moment alone, and not what came after it. */
  readonly isStill: boolean;
}

/** @throws StartupError the kubeconfig is of no use, or the moment none. */
export async function planeKubeconfig(options: PlaneOptions): Promise<string> {
  const { fork = '', at, isStill, ...access } = options;
  if (isStill && at === undefined) throw new StartupError('--still needs the moment, with --at');
  const plane = { fork, at: at === undefined ? '' : momentInPath(at, systemClock.now()), isStill };
  const name = [fork, plane.at === '' ? '' : `at-${plane.at}`, isStill ? 'still' : '']
    .filter((one) => one !== '')
    .join('-');
  return formatPlaneKubeconfig(await clusterAccess(access, process.env), plane, name);
}

/** What was an hour ago is another moment later: a path has a version or a time. @throws StartupError */
export function momentInPath(text: string, now: number): string {
  const moment = parseMoment(text, '--at', now);
  if (moment.kind === 'version') return String(moment.version);
  return new Date(moment.kind === 'now' ? now : moment.ms).toISOString();
}

const USER = 'user';
const BEARER = 'Bearer ';
const BASIC = 'Basic ';

/** Holds everything itself, keys too: it refers to no other file. @param name of its context. */
export function formatPlaneKubeconfig(
  access: ClusterAccess,
  plane: PlaneLocation,
  name: string,
): string {
  const { namespace } = access;
  const context = { cluster: name, user: USER, ...(namespace === '' ? {} : { namespace }) };
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: clusterOf(access, plane) }],
    users: [{ name: USER, user: userOf(access) }],
    contexts: [{ name, context }],
    'current-context': name,
  });
}

function clusterOf(
  { server, ca, verifiesServer, serverName }: ClusterAccess,
  plane: PlaneLocation,
) {
  return {
    server: server + prefixOf(plane),
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
