/**
 * The authorities that this machine trusts, for servers of which nobody says whom to trust. They are
 * read once, when they are first needed; a machine that has none falls back to those of Node.
 *
 * In Go: loadSystemRoots, crypto/x509.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { poolOf, type CertificatePool } from '../../api/x509/certificate-pool.ts';

const FILES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
const DIRECTORIES = ['/etc/ssl/certs', '/etc/pki/tls/certs'];

let known: CertificatePool | undefined;

export function systemRoots(): CertificatePool {
  known ??= readRoots(process.env);
  return known;
}

/** As the environment names them: `SSL_CERT_FILE`, `SSL_CERT_DIR`, and Node's `NODE_EXTRA_CA_CERTS`. */
export function readRoots(env: NodeJS.ProcessEnv): CertificatePool {
  const file = env['SSL_CERT_FILE'] ?? '';
  const directories = env['SSL_CERT_DIR'] ?? '';
  const ofFile = (file === '' ? FILES : [file]).map(textOf).find((text) => text !== undefined);
  const ofDirectories = (directories === '' ? DIRECTORIES : directories.split(':')).flatMap(
    textsIn,
  );
  const pool = poolOf([ofFile ?? '', ...ofDirectories, extraOf(env)].join('\n'));
  return pool.all.length > 0 ? pool : poolOf(rootCertificates.join('\n'));
}

function extraOf(env: NodeJS.ProcessEnv): string {
  const extra = env['NODE_EXTRA_CA_CERTS'] ?? '';
  return extra === '' ? '' : (textOf(extra) ?? '');
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // It is not there, on most machines.
  }
}

function textsIn(directory: string): string[] {
  try {
    return readdirSync(directory).map((name) => textOf(join(directory, name)) ?? '');
  } catch {
    return [];
  }
}
