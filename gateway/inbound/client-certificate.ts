/**
 * The certificate that the client of a TLS connection has shown. Whether that is believed is not
 * asked here: OpenSSL judges otherwise than Go does, so its judgement counts nowhere.
 *
 * In Kubernetes: what x509.Authenticator finds in the state of a connection,
 * apiserver/pkg/authentication.
 */
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { shownChain } from '../../api/x509/shown-chain.ts';
import type { ClientCertificate, Connection } from '../../actors/request/request-line.ts';

/**
 * One for the whole life of the connection. Call it as soon as the handshake is done, in the same turn:
 * where OpenSSL refused a signature of the chain, it leaves an error behind, which would end the
 * connection; reading the certificate takes that error away.
 */
export function connectionOf(socket: TLSSocket): Connection {
  const certificate = readCertificate(socket);
  return {
    remoteAddress: socket.remoteAddress ?? '',
    remotePort: socket.remotePort,
    clientCertificate: () => certificate,
  };
}

function readCertificate(socket: TLSSocket): ClientCertificate | undefined {
  const peer = socket.getPeerCertificate(true);
  // Without a certificate Node gives an object without fields.
  if (!('raw' in peer)) return undefined;
  const [raw = peer.raw, ...intermediates] = shownChain(peer);
  const { CN, O, [UID]: uid } = subjectOf(peer);
  return {
    raw,
    // Where there are several names, Go takes the last one.
    commonName: textsOf(CN).at(-1) ?? '',
    organizations: textsOf(O),
    // And here the first one.
    uid: textsOf(uid)[0],
    expiry: Date.parse(peer.valid_to),
    intermediates: () => intermediates,
  };
}

type PeerCertificate = Pick<DetailedPeerCertificate, 'subject'>;

/** By which Kubernetes names the uid of a user; OpenSSL has no word for it. */
const UID = '1.3.6.1.4.1.57683.2';

/** The subject's fields; each a text, or several where the certificate has several. */
interface Subject {
  readonly [UID]?: string | readonly string[];
  readonly CN?: string | readonly string[];
  readonly O?: string | readonly string[];
}

function subjectOf(peer: PeerCertificate): Subject {
  // Node's types promise a text for each field, and know nothing of a subject without fields.
  const loose: { readonly subject?: Subject } = peer;
  return loose.subject ?? {};
}

function textsOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
