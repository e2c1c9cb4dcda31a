/**
 * Whether the other end of a TLS connection is believed. This is the one place that decides it, for
 * servers that are called and for clients that call: as Go's crypto/tls and crypto/x509 decide it, in
 * their words. What OpenSSL thinks of a chain is never asked.
 *
 * In Go: verifyServerCertificate and processCertsFromClient, crypto/tls; in Kubernetes:
 * apiserver/pkg/authentication/request/x509.
 */
import { chainProblem, CLIENT_USAGE, SERVER_USAGE } from './certificate-chains.ts';
import { CertificateError } from './certificate-error.ts';
import { CertificatePool } from './certificate-pool.ts';
import { goTypeOf, weakness } from './certificate-signature.ts';
import { type Certificate, parseCertificate } from './certificate.ts';

export interface ShownChain {
  /** DER of each certificate that was shown; the first one is of the other end itself. */
  readonly shown: readonly Uint8Array[];
  /** Whom we believe. */
  readonly roots: CertificatePool;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Bits. A key that is longer would cost too much to work with. */
const RSA_BITS_MAX = 8_192;

/** Why a server is not believed to be `host`; '': it is. */
export function serverProblem(chain: ShownChain, host: string): string {
  if (host === '') {
    return 'tls: either ServerName or InsecureSkipVerify must be specified in the tls.Config';
  }
  const certificates = parsed(chain.shown, {
    unread: 'tls: failed to parse certificate from server',
    sent: 'tls: server sent certificate',
  });
  if (typeof certificates === 'string') return certificates;
  const problem = judge(certificates, chain, { usage: SERVER_USAGE, host });
  if (problem !== undefined) return `tls: failed to verify certificate: ${problem}`;
  const [leaf] = certificates;
  if (leaf?.publicKey === undefined || leaf.publicKey.kind === 'DSA') {
    const type = goTypeOf(leaf?.publicKey);
    return `tls: server's certificate contains an unsupported type of public key: ${type}`;
  }
  const weak = weakness(leaf.publicKey);
  return weak === undefined ? '' : `tls: invalid signature by the server certificate: ${weak}`;
}

/** Why a client is not believed; '': it is. */
export function clientProblem(chain: ShownChain): string {
  const certificates = parsed(chain.shown, {
    unread: 'tls: failed to parse client certificate',
    sent: 'tls: client sent certificate',
  });
  if (typeof certificates === 'string') return certificates;
  const [leaf] = certificates;
  if (leaf?.publicKey === undefined || leaf.publicKey.kind === 'DSA') {
    const type = goTypeOf(leaf?.publicKey);
    return `tls: client certificate contains an unsupported public key of type ${type}`;
  }
  const weak = weakness(leaf.publicKey);
  if (weak !== undefined) return `tls: invalid signature by the client certificate: ${weak}`;
  return judge(certificates, chain, { usage: CLIENT_USAGE, host: '' }) ?? '';
}

function judge(
  certificates: readonly Certificate[],
  { roots, now }: ShownChain,
  wanted: { readonly usage: string; readonly host: string },
): string | undefined {
  const [leaf, ...others] = certificates;
  if (leaf === undefined) return 'tls: received empty certificates message';
  const intermediates = new CertificatePool();
  for (const one of others) intermediates.add(one);
  return chainProblem({ leaf, roots, intermediates, now, ...wanted });
}

interface Words {
  readonly unread: string;
  readonly sent: string;
}

/** Or why they are none. */
function parsed(shown: readonly Uint8Array[], { unread, sent }: Words): Certificate[] | string {
  try {
    const certificates = shown.map(parseCertificate);
    const isTooLong = certificates.some(({ publicKey: key }) => key && key.bits > RSA_BITS_MAX);
    if (!isTooLong) return certificates;
    return `${sent} containing RSA key larger than ${String(RSA_BITS_MAX)} bits`;
  } catch (error) {
    if (error instanceof CertificateError) return `${unread}: ${error.message}`;
    throw error;
  }
}
