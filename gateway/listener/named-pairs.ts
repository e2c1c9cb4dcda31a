/**
 * Certificates beside the main one, each for clients that ask for certain names (SNI). A name that an
 * operator gave wins over one that a certificate holds, a whole name over a wildcard, and an earlier
 * pair over a later one. A client that asks for a name of none of them gets the first certificate that
 * is for the name, the main one before the others, and else the main one.
 *
 * Node tells of a name only, so a pair for the address that a client reached without naming a host,
 * as Go has it, is not chosen.
 *
 * In Kubernetes: BuildNamedCertificates, apiserver/pkg/server/dynamiccertificates; in Go:
 * getCertificate, crypto/tls.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext, type TlsOptions } from 'node:tls';
import { isDns1123Subdomain } from '../../api/meta/names.ts';
import { CertificateError } from '../../api/x509/certificate-error.ts';
import { parseCertificate, type Certificate } from '../../api/x509/certificate.ts';
import { hostProblem } from '../../api/x509/host-names.ts';
import { pemBlocksIn } from '../../api/x509/pem-blocks.ts';
import { StartupError, systemProblem } from '../cli/startup-error.ts';
import { pairProblem, type PairProblem, type PemPair } from './certificate-pair.ts';

export interface NamedPairFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** None: those of the certificate. */
  readonly names: readonly string[];
}

/** What a client is shown that asks for `name`; undefined: the main certificate. */
export type ContextFor = (name: string) => SecureContext | undefined;

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

/** @param main how the main certificate is shown. @throws StartupError where a pair is no good. */
export function contextsByName(files: readonly NamedPairFiles[], main: TlsOptions): ContextFor {
  const pairs = files.map((one) => loaded(one, main));
  const byName = new Map<string, SecureContext>();
  const fill = (names: (pair: LoadedPair) => readonly string[]): void => {
    for (const pair of pairs.toReversed()) {
      for (const name of names(pair)) byName.set(name, pair.context);
    }
  };
  fill((pair) => (pair.given.length === 0 ? namesOf(pair.certificate) : []));
  fill((pair) => pair.given);
  const mainLeaf = leafOf(String(main.cert));
  return (asked) => {
    const name = asked.toLowerCase();
    const named = byName.get(name) ?? byName.get(wildcardOf(name));
    if (named !== undefined || hostProblem(mainLeaf, name) === undefined) return named;
    return pairs.find(({ certificate }) => hostProblem(certificate, name) === undefined)?.context;
  };
}

function wildcardOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '*' : `*${name.slice(dot)}`;
}

interface LoadedPair {
  readonly given: readonly string[];
  readonly certificate: Certificate;
  readonly context: SecureContext;
}

function loaded({ certFile, keyFile, names }: NamedPairFiles, main: TlsOptions): LoadedPair {
  const pair = { certificate: read(certFile), key: read(keyFile) };
  const problem = pairProblem(pair);
  if (problem !== undefined) throw new StartupError(`${FAILED}: ${PROBLEMS[problem]}`);
  const context = contextOf(pair, main);
  return { given: names, certificate: leafOf(pair.certificate), context };
}

const FAILED = 'failed to load SNI cert and key';

const PROBLEMS: Readonly<Record<PairProblem, string>> = {
  'not a certificate': 'tls: failed to find any PEM data in certificate input',
  'not a key': 'tls: failed to find any PEM data in key input',
  'not a pair': 'tls: private key does not match public key',
};

function contextOf({ certificate: cert, key }: PemPair, main: TlsOptions): SecureContext {
  return createSecureContext({ ...main, cert, key });
}

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
