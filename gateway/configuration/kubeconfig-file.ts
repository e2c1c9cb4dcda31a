/**
 * A kubeconfig file, field by field. Fields that are not declared here are passed over: no server needs them.
 *
 * In Kubernetes: client-go/tools/clientcmd/api/v1.
 */
import {
  anything,
  flag,
  listOf,
  optional,
  type Read,
  struct,
  text,
  textLists,
  texts,
} from '../../api/json/json-shape.ts';

const EXEC = struct({
  apiVersion: text,
  command: text,
  args: texts,
  env: listOf(struct({ name: text, value: text })),
  interactiveMode: text,
  provideClusterInfo: flag,
});

const USER = struct({
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  as: text,
  'as-uid': text,
  'as-groups': texts,
  'as-user-extra': textLists,
  'auth-provider': anything,
  exec: optional(EXEC),
});

const CLUSTER = struct({
  server: text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': flag,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'proxy-url': text,
  'disable-compression': flag,
  extensions: listOf(struct({ name: text, extension: anything })),
});

const CONTEXT = struct({ cluster: text, user: text, namespace: text });

/** The whole file. */
export const KUBECONFIG = struct({
  'current-context': text,
  clusters: listOf(struct({ name: text, cluster: CLUSTER })),
  users: listOf(struct({ name: text, user: USER })),
  contexts: listOf(struct({ name: text, context: CONTEXT })),
});

export type Kubeconfig = Read<typeof KUBECONFIG>;
export type KubeconfigCluster = Read<typeof CLUSTER>;
export type KubeconfigUser = Read<typeof USER>;
/** The program of a user. */
export type KubeconfigExec = Read<typeof EXEC>;

/** A cluster about which nothing is said. */
export const NO_CLUSTER: KubeconfigCluster = CLUSTER.read(undefined);
