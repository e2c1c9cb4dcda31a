/**
 * How the server speaks TLS: which certificate it shows, whose client certificates it believes.
 *
 * A client certificate that does not verify does not end the connection here. The request
 * comes in, and the authentication filter answers it with 401, as kube-apiserver does.
 */
import { readFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { certificateTextsIn } from '../../../actors/authentication/authority-pool.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { parseCertificate } from '../../../api/x509/certificate.ts';
import { authorityNames } from './authority-names.ts';
import { namedPairs, type NamedPairFiles } from './named-pairs.ts';
import { isSignedBy, pairProblem, type PairProblem, type PemPair } from './certificate-pair.ts';
import type { Pki } from './self-signed.ts';
import { choiceOptions, type TlsChoices } from './tls-choices.ts';
import type { ServingOptions } from './tls-servers.ts';

/** The flags about TLS: paths of PEM files, and choices of versions and ciphers. */
export interface TlsFiles extends Partial<TlsChoices> {
  /** With the chain; undefined: a certificate is made. */
  readonly tlsCertFile: string | undefined;
  /** Of `tlsCertFile`. */
  readonly tlsPrivateKeyFile: string | undefined;
  /** Authorities of client certificates; undefined: clients are not asked for one. */
  readonly clientCaFile: string | undefined;
  /** Certificates for clients that ask for a name. */
  readonly tlsSniCertKey?: readonly NamedPairFiles[];
  /** Whether clients get HTTP/1.1 only. */
  readonly disableHttp2?: boolean;
}

/** What clients are shown: the operator's own pair where there is one. @throws StartupError */
export function servingPair(pki: Pki, { tlsCertFile, tlsPrivateKeyFile }: TlsFiles): PemPair {
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined) return pki.serving;
  const pair = {
    certificate: readPem('--tls-cert-file', tlsCertFile),
    key: readPem('--tls-private-key-file', tlsPrivateKeyFile),
  };
  const problem = pairProblem(pair);
  if (problem !== undefined) {
    throw new StartupError(pairSentence(problem, tlsCertFile, tlsPrivateKeyFile));
  }
  return pair;
}

function pairSentence(problem: PairProblem, certFile: string, keyFile: string): string {
  switch (problem) {
    case 'not a certificate':
      return `--tls-cert-file ${certFile}: not a PEM certificate`;
    case 'not a key':
      return `--tls-private-key-file ${keyFile}: not an unencrypted PEM private key`;
    case 'not a pair':
      return `--tls-private-key-file ${keyFile} does not belong to --tls-cert-file ${certFile}`;
  }
}

/** Our own authority and those of `--client-ca-file`, PEM each. @throws StartupError */
export function clientAuthorities(pki: Pki, { clientCaFile }: TlsFiles): string[] {
  if (clientCaFile === undefined) return [pki.authority];
  const certificates = certificateTextsIn(readPem('--client-ca-file', clientCaFile));
  if (certificates.length === 0) {
    throw new StartupError(`--client-ca-file ${clientCaFile}: no PEM certificate in it`);
  }
  for (const certificate of certificates) {
    if (!isCertificate(certificate)) {
      throw new StartupError(`--client-ca-file ${clientCaFile}: not a PEM certificate`);
    }
  }
  return [pki.authority, ...certificates];
}

/** How the port is served. @throws StartupError */
export function tlsOptions(pki: Pki, files: TlsFiles): ServingOptions {
  const { certificate, key } = servingPair(pki, files);
  const {
    tlsMinVersion = 'TLSv1.2',
    tlsCipherSuites = [],
    tlsCurvePreferences = [],
    tlsSniCertKey = [],
    disableHttp2 = false,
  } = files;
  const options: ServingOptions = {
    cert: certificate,
    key,
    ca: authorityNames(clientAuthorities(pki, files)),
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: disableHttp2 ? ['http/1.1'] : ['h2', 'http/1.1'],
    ...choiceOptions({ tlsMinVersion, tlsCipherSuites, tlsCurvePreferences }),
  };
  if (tlsSniCertKey.length === 0) return options;
  return { ...options, named: namedPairs(tlsSniCertKey, certificate) };
}

/**
 * What a client must trust to trust us, PEM; undefined: what its machine trusts anyway.
 * The last certificate of the operator's own chain will do, if there is more than the leaf
 * or the leaf signed itself; and of a leaf alone the authority of clients that has signed it, as kubeadm's and kwokctl's has.
 */
export function trustAnchor(pki: Pki, files: TlsFiles): string | undefined {
  if (files.tlsCertFile === undefined) return pki.authority;
  const chain = certificateTextsIn(servingPair(pki, files).certificate);
  const last = chain.at(-1);
  if (last === undefined) return undefined;
  if (chain.length > 1 || isIssuedBy(last, last)) return last;
  if (files.clientCaFile === undefined) return undefined;
  const known = certificateTextsIn(readPem('--client-ca-file', files.clientCaFile));
  return known.find((authority) => isCertificate(authority) && isIssuedBy(last, authority));
}

function isCertificate(pem: string): boolean {
  try {
    return parseCertificate(new X509Certificate(pem).raw).raw.length > 0;
  } catch {
    return false; // Parsing is the only way to find out.
  }
}

function isIssuedBy(pem: string, authority: string): boolean {
  const isNamed = new X509Certificate(pem).checkIssued(new X509Certificate(authority));
  return isNamed && isSignedBy(pem, authority);
}

function readPem(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read ${flag} ${path}: ${systemProblem(error)}`, {
      cause: error,
    });
  }
}
