/**
 * The server's own certificates: an authority, one to serve with, one for the administrator.
 * They are made on the first start and kept in `<data-dir>/pki`.
 *
 * Later starts renew what runs out within thirty days, and the serving certificate also when
 * it lacks a name by which the server is now reached. The authority is never made anew while
 * it is good, since clients trust it.
 */
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { StartupError, systemProblem, readIfThere } from '../../process/startup-error.ts';
import {
  expiryOf,
  isSignedBy,
  namesMissingFrom,
  pairProblem,
  type PairProblem,
  type PemPair,
} from './certificate-pair.ts';
import type { LeafRequest, Validity } from './certificate-maker.ts';

/** What the data directory's `pki` folder holds, read or made. */
export interface Pki {
  /** PEM of the authority's certificate. Its key stays on disk. */
  readonly authority: string;
  /** The certificate of the server, signed by the authority beside it. */
  readonly serving: PemPair;
  /** User kubernetes-admin, group system:masters. */
  readonly admin: PemPair;
}

export interface PkiRequest {
  readonly dataDir: string;
  /** Names and addresses of this machine beside those every server is known by. */
  readonly hostNames: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

const DAY_MS = 24 * 3_600_000;
const AUTHORITY_DAYS = 3_650;
const LEAF_DAYS = 365;
const RENEW_DAYS = 30;

/** Clocks of clients may be behind ours. */
const BACKDATE_MS = 3_600_000;

const SERVER_NAMES: readonly string[] = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '127.0.0.1',
  '::1',
];

/** Not a name by which a client could reach the server, as some machines call themselves. */
const NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/** Paths of PEM files by which aggregated API servers know this server. */
export interface FrontProxyFiles {
  /** Which aggregated servers believe. */
  readonly authorityFile: string;
  /** Which they are shown. */
  readonly certFile: string;
  /** Of `certFile`. */
  readonly keyFile: string;
}

/** The common name of the certificate that they are shown. */
export const FRONT_PROXY_NAME = 'front-proxy-client';
const FRONT_PROXY_AUTHORITY = 'front-proxy-ca';

/**
 * An authority of its own for what aggregated API servers are shown: a client that has a certificate of
 * the other one must not be able to speak for other users.
 *
 * @param now in milliseconds since 1970.
 * @throws StartupError when a file cannot be read or written, or is not what it should be.
 */
export async function prepareFrontProxy(dataDir: string, now: number): Promise<FrontProxyFiles> {
  const directory = join(dataDir, 'pki');
  await makeDirectory(directory);
  const authority = await prepareAuthority(directory, FRONT_PROXY_AUTHORITY, now);
  await prepareLeaf(directory, FRONT_PROXY_NAME, authority, {
    commonName: FRONT_PROXY_NAME,
    organizations: [],
    use: 'client',
    names: [],
    validity: validityOf(LEAF_DAYS, now),
  });
  const pathOf = (name: string): string => join(directory, name);
  return {
    authorityFile: pathOf(`${FRONT_PROXY_AUTHORITY}.crt`),
    certFile: pathOf(`${FRONT_PROXY_NAME}.crt`),
    keyFile: pathOf(`${FRONT_PROXY_NAME}.key`),
  };
}

/** @throws StartupError when a file cannot be read or written, or is not what it should be. */
export async function preparePki(request: PkiRequest): Promise<Pki> {
  const directory = join(request.dataDir, 'pki');
  await makeDirectory(directory);
  const authority = await prepareAuthority(directory, 'ca', request.now);
  const names = [...new Set([...SERVER_NAMES, ...request.hostNames])].filter(isReachable);
  const serving = await prepareLeaf(directory, 'apiserver', authority, {
    commonName: 'kube-apiserver',
    organizations: [],
    use: 'server',
    names: names.map((name) => ({ type: isIP(name) === 0 ? 'dns' : 'ip', value: name })),
    validity: validityOf(LEAF_DAYS, request.now),
  });
  const admin = await prepareLeaf(directory, 'admin', authority, {
    commonName: 'kubernetes-admin',
    organizations: ['system:masters'],
    use: 'client',
    names: [],
    validity: validityOf(LEAF_DAYS, request.now),
  });
  return { authority: authority.certificate, serving, admin };
}

