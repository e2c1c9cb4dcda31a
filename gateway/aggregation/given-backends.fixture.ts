/** For tests of requests that are passed on: real servers of HTTP/2, of HTTP/1.1 and of both, and ways to them. */
import { once } from 'node:events';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { AggregatedService } from '../../actors/aggregation/aggregated-services.ts';
import { testClock } from '../../actors/request/given.fixture.ts';
import { makeAuthority, makeLeaf } from '../listener/tls/certificate-maker.ts';
import { AggregatedWays } from './aggregated-ways.ts';

/** Answers a request, over either protocol: of what tests look at both have the same. */
export type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

const hello: Handler = (_request, response) => response.end('hello');

/** The servers, until they are closed. */
export async function startBackends() {
  const now = Date.now();
  const validity = { notBefore: now - 3_600_000, notAfter: now + 3_600_000 };
  const root = await makeAuthority('root', validity);
  const stranger = await makeAuthority('root', validity);
  const leaf = await makeLeaf(root, {
    ...{ commonName: 'served', organizations: [], use: 'server', validity },
    names: [{ type: 'dns', value: 'api.default.svc' }],
  });
  const shown = await makeLeaf(root, {
    ...{ commonName: 'front-proxy', organizations: [], use: 'client', validity, names: [] },
  });
  let handle = hello;
  const answer: Handler = (request, response) => {
    handle(request, response);
  };
  const { certificate: cert, key } = leaf;
  const tls = { cert, key, ca: root.certificate, requestCert: true };
  const servers = [
    createSecureServer(tls, answer),
    createServer(tls, (request, response) => {
      answer(request as never, response as never);
    }),
    createSecureServer({ ...tls, allowHTTP1: true }, answer),
  ];
  const [h2 = 0, h1 = 0, both = 0] = await Promise.all(servers.map(portOf));
  const ends: AbortController[] = [];

  /** Ways to the server at this port, by a service that is trusted by `ca`. */
  const waysTo = (port: number, options: { ca?: string; rejectsRedirects?: boolean } = {}) => {
    const end = new AbortController();
    ends.push(end);
    const clock = testClock(now);
    let credentials = { cert: shown.certificate, key: shown.key, ca: undefined };
    const ways = new AggregatedWays({
      ...{ clock, until: end.signal, way: undefined },
      credentials: () => credentials,
      find: () => ({ ok: true, host: '127.0.0.1', port }),
      rejectsRedirects: options.rejectsRedirects ?? true,
    });
    const service: AggregatedService = {
      ...{ name: 'v1.example.com', uid: 'u', group: 'example.com', version: 'v1' },
      ...{ path: '/apis/example.com/v1', groupPriorityMinimum: 1, versionPriority: 1 },
      service: { namespace: 'default', name: 'api', port: 443 },
      ...{ caBundle: options.ca ?? root.certificate, skipsVerification: false },
      ...{ available: true, reason: 'Passed' },
    };
    const renew = (): void => {
      credentials = { ...credentials };
    };
    return { ways, service, clock, renew };
  };
  return {
    ports: { h2, h1, both, gone: 1 },
    /** An authority that the servers' certificates are not of. */
    stranger: stranger.certificate,
    waysTo,
    answerBy: (handler: Handler): void => {
      handle = handler;
    },
    /** Ends the connections of a test, and answers with `hello` again. */
    reset: (): void => {
      for (const end of ends.splice(0)) end.abort();
      handle = hello;
    },
    close: (): void => {
      for (const server of servers) server.close();
    },
  };
}

async function portOf(server: ReturnType<typeof createSecureServer> | Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // It listens on TCP.
}
