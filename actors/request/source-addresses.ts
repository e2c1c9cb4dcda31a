/**
 * A request comes from the addresses that proxies name, and from that of its connection.
 *
 * In Kubernetes: SourceIPs, apimachinery/pkg/util/net.
 */
import { isIP } from 'node:net';

import type { IncomingHeaders } from './request-line.ts';

/** The client's own address stands first. */
export function sourceAddresses(headers: IncomingHeaders, remoteAddress: string): string[] {
  const ips: string[] = [];
  for (const part of firstOfHeader(headers, 'x-forwarded-for').split(',')) {
    const ip = plainIP(part.trim());
    if (ip !== undefined) ips.push(ip);
  }
  const real = plainIP(firstOfHeader(headers, 'x-real-ip'));
  if (real !== undefined && !ips.includes(real)) ips.push(real);
  const remote = plainIP(remoteAddress);
  if (remote !== undefined && remote !== ips.at(-1)) ips.push(remote);
  return ips;
}

/** Of a header that was sent several times, the first. */
export function firstOfHeader(headers: IncomingHeaders, name: string): string {
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
