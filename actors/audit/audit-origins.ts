/**
 * Where requests come from: the addresses that proxies name, and that of the connection.
 *
 * In Kubernetes: SourceIPs, apimachinery/pkg/util/net, and maybeTruncateUserAgent,
 * apiserver/pkg/audit.
 */
import { isIP } from 'node:net';
import type { Connection, IncomingHeaders, ReceivedRequest } from '../request/request.ts';
import { auditOrigin, type AuditOrigin } from './audit-event.ts';

const USER_AGENT_MAX = 1_024;
const TRUNCATED = '...TRUNCATED';

/** Clients say the same of themselves with every request of a connection. */
const LAST = new WeakMap<Connection, AuditOrigin & { readonly said: string }>();

export function originOfRequest({ headers, connection }: ReceivedRequest): AuditOrigin {
  const said = textOf(headers, 'user-agent');
  const isDirect = headers['x-forwarded-for'] === undefined && headers['x-real-ip'] === undefined;
  const last = isDirect ? LAST.get(connection) : undefined;
  if (last?.said === said) return last;
  const origin = auditOrigin(sourceIPs(headers, connection.remoteAddress), truncated(said));
  if (isDirect) LAST.set(connection, { ...origin, said });
  return origin;
}

function truncated(userAgent: string): string {
  if (userAgent.length <= USER_AGENT_MAX) return userAgent;
  return userAgent.slice(0, USER_AGENT_MAX) + TRUNCATED;
}

function sourceIPs(headers: IncomingHeaders, remoteAddress: string): string[] {
  const ips: string[] = [];
  for (const part of textOf(headers, 'x-forwarded-for').split(',')) {
    const ip = plainIP(part.trim());
    if (ip !== undefined) ips.push(ip);
  }
  const real = plainIP(textOf(headers, 'x-real-ip'));
  if (real !== undefined && !ips.includes(real)) ips.push(real);
  const remote = plainIP(remoteAddress);
  if (remote !== undefined && remote !== ips.at(-1)) ips.push(remote);
  return ips;
}

/** Of a header that was sent several times, the first. */
function textOf(headers: IncomingHeaders, name: string): string {
  const value = headers[name];
  if (value === undefined) return '';
  return typeof value === 'string' ? value : (value[0] ?? '');
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** As Go writes it; undefined where it is none. */
function plainIP(text: string): string | undefined {
  const mapped = MAPPED.exec(text)?.[1] ?? text;
  if (isIP(mapped) === 4) return mapped;
  if (isIP(mapped) !== 6 || mapped.includes('%')) return undefined;
  // A URL writes it in its shortest form, in square brackets.
  return URL.parse(`http://[${mapped}]`)?.hostname.slice(1, -1);
}
