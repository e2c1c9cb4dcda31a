/** The commands about forks: they call a running server, as any client may. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  stringAt,
} from '../../../api/json/json.ts';
import { prefixOf } from '../../../actors/request/request-info.ts';
import { formatPlaneKubeconfig } from '../kubeconfig/plane-kubeconfig.ts';
import {
  type AccessOptions,
  clusterAccess,
  type ClusterAccess,
} from '../../configuration/kubeconfig-access.ts';
import { dns1123LabelProblems } from '../../../api/meta/names.ts';
import { FORK_GROUP, FORK_VERSION, FORKS } from '../../../api/everwatch/fork-facts.ts';
import { since } from '../../../projections/table/cells.ts';
import { StartupError } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';
import { parseMoment } from '../tool/moment.ts';
import { formatTable, parseFormat, ToolOutput } from '../tool/tool-output.ts';
import {
  type ClusterAnswer,
  type ClusterClient,
  ClusterUnreachableError,
  problemOf,
} from '../../remote-cluster/cluster-client.ts';
import { HttpsClusterClient } from '../../remote-cluster/https-cluster-client.ts';

const API_VERSION = `${FORK_GROUP}/${FORK_VERSION}`;
const PATH = `/apis/${API_VERSION}/${FORKS}`;
const HEADER = ['NAME', 'REVISION', 'AGE', 'PHASE'];
const NOT_FOUND = 404;

/** @throws StartupError for what a person can put right. */
export async function withForkTool(
  options: AccessOptions,
  action: (tool: ForkTool) => Promise<void>,
): Promise<void> {
  const access = await clusterAccess(options, process.env);
  const client = new HttpsClusterClient(access);
  const ending = new AbortController();
  const output = new ToolOutput(process.stdout, {
    hasColours: false,
    readerGone: () => {
      ending.abort();
    },
  });
  try {
    await action(new ForkTool({ access, client, output, signal: ending.signal }));
  } catch (error) {
    if (ending.signal.aborted) return;
    if (!(error instanceof ClusterUnreachableError)) throw error;
    throw new StartupError(error.message, { cause: error });
  } finally {
    await client.close();
  }
}

interface ForkToolParts {
  readonly access: ClusterAccess;
  readonly client: ClusterClient;
  readonly output: ToolOutput;
  readonly signal: AbortSignal;
}

export class ForkTool {
  readonly #parts: ForkToolParts;

  constructor(parts: ForkToolParts) {
    this.#parts = parts;
  }

  /** @param at a moment, as people say it. */
  async create(name: string, at: string): Promise<void> {
    const spec = specOf(at);
    const body = { apiVersion: API_VERSION, kind: 'Fork', metadata: { name }, spec };
    const made = await this.#send('POST', PATH, body);
    const revision = stringAt(objectAt(made, 'spec'), 'revision');
    const shown = `the fork ${name} begins at revision ${revision}`;
    const { output, access } = this.#parts;
    await output.write(`${shown}: ${access.server}${prefixOf({ fork: name, at: '' })}\n`);
  }

  async list(formatName: string): Promise<void> {
    const format = parseFormat(formatName);
    const { output } = this.#parts;
    const list = await this.#send('GET', PATH);
    const forks = listAt(list, 'items').map(wholeFork);
    if (format !== 'table') {
      await output.writeValues(forks, format);
      return;
    }
    const now = systemClock.now();
    await output.write(
      formatTable(
        HEADER,
        forks.map((fork) => cellsOf(fork, now)),
      ),
    );
  }

  async delete(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.#send('DELETE', `${PATH}/${encodeURIComponent(name)}`);
      await this.#parts.output.write(`the fork ${name} is deleted\n`);
    }
  }

  async kubeconfig(name: string): Promise<void> {
    if (dns1123LabelProblems(name).length > 0) {
      throw new StartupError(`${JSON.stringify(name)} cannot be the name of a fork`);
    }
    await this.#send('GET', `${PATH}/${name}`);
    const { access, output } = this.#parts;
    await output.write(formatPlaneKubeconfig(access, { fork: name, at: '' }, name));
  }

  async #send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: JsonObject,
  ): Promise<JsonObject> {
    const { client, signal } = this.#parts;
    const sending = body === undefined ? { signal } : { body, signal };
    const answer = await client.send(method, path, sending);
    if (answer.status < 300) return answer.body;
    throw new StartupError(whyNot(answer, client.server));
  }
}

/** @throws StartupError */
function specOf(at: string): JsonObject {
  const moment = parseMoment(at, '--at', systemClock.now());
  if (moment.kind === 'now') return {};
  if (moment.kind === 'version') return { revision: String(moment.version) };
  return { time: new Date(moment.ms).toISOString() };
}

function whyNot(answer: ClusterAnswer, server: string): string {
  const isOther = answer.status === NOT_FOUND && objectAt(answer.body, 'details') === undefined;
  return isOther ? `${server} has no forks: it is no Everwatch server` : problemOf(answer);
}

/** An item of a list leaves out what the list says. */
function wholeFork(item: JsonValue): JsonObject {
  return { apiVersion: API_VERSION, kind: 'Fork', ...(isJsonObject(item) ? item : {}) };
}

function cellsOf(fork: JsonObject, now: number): string[] {
  const metadata = objectAt(fork, 'metadata');
  return [
    stringAt(metadata, 'name'),
    stringAt(objectAt(fork, 'spec'), 'revision'),
    since(metadata?.['creationTimestamp'], now),
    stringAt(objectAt(fork, 'status'), 'phase'),
  ];
}
