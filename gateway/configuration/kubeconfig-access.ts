/**
 * Reads how to reach a server out of kubeconfig files, as kubectl does: the files of `KUBECONFIG`
 * together, where the first that says something counts, and paths relative to the file.
 */
import { trimEnd } from '../../api/meta/trim-end.ts';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject, type JsonValue } from '../../api/json/json.ts';
import { StartupError, systemProblem } from '../process/startup-error.ts';
import type { CredentialSource, KubeconfigEndpoint } from '../outbound/kubeconfig-endpoint.ts';
import {
  KUBECONFIG,
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigUser,
} from './kubeconfig-file.ts';
import {
  execCluster,
  ExecCredentials,
  execProblem,
  execUsage,
  hasOwnCredentials,
} from './exec-credentials.ts';
import { systemClock } from '../process/system-clock.ts';

/** A server, the credentials for it, and the namespace that is meant where none is said. */
export interface ClusterAccess extends KubeconfigEndpoint {
  /** What `-n` is when it is not given; '' when the context does not say. */
  readonly namespace: string;
}

/** Which context of which files. */
export interface AccessOptions {
  /** The file of `--kubeconfig`; undefined: `KUBECONFIG`, or `~/.kube/config`. */
  readonly file: string | undefined;
  /** The name of a context; undefined: the current one. */
  readonly context: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A server over TLS. @throws StartupError that says which file lacks what. */
export function clusterAccess(
  options: AccessOptions,
  environment: Environment,
): Promise<ClusterAccess> {
  return readAccess(options, environment, ['https']);
}

/** The webhook that the file of a flag or of a plug-in names. @throws StartupError that says what it lacks. */
export function webhookAccess(file: string): Promise<ClusterAccess> {
  return readAccess({ file, context: undefined }, {}, ['http', 'https']);
}

async function readAccess(
  { file, context }: AccessOptions,
  environment: Environment,
  schemes: readonly Scheme[],
): Promise<ClusterAccess> {
  const { paths, mayBeMissing } = filesOf(file, environment);
  const found = await Promise.all(paths.map((path) => readConfig(path, mayBeMissing)));
  const configs = found.filter((one) => one !== undefined);
  const where = paths.join(delimiter);
  if (configs.length === 0) {
    throw new StartupError(
      `there is no kubeconfig at ${where}: give --kubeconfig FILE, --data-dir DIR or --log URL`,
    );
  }
  const name = context ?? firstOf(configs, ({ 'current-context': current }) => current);
  if (name === '') throw new StartupError(`${where}: no current-context, and no --context`);
  const named = partsOf(configs, where);
  const { value: chosen } = named('context', name);
  const cluster = named('cluster', chosen.cluster);
  const user = chosen.user === '' ? undefined : named('user', chosen.user);
  return accessOf({ cluster, user, namespace: chosen.namespace }, schemes);
}

interface Config {
  readonly path: string;
  readonly content: Kubeconfig;
}

/** A part of a kubeconfig, and the folder from which its paths are read. */
interface Part<Value> {
  readonly folder: string;
  readonly name: string;
  readonly value: Value;
}

function filesOf(file: string | undefined, environment: Environment) {
  if (file !== undefined) return { paths: [file], mayBeMissing: false };
  const paths = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (paths.length > 0) return { paths, mayBeMissing: true };
  const home = environment['HOME'] ?? homedir();
  return { paths: [join(home, '.kube', 'config')], mayBeMissing: true };
}

async function readConfig(path: string, mayBeMissing: boolean): Promise<Config | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing && mayBeMissing) return undefined;
    throw new StartupError(`cannot read ${path}: ${systemProblem(error)}`, { cause: error });
  }
  const content = parsedYaml(text, path);
  if (isJsonObject(content)) return { path, content: KUBECONFIG.read(content) };
  throw new StartupError(`${path}: not a kubeconfig`);
}

