/**
 * The users in the kubeconfig file of a plug-in that asks webhooks. The file is read once, at the
 * start; the files that it names for tokens and certificates again each minute, as they are rotated.
 *
 * In Kubernetes: defaultAuthenticationInfoResolver, apiserver/pkg/util/webhook, and client-go's
 * cached token source.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import {
  type FoundCredentials,
  serverOf,
  userNameFor,
  type WebhookUsers,
} from '../../actors/admission/webhooks/webhook-configuration.ts';
import type { WebhookCredentials, WebhookTarget } from '../../api/kinds/custom/webhook-client.ts';
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { formatJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import { parseYaml } from '../negotiation/yaml-codec.ts';
import {
  execCluster,
  ExecCredentials,
  execProblem,
  hasOwnCredentials,
} from './exec-credentials.ts';
import {
  KUBECONFIG,
  NO_CLUSTER,
  type KubeconfigExec,
  type KubeconfigUser,
} from './kubeconfig-file.ts';
import { StartupError, systemProblem } from '../process/startup-error.ts';

const KEPT_MS = 60_000;
const PROGRAMS_MAX = 1_000;
const ANONYMOUS: FoundCredentials = { ok: true, credentials: undefined };

/**
 * @param file of the plug-in of that name.
 * @throws StartupError where the file cannot be read.
 */
export function kubeconfigUsers(file: string, plugin: string, clock: Clock): WebhookUsers {
  const refuse = (why: string, cause?: unknown): never => {
    throw new StartupError(`couldn't init admission plugin ${JSON.stringify(plugin)}: ${why}`, {
      cause,
    });
  };
  let content: JsonValue = null;
  try {
    content = parseYaml(readFileSync(file));
  } catch (error) {
    const isSystem = error instanceof Error && 'syscall' in error;
    const why = error instanceof Error ? error.message : String(error);
    refuse(isSystem ? `stat ${file}: ${systemProblem(error)}` : `${file}: ${why}`, error);
  }
  if (!isJsonObject(content)) return refuse(`${file}: not a kubeconfig`);
  const { users, contexts, 'current-context': current } = KUBECONFIG.read(content);
  const context = contexts.findLast(({ name }) => name === current)?.context;
  return new KubeconfigUsers({
    clock,
    folder: dirname(file),
    users: new Map(users.map(({ name, user }) => [name, user])),
    otherwise: context?.user ?? '',
  });
}

interface KubeconfigUsersParts {
  readonly clock: Clock;
  /** From which the paths in the file are read. */
  readonly folder: string;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  /** The user of the current context; '' for none. */
  readonly otherwise: string;
}

interface Kept {
  readonly found: FoundCredentials;
  readonly untilMs: number;
}

class KubeconfigUsers implements WebhookUsers {
  readonly #parts: KubeconfigUsersParts;
  readonly #kept = new Map<string, Kept>();
  /** By the user, and by the server where the program is told of it. */
  readonly #programs = new BoundedMap<string, ExecCredentials>(PROGRAMS_MAX);

  constructor(parts: KubeconfigUsersParts) {
    this.#parts = parts;
  }

  async credentialsFor(target: WebhookTarget): Promise<FoundCredentials> {
    const { clock, users, folder, otherwise } = this.#parts;
    const name = userNameFor(serverOf(target), users) ?? otherwise;
    const user = users.get(name);
    if (user === undefined) return ANONYMOUS;
    const { exec } = user;
    if (exec !== undefined && !hasOwnCredentials(user)) {
      return this.#printed(this.#programOf(name, exec, target), exec, user);
    }
    const kept = this.#kept.get(name);
    if (kept !== undefined && clock.now() < kept.untilMs) return kept.found;
    const read = await readCredentials(user, folder);
    // Files that are being exchanged are read at the next look; until then the old ones count.
    const found = read.ok || kept === undefined || !kept.found.ok ? read : kept.found;
    if (found.ok) this.#kept.set(name, { found, untilMs: clock.now() + KEPT_MS });
    return found;
  }

