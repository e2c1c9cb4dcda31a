/**
 * What this server shows to kubelets, and which of them it believes: files, taken up anew when they change.
 *
 * In Kubernetes: KubeletTLSConfig, pkg/kubelet/client, whose transport reloads its files.
 */
import { readFileSync } from 'node:fs';
import type { Clock } from '../../api/meta/clock.ts';
import { authoritiesProblem } from '../../api/x509/certificate-pool.ts';
import type { KubeletSettings } from '../flags/sections/kubelet-settings.ts';
import { followFiles } from '../files/follow-files.ts';
import { StartupError, systemProblem } from '../process/startup-error.ts';

/** PEM; undefined: there is none. */
export interface KubeletTls {
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** undefined: every kubelet is believed. */
  readonly ca: string | undefined;
}

type KubeletFiles = Pick<
  KubeletSettings,
  'kubeletClientCertificate' | 'kubeletClientKey' | 'kubeletCertificateAuthority'
>;

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
 * @returns gives what is in force.
 * @throws StartupError where a file cannot be read or does not fit.
 */
export function kubeletCredentials(settings: KubeletFiles, following: Following): () => KubeletTls {
  const {
    kubeletClientCertificate: certFile,
    kubeletClientKey: keyFile,
    kubeletCertificateAuthority: caFile,
  } = settings;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new StartupError('--kubelet-client-certificate and --kubelet-client-key go together');
  }
  const files = [certFile, keyFile, caFile];
  const named = files.filter((file) => file !== undefined);
  const texts = named.map(readText);
  let inForce = tlsOf(files, texts);
  followFiles({
    ...{ files: named, texts, everyMs: LOOK_MS, ...following },
    take(found) {
      inForce = tlsOf(files, found);
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
function tlsOf(files: readonly (string | undefined)[], texts: readonly string[]): KubeletTls {
  const left = [...texts];
  const [cert, key, ca] = files.map((file) => (file === undefined ? undefined : left.shift()));
  const problem = ca === undefined ? undefined : authoritiesProblem(ca);
  if (problem !== undefined) throw new StartupError(`--kubelet-certificate-authority: ${problem}`);
  return { cert, key, ca };
}
