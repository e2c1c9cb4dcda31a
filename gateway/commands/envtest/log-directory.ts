/** Where the log of a control plane lies in the data directory of its etcd. */
import { join } from 'node:path';

/** Of `--etcd-prefix`. */
export const PREFIX_DEFAULT = '/registry';

/** @param prefix of kube-apiserver: those with different ones do not see each other's objects. */
export function logDirectory(dataDirectory: string, prefix: string): string {
  return join(dataDirectory, 'everwatch', encodeURIComponent(prefix));
}
