/** What the stand-in for etcd and the kube-apiserver beside it have to agree on. */

/** What the stand-in tells the kube-apiserver beside it, as JSON. */
export interface ToldByEtcd {
  /** Absolute path of its data directory. */
  readonly directory: string;
  /** Whether the log in there is to be synced. */
  readonly isSynced: boolean;
}

/** Under which it does. */
export const SERVER_DIRECTORY_PATH = '/everwatch/data-directory';

/** Of the etcd that Kubernetes 1.36 is released with. */
export const ETCD_VERSION = '3.6.8';
