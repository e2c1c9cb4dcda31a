/** An aggregated server behind several servers of one log. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { AggregationTrust } from '../aggregation/given-aggregation.ts';

/** Whose things it has. */
export const THINGS = { group: 'things.example.com', path: '/apis/things.example.com/v1/things' };

export interface BehindReplicas {
  readonly port: number;
  /** Whether it answers from now on, or ends each connection. */
  answers(is: boolean): void;
  close(): void;
}

/** Tells each user of its name. Its service is `things`. */
export async function startBehindReplicas(trust: AggregationTrust): Promise<BehindReplicas> {
  const { certificate, key } = await trust.serving('things');
  let isAnswering = true;
  const tls = { cert: certificate, key, ca: trust.proxyAuthority, requestCert: true };
  const listening = createServer(tls, ({ url = '', headers, socket }, response) => {
    if (!isAnswering) {
      socket.destroy();
      return;
    }
    const name = { name: 'things', singularName: 'thing', namespaced: false, kind: 'Thing' };
    const resources = [{ ...name, verbs: ['list'] }];
    const groupVersion = `${THINGS.group}/v1`;
    const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
    const things = { kind: 'ThingList', user: headers['x-remote-user'] };
    response.writeHead(url.startsWith('/apis') ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(url === THINGS.path ? things : list));
  });
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port, // It listens on TCP.
    answers(is) {
      isAnswering = is;
      if (!is) listening.closeAllConnections();
    },
    close() {
      listening.closeAllConnections();
      listening.close();
    },
  };
}
