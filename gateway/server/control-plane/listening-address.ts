/** Where a server listens, as clients are told: known from the moment its port is open. */
import { isIP } from 'node:net';

import type { ListeningSettings } from '../../flags/sections/listening-settings.ts';

const PORT = /:\d+$/;

/** The host by which clients are told to reach the server: a name, maybe with a port, or an address. */
export function knownHost(options: ListeningSettings): string {
  const { externalHostname, advertiseAddress, bindAddress } = options;
  return externalHostname ?? advertiseAddress ?? bindAddress;
}

/** What clients are told, which is nothing until the port is open. */
export class ListeningAddress {
  readonly #host: string;
  #port: number | undefined;

  /** @param host where it names a port, clients are told that one. */
  constructor(host: string) {
    this.#host = isIP(host) === 6 ? `[${host}]` : host;
  }

  opened(port: number): void {
    this.#port = port;
  }

  /** 0 while no port is open. */
  get port(): number {
    return this.#port ?? 0;
  }

  /** `127.0.0.1:6443`; '' while no port is open, and so no client can ask. */
  get text(): string {
    if (this.#port === undefined) return '';
    const hasPort = !this.#host.startsWith('[') && PORT.test(this.#host);
    return hasPort ? this.#host : `${this.#host}:${String(this.#port)}`;
  }
}
