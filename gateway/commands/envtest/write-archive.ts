/**
 * The programs as an archive for `setup-envtest sideload`, and an index that names it, for
 * `setup-envtest use --index` and envtest's `DownloadBinaryAssetsIndexURL`. The programs of the
 * archive start the server where it is installed now.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { KUBERNETES_VERSION } from '../../routes/version.ts';
import type { DirectoryParts } from './make-directory.ts';
import {
  etcdProgram,
  kubeApiserverProgram,
  kubectlProgram,
  missingKubectlProgram,
  platform,
} from './program-texts.ts';
import { tarArchive } from './tar-archive.ts';

/** Of the index, which setup-envtest is told by its URL. */
export const INDEX_NAME = 'envtest-releases.yaml';

/**
 * @param baseUrl under which the files of the directory are served; undefined: no index is written.
 * @returns the path of the archive.
 * @throws StartupError where it cannot be written.
 */
export function writeArchive(
  directory: string,
  baseUrl: string | undefined,
  { runs, help, kubectl }: DirectoryParts,
): string {
  const name = `envtest-${KUBERNETES_VERSION}-${platform().replace('/', '-')}.tar.gz`;
  const archive = gzipSync(
    tarArchive([
      { name: 'kube-apiserver', text: kubeApiserverProgram(runs, help) },
      { name: 'etcd', text: etcdProgram(runs) },
      {
        name: 'kubectl',
        text: kubectl === undefined ? missingKubectlProgram(directory) : kubectlProgram(kubectl),
      },
    ]),
  );
  const path = join(directory, name);
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(path, archive);
    if (baseUrl !== undefined) {
      const selfLink = `${baseUrl.replace(/\/$/, '')}/${name}`;
      writeFileSync(join(directory, INDEX_NAME), indexOf(name, { archive, selfLink }));
    }
  } catch (cause) {
    const what = `cannot write ${path}: ${systemProblem(cause)}`;
    throw new StartupError(what, { cause });
  }
  return path;
}

/** YAML that JSON is as well, so that no text needs more than JSON's quotes. */
function indexOf(name: string, { archive, selfLink }: { archive: Buffer; selfLink: string }) {
  const hash = createHash('sha512').update(archive).digest('hex');
  const releases = { [KUBERNETES_VERSION]: { [name]: { hash, selfLink } } };
  return `${JSON.stringify({ releases }, null, 2)}\n`;
}
