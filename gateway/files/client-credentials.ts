/**
 * What this server shows to servers that it calls, and which of them it believes: files, taken up anew
 * when they change.
 *
 * In Kubernetes: KubeletTLSConfig, pkg/kubelet/client, whose transport reloads its files; the
 * `aggregator-proxy-cert` of kube-aggregator.
 */
import { readFileSync } from 'node:fs';
import type { Clock } from '../../api/meta/clock.ts';
import { authoritiesProblem } from '../../api/x509/certificate-pool.ts';
import { followFiles } from './follow-files.ts';
import { StartupError, systemProblem } from '../process/startup-error.ts';

/** PEM; undefined: there is none. */
export interface ClientTls {
  /** What servers are shown. */
  readonly cert: string | undefined;
  /** Of that certificate. */
  readonly key: string | undefined;
  /** undefined: the flags name no authority. */
  readonly ca: string | undefined;
}

/** A file, and the flag that names it; undefined: it names none. */
export interface NamedFile {
  readonly flag: string;
  readonly file: string | undefined;
}

/** The files of a client. */
export interface CredentialFiles {
  /** The certificate that servers are shown. */
  readonly cert: NamedFile;
  /** Of that certificate. */
  readonly key: NamedFile;
  /** The authorities that are believed. */
  readonly ca?: NamedFile;
}

/** How the files are followed. */
export interface Following {
  readonly clock: Clock;
  /** Ends it. */
  readonly until: AbortSignal;
  /** Told why changed files are not in force. */
  readonly failed: (error: unknown) => void;
}

const LOOK_MS = 60_000;

/**
 * Reads the files and follows them from now on.
 *
 * @returns gives what is in force; the same object while it is.
 * @throws StartupError where a file cannot be read or does not fit.
 */
export function clientCredentials(named: CredentialFiles, following: Following): () => ClientTls {
  const { cert, key, ca } = named;
  if ((cert.file === undefined) !== (key.file === undefined)) {
    throw new StartupError(`--${cert.flag} and --${key.flag} go together`);
  }
  const files = [cert.file, key.file, ca?.file];
  const paths = files.filter((file) => file !== undefined);
  const texts = paths.map(readText);
  const read = (found: readonly string[]): ClientTls => {
    const tls = tlsOf(files, found);
    const problem = tls.ca === undefined ? undefined : authoritiesProblem(tls.ca);
    if (problem !== undefined) throw new StartupError(`--${ca?.flag ?? ''}: ${problem}`);
    return tls;
  };
  let inForce = read(texts);
  followFiles({
    ...{ files: paths, texts, everyMs: LOOK_MS, ...following },
    take(found) {
      inForce = read(found);
    },
  });
  return () => inForce;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read ${file}: ${systemProblem(error)}`, { cause: error });
  }
}

/** @param texts of those of the files that are named. */
function tlsOf(files: readonly (string | undefined)[], texts: readonly string[]): ClientTls {
  const left = [...texts];
  const [cert, key, ca] = files.map((file) => (file === undefined ? undefined : left.shift()));
  return { cert, key, ca };
}