function isReachable(name: string): boolean {
  if (isIP(name) !== 0) return name !== '0.0.0.0' && name !== '::';
  return NAME.test(name);
}

async function prepareAuthority(directory: string, name: string, now: number): Promise<PemPair> {
  const stored = await readAuthorityIn(directory, name);
  if (stored !== undefined && !runsOut(stored.certificate, now)) return stored;
  const { makeAuthority } = await import('./certificate-maker.ts');
  const made = await makeAuthority(`everwatch-${name}`, validityOf(AUTHORITY_DAYS, now));
  await writePair(directory, name, made);
  return made;
}

/** The authority that `dataDir` has; undefined before its first start. @throws StartupError */
export function readAuthority(dataDir: string): Promise<PemPair | undefined> {
  return readAuthorityIn(join(dataDir, 'pki'), 'ca');
}

/** Gives `dataDir` an authority that was made elsewhere; all else is signed by it from then on. */
export async function adoptAuthority(dataDir: string, authority: PemPair): Promise<void> {
  const directory = join(dataDir, 'pki');
  await makeDirectory(directory);
  await writePair(directory, 'ca', authority);
}

async function readAuthorityIn(directory: string, name: string): Promise<PemPair | undefined> {
  const certificate = await readIfThere(join(directory, `${name}.crt`));
  if (certificate === undefined) return undefined;
  const key = (await readIfThere(join(directory, `${name}.key`))) ?? '';
  const problem = pairProblem({ certificate, key });
  if (problem === undefined) return { certificate, key };
  throw new StartupError(
    `${join(directory, `${name}.crt`)} and ${name}.key are ${AUTHORITY_PROBLEMS[problem]}: put them back, ` +
      `or remove ${directory} to have all certificates made anew`,
  );
}

const AUTHORITY_PROBLEMS: Readonly<Record<PairProblem, string>> = {
  'not a certificate': 'no certificate and key',
  'not a key': 'not complete, the key is missing or broken',
  'not a pair': 'not a pair',
};

async function prepareLeaf(
  directory: string,
  name: string,
  authority: PemPair,
  request: LeafRequest,
): Promise<PemPair> {
  const stored = await readPair(directory, name);
  if (stored !== undefined && isStillGood(stored, authority, request)) return stored;
  const { makeLeaf } = await import('./certificate-maker.ts');
  const made = await makeLeaf(authority, request);
  await writePair(directory, name, made);
  return made;
}

function isStillGood(stored: PemPair, authority: PemPair, request: LeafRequest): boolean {
  if (pairProblem(stored) !== undefined) return false;
  if (!isSignedBy(stored.certificate, authority.certificate)) return false;
  if (runsOut(stored.certificate, request.validity.notBefore + BACKDATE_MS)) return false;
  const names = request.names.map(({ value }) => value);
  return namesMissingFrom(stored.certificate, names).length === 0;
}

function runsOut(certificate: string, now: number): boolean {
  return expiryOf(certificate) - now < RENEW_DAYS * DAY_MS;
}

function validityOf(days: number, now: number): Validity {
  return { notBefore: now - BACKDATE_MS, notAfter: now + days * DAY_MS };
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await chmod(directory, 0o700);
  } catch (error) {
    const problem = systemProblem(error);
    throw new StartupError(`cannot make the directory ${directory}: ${problem}`, { cause: error });
  }
}

/** undefined when neither file is there, or only one: half a pair is no use. */
async function readPair(directory: string, name: string): Promise<PemPair | undefined> {
  const [certificate, key] = await Promise.all([
    readIfThere(join(directory, `${name}.crt`)),
    readIfThere(join(directory, `${name}.key`)),
  ]);
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

async function writePair(directory: string, name: string, pair: PemPair): Promise<void> {
  await writePrivateFile(join(directory, `${name}.key`), pair.key);
  await writePrivateFile(join(directory, `${name}.crt`), pair.certificate);
}

/** Whole or not at all, readable by its owner only. @throws StartupError */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  const draft = `${path}.new`;
  try {
    await writeFile(draft, content, { mode: 0o600 });
    // The mode above only counts for a new file, and a crash may have left an old draft.
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    throw new StartupError(`cannot write ${path}: ${systemProblem(error)}`, { cause: error });
  }
}