  #programOf(name: string, exec: KubeconfigExec, target: WebhookTarget): ExecCredentials {
    const cluster = clusterOf(target);
    const about = exec.provideClusterInfo ? formatJson(cluster) : '';
    const key = `${name}\n${about}`;
    const known = this.#programs.get(key);
    if (known !== undefined) return known;
    const { folder, clock } = this.#parts;
    const program = new ExecCredentials({ exec, folder, clock, cluster });
    this.#programs.set(key, program);
    return program;
  }

  async #printed(
    program: ExecCredentials,
    exec: KubeconfigExec,
    user: KubeconfigUser,
  ): Promise<FoundCredentials> {
    const message = execProblem(exec);
    if (message !== undefined) return { ok: false, message };
    try {
      const printed = await program.get();
      const { token, cert, key } = printed;
      const bearer = token === '' ? {} : { Authorization: `Bearer ${token}` };
      const credentials: WebhookCredentials = {
        ...(cert === '' ? {} : { cert, key }),
        headers: { ...bearer, ...impersonationOf(user) },
        refused: () => {
          program.refused(printed);
        },
      };
      return { ok: true, credentials };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { ok: true, credentials: { headers: {}, problem: `getting credentials: ${why}` } };
    }
  }
}

/** A webhook as a program is told of it: as a cluster of a kubeconfig file. */
function clusterOf({ url, service, caBundle }: WebhookTarget): JsonObject {
  if (service === undefined) {
    const { protocol = '', host = '' } = URL.parse(url) ?? {};
    return execCluster({ ...NO_CLUSTER, server: `${protocol}//${host}` }, caBundle);
  }
  const name = `${service.name}.${service.namespace}.svc`;
  const server = `https://${name}:${String(service.port)}`;
  return execCluster({ ...NO_CLUSTER, server, 'tls-server-name': name }, caBundle);
}

async function readCredentials(user: KubeconfigUser, folder: string): Promise<FoundCredentials> {
  if (user['auth-provider'] !== undefined) {
    return { ok: false, message: 'auth provider not supported' };
  }
  try {
    const authorization = await authorizationOf(user, folder);
    const { 'client-certificate-data': certData, 'client-key-data': keyData } = user;
    const cert = await inlineOrFile(certData, user['client-certificate'], folder);
    const key = await inlineOrFile(keyData, user['client-key'], folder);
    const credentials: WebhookCredentials = {
      ...(cert === '' ? {} : { cert, key }),
      headers: {
        ...(authorization === '' ? {} : { Authorization: authorization }),
        ...impersonationOf(user),
      },
    };
    return { ok: true, credentials };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** A token file counts for more than a token, which stands in for it while it cannot be read. */
async function authorizationOf(user: KubeconfigUser, folder: string): Promise<string> {
  const { tokenFile: file, token: inline, username: name, password } = user;
  const token = file === '' ? inline : await readOr(resolve(folder, file), inline);
  const isBasic = name !== '' || password !== '';
  if (token !== '' && isBasic) {
    throw new Error('username/password or bearer token may be set, but not both');
  }
  if (token !== '') return `Bearer ${token.trim()}`;
  return isBasic ? `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` : '';
}

async function readOr(file: string, otherwise: string): Promise<string> {
  try {
    return await readText(file);
  } catch (error) {
    if (otherwise === '') throw error;
    return otherwise;
  }
}

/** @param data in base64; '': the file counts, and '' for neither. */
async function inlineOrFile(data: string, file: string, folder: string): Promise<string> {
  if (data !== '') return Buffer.from(data, 'base64').toString();
  return file === '' ? '' : readText(resolve(folder, file));
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`open ${file}: ${systemProblem(error)}`, { cause: error });
  }
}

/** In Kubernetes: NewImpersonatingRoundTripper, client-go/transport. */
function impersonationOf(user: KubeconfigUser): Record<string, string | string[]> {
  const { as: name, 'as-uid': uid, 'as-groups': groups } = user;
  if (name === '') return {};
  const headers: Record<string, string | string[]> = { 'Impersonate-User': name };
  if (uid !== '') headers['Impersonate-Uid'] = uid;
  if (groups.length > 0) headers['Impersonate-Group'] = groups;
  for (const [key, values] of user['as-user-extra']) {
    headers[`Impersonate-Extra-${encodeURIComponent(key)}`] = [...values];
  }
  return headers;
}
