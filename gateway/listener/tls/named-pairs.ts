/**
 * Certificates beside the main one, each for clients that ask for certain names (SNI). A name that an
 * operator gave wins over one that a certificate holds, a whole name over a wildcard, and an earlier
 * pair over a later one. A client that asks for a name of none of them gets the first certificate that
 * is for the name, the main one before the others, and else the main one.
 *
 * A client that names no host gets the pair with the address that it reached among its names. Addresses
 * that a certificate is for do not count there, only names do: given ones, and host names of the
 * certificate that read like an address.
 *
 * In Kubernetes: BuildNamedCertificates, apiserver/pkg/server/dynamiccertificates; in Go:
 * getCertificate, crypto/tls.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isDns1123Subdomain } from '../../../api/meta/names.ts';
import { CertificateError } from '../../../api/x509/certificate-error.ts';
import { type Certificate, parseCertificate } from '../../../api/x509/certificate.ts';
import { hostProblem } from '../../../api/x509/host-names.ts';
import { pemBlocksIn } from '../../../api/x509/pem-blocks.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { pairProblem, type PairProblem, type PemPair } from './certificate-pair.ts';

/** One --tls-sni-cert-key, `cert.pem,key.pem:name,*.name`. */
export interface NamedPairFiles {
  /** A path of PEM, with the chain. */
  readonly certFile: string;
  /** A path of PEM. */
  readonly keyFile: string;
  /** None: those of the certificate. */
  readonly names: readonly string[];
}

export interface NamedPairs {
  /** All of them. */
  readonly pairs: readonly PemPair[];
  /**
   * For a client that asks for `name` or, where that is '', reached `address`; undefined: the main one.
   */
  readonly pairFor: (name: string, address: string) => PemPair | undefined;
}

/** `foo.crt,foo.key:*.foo.com,foo.com` taken apart. @throws StartupError */
export function namedPairFiles(text: string): NamedPairFiles {
  const colon = text.indexOf(':');
  const pair = (colon < 0 ? text : text.slice(0, colon)).trim();
  const names = colon < 0 ? undefined : text.slice(colon + 1).trim();
  if (names === '') throw new StartupError('empty names list is not allowed');
  const [certFile, keyFile, ...more] = pair.split(',').map((one) => one.trim());
  if (certFile === undefined || keyFile === undefined || more.length > 0) {
    throw new StartupError('expected comma separated certificate and key file paths');
  }
  return { certFile, keyFile, names: names?.split(',').map((name) => name.trim()) ?? [] };
}

/** @param main the certificate of the main pair, PEM. @throws StartupError where a pair is no good. */
export function namedPairs(files: readonly NamedPairFiles[], main: string): NamedPairs {
  const pairs = files.map(loaded);
  const byName = pairsByName(pairs);
  const all = [{ certificate: leafOf(main), pair: undefined }, ...pairs];
  const byAddress = (address: string): LoadedPair | undefined => {
    return (isIP(address) === 0 ? undefined : byName.get(address)) ?? byName.get('');
  };
  const askedFor = (name: string): PemPair | undefined => {
    const named = byName.get(name) ?? byName.get(wildcardOf(name));
    return named === undefined
      ? all.find(({ certificate }) => hostProblem(certificate, name) === undefined)?.pair
      : named.pair;
  };
  return {
    pairs: pairs.map(({ pair }) => pair),
    pairFor: (name, address) =>
      name === '' ? byAddress(address)?.pair : askedFor(name.toLowerCase()),
  };
}

function pairsByName(pairs: readonly LoadedPair[]): ReadonlyMap<string, LoadedPair> {
  const byName = new Map<string, LoadedPair>();
  const fill = (names: (pair: LoadedPair) => readonly string[]): void => {
    for (const pair of pairs.toReversed()) {
      for (const name of names(pair)) byName.set(name, pair);
    }
  };
  fill((pair) => (pair.given.length === 0 ? namesOf(pair.certificate) : []));
  fill((pair) => pair.given);
  return byName;
}

function wildcardOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '*' : `*${name.slice(dot)}`;
}

interface LoadedPair {
  readonly given: readonly string[];
  readonly pair: PemPair;
  readonly certificate: Certificate;
}

function loaded({ certFile, keyFile, names }: NamedPairFiles): LoadedPair {
  const pair = { certificate: read(certFile), key: read(keyFile) };
  const problem = pairProblem(pair);
  if (problem !== undefined) throw new StartupError(`${FAILED}: ${PROBLEMS[problem]}`);
  return { given: names, pair, certificate: leafOf(pair.certificate) };
}

const FAILED = 'failed to load SNI cert and key';

const PROBLEMS: Readonly<Record<PairProblem, string>> = {
  'not a certificate': 'tls: failed to find any PEM data in certificate input',
  'not a key': 'tls: failed to find any PEM data in key input',
  'not a pair': 'tls: private key does not match public key',
};

/** @throws StartupError where Go would not read it, which is stricter than OpenSSL. */
function leafOf(pem: string): Certificate {
  const block = pemBlocksIn(pem).find(({ type }) => type === 'CERTIFICATE');
  try {
    return parseCertificate(block?.bytes ?? Buffer.alloc(0));
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    throw new StartupError(`${FAILED}: ${error.message}`, { cause: error });
  }
}

/** A common name counts where it could be a host's, and addresses never do. */
function namesOf({ subject: { commonName }, names: { dns } }: Certificate): readonly string[] {
  const domain = commonName.startsWith('*.') ? commonName.slice(2) : commonName;
  const isName = commonName === '*' || isDns1123Subdomain(domain);
  return isName && isIP(commonName) === 0 ? [commonName, ...dns] : dns;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartupError(`${FAILED}: open ${path}: ${systemProblem(error)}`, { cause: error });
  }
}
