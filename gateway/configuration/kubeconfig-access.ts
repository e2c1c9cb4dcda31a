/**
 * Reads how to reach a server out of kubeconfig files, as kubectl does: the files of `KUBECONFIG`
 * together, where the first that says something counts, and paths relative to the file.
 */
import { trimEnd } from '../../api/meta/trim-end.ts';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../api/json/json.ts';
import { StartupError, systemProblem } from '../process/startup-error.ts';
import type { CredentialSource, KubeconfigEndpoint } from '../outbound/kubeconfig-endpoint.ts';
import {
  EXEC_EXTENSION,
  execCluster,
  ExecCredentials,
  execProblem,
  execUsage,
  hasOwnCredentials,
} from './exec-credentials.ts';
import { systemClock } from '../process/system-clock.ts';

export interface ClusterAccess extends KubeconfigEndpoint {
  /** What `-n` is when it is not given; '' when the context does not say. */
  readonly namespace: string;
}

export interface AccessOptions {
  /** The file of `--kubeconfig`; undefined: `KUBECONFIG`, or `~/.kube/config`. */
  readonly file: string | undefined;
  /** The name of a context; undefined: the current one. */
  readonly context: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws StartupError that says which file lacks what. */
export async function clusterAccess(
  { file, context }: AccessOptions,
  environment: Environment,
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
  const name = context ?? firstText(configs, 'current-context');
  if (name === '') throw new StartupError(`${where}: no current-context, and no --context`);
  const chosen = named(configs, 'context', name, where);
  const cluster = named(configs, 'cluster', stringAt(chosen.value, 'cluster'), where);
  const userName = stringAt(chosen.value, 'user');
  const user = userName === '' ? undefined : named(configs, 'user', userName, where);
  return accessOf(cluster, user, stringAt(chosen.value, 'namespace'));
}

interface Config {
  readonly path: string;
  readonly content: JsonObject;
}

/** A part of a kubeconfig, and the folder from which its paths are read. */
interface Part {
  readonly folder: string;
  readonly name: string;
  readonly value: JsonObject;
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
  if (isJsonObject(content)) return { path, content };
  throw new StartupError(`${path}: not a kubeconfig`);
}

function parsedYaml(text: string, path: string): JsonValue {
  try {
    // Nobody is to be warned of keys that no kubeconfig has.
    return parse(text, { logLevel: 'error' }) as JsonValue; // YAML as kubeconfigs use it is JSON with fewer quotes.
  } catch (error) {
    const [why = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw new StartupError(`${path}: ${why}`, { cause: error });
  }
}

function firstText(configs: readonly Config[], key: string): string {
  for (const { content } of configs) {
    const text = stringAt(content, key);
    if (text !== '') return text;
  }
  return '';
}

function named(configs: readonly Config[], kind: string, name: string, where: string): Part {
  for (const { path, content } of configs) {
    for (const entry of listAt(content, `${kind}s`)) {
      if (!isJsonObject(entry) || stringAt(entry, 'name') !== name) continue;
      return { folder: dirname(resolve(path)), name, value: objectAt(entry, kind) ?? {} };
    }
  }
  throw new StartupError(`${where}: there is no ${kind} named ${JSON.stringify(name)}`);
}

async function accessOf(
  cluster: Part,
  user: Part | undefined,
  namespace: string,
): Promise<ClusterAccess> {
  const server = trimEnd(stringAt(cluster.value, 'server'), '/');
  if (!server.startsWith('https://')) {
    throw new StartupError(`the server of cluster ${cluster.name} is not an https:// URL`);
  }
  return {
    server,
    ca: await inlineOrFile(cluster, 'certificate-authority'),
    verifiesServer: cluster.value['insecure-skip-tls-verify'] !== true,
    serverName: stringAt(cluster.value, 'tls-server-name'),
    cert: user && (await inlineOrFile(user, 'client-certificate')),
    key: user && (await inlineOrFile(user, 'client-key')),
    authorization: user === undefined ? '' : await authorizationOf(user),
    program: user && (await programOf(user, cluster)),
    namespace,
  };
}

/** `<key>-data` in base64, or the file that `<key>` names. */
async function inlineOrFile(part: Part, key: string): Promise<string | undefined> {
  const data = stringAt(part.value, `${key}-data`);
  if (data !== '') return Buffer.from(data, 'base64').toString();
  const file = stringAt(part.value, key);
  return file === '' ? undefined : readPart(resolve(part.folder, file));
}

async function authorizationOf(user: Part): Promise<string> {
  const { value } = user;
  const tokenFile = stringAt(value, 'tokenFile');
  const token =
    tokenFile === '' ? stringAt(value, 'token') : await readPart(resolve(user.folder, tokenFile));
  if (token !== '') return `Bearer ${token.trim()}`;
  const name = stringAt(value, 'username');
  if (name !== '') {
    const pair = `${name}:${stringAt(value, 'password')}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  if (value['auth-provider'] === undefined) return '';
  throw new StartupError(
    `user ${user.name} gets its credentials from a plugin, which is not supported here: ` +
      'give a kubeconfig with a token or a client certificate',
  );
}

/** The program of `exec`, which is not asked where the user has credentials of its own. */
async function programOf(user: Part, cluster: Part): Promise<CredentialSource | undefined> {
  const exec = objectAt(user.value, 'exec');
  if (exec === undefined) return undefined;
  const problem = execUsage(exec, user.name) ?? execProblem(exec);
  if (problem !== undefined) throw new StartupError(problem);
  if (hasOwnCredentials(user.value)) return undefined;
  const ca = await inlineOrFile(cluster, 'certificate-authority');
  return new ExecCredentials({
    exec,
    folder: user.folder,
    clock: systemClock,
    cluster: execCluster({ ...cluster.value, ca: ca ?? '', config: execConfig(cluster.value) }),
  });
}

/** What the cluster has for programs, among its extensions. */
function execConfig(cluster: JsonObject): JsonValue {
  const [found] = listAt(cluster, 'extensions')
    .filter(isJsonObject)
    .filter((one) => stringAt(one, 'name') === EXEC_EXTENSION);
  return found?.['extension'] ?? null;
}

async function readPart(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`cannot read ${path}: ${systemProblem(error)}`, { cause: error });
  }
}
