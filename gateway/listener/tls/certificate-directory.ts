/**
 * The directory of `--cert-dir`: a pair that lies there is served with as it is, as the tests of
 * operators with envtest have it. Without one the server writes its own there, and keeps it in step.
 *
 * In Kubernetes: MaybeDefaultWithSelfSignedCerts, apiserver/pkg/server/options/serving.go.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { isSignedBy, pairProblem } from './certificate-pair.ts';
import { writePrivateFile, type Pki } from './self-signed.ts';

export interface PairPaths {
  readonly certFile: string;
  readonly keyFile: string;
}

/** @throws StartupError where only one half is there, or the pair cannot be written. */
export async function fillCertificateDirectory(pki: Pki, paths: PairPaths): Promise<void> {
  const { certFile, keyFile } = paths;
  const [certificate, key] = await Promise.all([contentOf(certFile), contentOf(keyFile)]);
  if ((certificate === undefined) !== (key === undefined)) {
    const missing = certificate === undefined ? certFile : keyFile;
    const why = 'certificate and key must be supplied as a pair';
    throw new StartupError(`error reading ${missing}, ${why}`);
  }
  const chain = `${pki.serving.certificate}${pki.authority}`;
  if (certificate === chain && key === pki.serving.key) return;
  if (certificate !== undefined && !isOurs(certificate, key ?? '', pki)) return;
  await makeParent(certFile);
  await writePrivateFile(keyFile, pki.serving.key);
  await writePrivateFile(certFile, chain);
}

/** Whether this server wrote it, of an earlier serving certificate. */
function isOurs(certificate: string, key: string, { authority }: Pki): boolean {
  return pairProblem({ certificate, key }) === undefined && isSignedBy(certificate, authority);
}

async function makeParent(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
  } catch (cause) {
    const problem = `cannot make the directory ${dirname(file)}: ${systemProblem(cause)}`;
    throw new StartupError(problem, { cause });
  }
}

/** undefined: it cannot be read. */
function contentOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
