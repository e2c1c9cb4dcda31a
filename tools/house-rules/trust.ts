/**
 * Whether the other end of a TLS connection is believed is decided in one place, api/x509. So nothing
 * else asks OpenSSL for its opinion, or opens a connection over TLS past the agent that asks that place.
 */
import ts from 'typescript';
import { isTestSide, type House, type Violations } from './house.ts';

/** What means that a peer is believed, or is not, and where it may stand. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'rejectUnauthorized',
    [
      'gateway/outbound/trusting-agent.ts',
      // Their options go to that agent.
      'gateway/outbound/kubeconfig-endpoint.ts',
      'gateway/server/control-plane/probed-components.ts',
      // Clients are let in, and judged at each request.
      'gateway/listener/tls/tls.ts',
      // kafkajs opens its connections itself; no client of a cluster sees brokers.
      'streams/kafka/kafka-options.ts',
    ],
  ],
  ['checkServerIdentity', []],
  ['allowPartialTrustChain', []],
  ['authorizationError', []],
  ['verifyError', []],
  [
    'createSecureContext',
    [
      // What clients are shown. They are judged at each request, as on the main certificate.
      'gateway/listener/tls/named-pairs.ts',
      // Asked only whether OpenSSL knows a curve.
      'gateway/listener/tls/tls-choices.ts',
    ],
  ],
  ['createSsl', []],
  ['createFromSecureContext', []],
]);
/** Figures are measured against a server of one's own. */
const FREE = ['bench/', 'tools/'];

export function trustRule(house: House): Violations {
  return house.sources
    .filter(({ path }) => !isTestSide(path) && !FREE.some((folder) => path.startsWith(folder)))
    .flatMap(({ path, nodes }) =>
      nodes.flatMap((node) => {
        if (!ts.isIdentifier(node)) return [];
        const places = WORDS.get(node.text);
        return places === undefined || places.includes(path)
          ? []
          : [
              `${path}: ${node.text}, but api/x509/peer-judgement.ts decides which peer is believed`,
            ];
      }),
    );
}
