/**
 * The address by which members of the cluster reach this server. Upstream ends where the machine has
 * none but loopback addresses; this server starts, since a sandbox may have no network, and is then in no
 * endpoints.
 *
 * In Kubernetes: DefaultAdvertiseAddress, apiserver/pkg/server/options; ResolveBindAddress, apimachinery/pkg/util/net.
 */
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

import type { ListeningSettings } from '../../flags/sections/listening-settings.ts';

const UNSPECIFIED = new Set(['0.0.0.0', '::', '']);
/** Of documentation: no packet is sent there, only the way to it is asked. */
const OUTSIDE = { 4: '192.0.2.1', 6: '2001:db8::1' } as const;
const DISCARD_PORT = 9;

type Family = 4 | 6;

/** undefined: the machine has none that others could reach. */
export async function advertisedAddress({
  advertiseAddress = '',
  bindAddress,
}: Pick<ListeningSettings, 'advertiseAddress' | 'bindAddress'>): Promise<string | undefined> {
  if (!UNSPECIFIED.has(advertiseAddress)) {
    return isLoopback(advertiseAddress) ? undefined : advertiseAddress;
  }
  if (!UNSPECIFIED.has(bindAddress) && !isLoopback(bindAddress)) return bindAddress;
  const families: readonly Family[] = isIP(bindAddress) === 6 ? [6, 4] : [4, 6];
  for (const family of families) {
    const found = (await sourceAddress(family)) ?? interfaceAddress(family);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The address that packets to the outside would come from: that of the default route. */
function sourceAddress(family: Family): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
    const done = (address: string | undefined): void => {
      socket.close();
      resolve(address !== undefined && isGlobal(address) ? address : undefined);
    };
    socket.once('error', () => {
      done(undefined);
    });
    socket.connect(DISCARD_PORT, OUTSIDE[family], () => {
      done(socket.address().address);
    });
  });
}

function interfaceAddress(family: Family): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const found = addresses.find(
    ({ address, internal }) => !internal && isIP(address) === family && isGlobal(address),
  );
  return found?.address;
}

function isGlobal(address: string): boolean {
  return (
    !isLoopback(address) && !UNSPECIFIED.has(address) && !/^(?:fe[89ab]|169\.254\.)/i.test(address)
  );
}

/** Endpoints may not name such an address. */
function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
