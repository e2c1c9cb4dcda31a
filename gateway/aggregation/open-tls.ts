/** A connection over TLS with an aggregated server, which is believed or not before anything is sent. */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../api/meta/clock.ts';
import type { TrustingAgent } from '../outbound/trusting-agent.ts';
import { connectionOptions, hostAndPort, type ServerPlace } from './server-place.ts';

const CONNECT_MS = 30_000;

/** What TLS tells of a connection. */
export type TlsStream = Duplex & {
  readonly secureConnecting?: boolean;
  readonly alpnProtocol?: string | false | null;
};

export interface TlsParts {
  readonly agent: TrustingAgent;
  readonly clock: Clock;
}

/**
 * A connection whose handshake is done, and whose server is believed.
 *
 * @param protocols of which the server takes the first that it knows.
 * @throws Error why there is none.
 */
export function openTls(
  place: ServerPlace,
  { agent, clock }: TlsParts,
  protocols: readonly string[],
): Promise<TlsStream> {
  return new Promise((resolve, reject) => {
    let socket: TlsStream | undefined;
    const cancel = clock.after(CONNECT_MS, () => {
      const late = new Error(`dial tcp ${hostAndPort(place)}: i/o timeout`);
      socket?.destroy();
      reject(late);
    });
    const take = (opened: TlsStream): void => {
      if (socket !== undefined) return;
      socket = opened;
      opened.once('secureConnect', () => {
        cancel();
        // A server that is not believed is let go of before this is told.
        if (!opened.destroyed) resolve(opened);
      });
      opened.once('error', (error) => {
        cancel();
        reject(error);
      });
      opened.once('close', () => {
        cancel();
        reject(new Error('EOF'));
      });
    };
    const made = agent.createConnection(connectionOptions(place, protocols), (error, stream) => {
      if (error === null) return take(stream);
      cancel();
      reject(error);
    });
    if (made !== undefined) take(made);
  });
}
