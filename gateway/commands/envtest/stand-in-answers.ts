/** What the stand-in for etcd and the kube-apiserver beside it have to agree on. */

/** Under which the stand-in tells its data directory. */
export const SERVER_DIRECTORY_PATH = '/everwatch/data-directory';

/** Of the etcd that Kubernetes 1.36 is released with. */
export const ETCD_VERSION = '3.6.8';