function parsedYaml(text: string, path: string): JsonValue {
  try {
    // Keys that no kubeconfig has are not worth a warning.
    return parse(text, { logLevel: 'error' }) as JsonValue; // YAML as kubeconfigs use it is JSON with fewer quotes.
  } catch (error) {
    const [why = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw new StartupError(`${path}: ${why}`, { cause: error });
  }
}

function firstOf(configs: readonly Config[], read: (content: Kubeconfig) => string): string {
  for (const { content } of configs) {
    const found = read(content);
    if (found !== '') return found;
  }
  return '';
}

/** The values of one sort, of the entries in one file. */
const ENTRIES = {
  cluster: ({ clusters }: Kubeconfig) => clusters.map((one) => [one.name, one.cluster] as const),
  user: ({ users }: Kubeconfig) => users.map((one) => [one.name, one.user] as const),
  context: ({ contexts }: Kubeconfig) => contexts.map((one) => [one.name, one.context] as const),
};

type ValueOf<Sort extends keyof typeof ENTRIES> = ReturnType<(typeof ENTRIES)[Sort]>[number][1];

function partsOf(configs: readonly Config[], where: string) {
  return <Sort extends keyof typeof ENTRIES>(sort: Sort, name: string): Part<ValueOf<Sort>> => {
    for (const { path, content } of configs) {
      const found = ENTRIES[sort](content).find(([one]) => one === name);
      if (found === undefined) continue;
      return { folder: dirname(resolve(path)), name, value: found[1] };
    }
    throw new StartupError(`${where}: there is no ${sort} named ${JSON.stringify(name)}`);
  };
}

type Scheme = 'http' | 'https';

interface Chosen {
  readonly cluster: Part<KubeconfigCluster>;
  readonly user: Part<KubeconfigUser> | undefined;
  readonly namespace: string;
}

async function accessOf(
  { cluster, user, namespace }: Chosen,
  schemes: readonly Scheme[],
): Promise<ClusterAccess> {
  const { value } = cluster;
  const server = trimEnd(value.server, '/');
  const scheme = schemes.find((one) => server.startsWith(`${one}://`));
  if (scheme === undefined) {
    const urls = schemes.map((one) => `${one}://`).join(' or ');
    throw new StartupError(`the server of cluster ${cluster.name} is not an ${urls} URL`);
  }
  // In client-go, DirectClientConfig.ClientConfig, nothing else counts without TLS: credentials do not go in the clear.
  const isPlain = scheme === 'http';
  return {
    server,
    ca: isPlain ? undefined : await authoritiesOf(cluster),
    verifiesServer: !value['insecure-skip-tls-verify'],
    serverName: value['tls-server-name'],
    ...(await certificateOf(isPlain ? undefined : user)),
    authorization: user === undefined || isPlain ? '' : await authorizationOf(user),
    program: isPlain ? undefined : user && (await programOf(user, cluster)),
    namespace,
  };
}

function authoritiesOf({ value, folder }: Part<KubeconfigCluster>): Promise<string | undefined> {
  return inlineOrFile(value['certificate-authority-data'], value['certificate-authority'], folder);
}

async function certificateOf(user: Part<KubeconfigUser> | undefined) {
  if (user === undefined) return { cert: undefined, key: undefined };
  const { value, folder } = user;
  return {
    cert: await inlineOrFile(value['client-certificate-data'], value['client-certificate'], folder),
    key: await inlineOrFile(value['client-key-data'], value['client-key'], folder),
  };
}

/** @param data in base64; '': the file counts, and '' for neither. */
async function inlineOrFile(
  data: string,
  file: string,
  folder: string,
): Promise<string | undefined> {
  if (data !== '') return Buffer.from(data, 'base64').toString();
  return file === '' ? undefined : readPart(resolve(folder, file));
}

async function authorizationOf({ name, folder, value }: Part<KubeconfigUser>): Promise<string> {
  const { tokenFile, username, password } = value;
  const token = tokenFile === '' ? value.token : await readPart(resolve(folder, tokenFile));
  if (token !== '') return `Bearer ${token.trim()}`;
  if (username !== '') {
    return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }
  if (value['auth-provider'] === undefined) return '';
  throw new StartupError(
    `user ${name} gets its credentials from a plugin, which is not supported here: ` +
      'give a kubeconfig with a token or a client certificate',
  );
}

/** The program of `exec`, which is not run where the user has credentials of its own. */
async function programOf(
  { name, folder, value }: Part<KubeconfigUser>,
  cluster: Part<KubeconfigCluster>,
): Promise<CredentialSource | undefined> {
  const { exec } = value;
  if (exec === undefined) return undefined;
  const problem = execUsage(exec, name) ?? execProblem(exec);
  if (problem !== undefined) throw new StartupError(problem);
  if (hasOwnCredentials(value)) return undefined;
  const ca = (await authoritiesOf(cluster)) ?? '';
  return new ExecCredentials({
    exec,
    folder,
    clock: systemClock,
    cluster: execCluster(cluster.value, ca),
  });
}

async function readPart(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read ${path}: ${systemProblem(error)}`, { cause: error });
  }
}
