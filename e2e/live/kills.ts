/**
 * Objects are written while servers are killed, and a client follows them on whichever server is there. In the
 * end what it was told has to be what the log has, event by event: nothing missed, and nothing doubled.
 */
import type { AdminClient } from '../support/admin-client.ts';
import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { parseJson } from '../support/json.ts';
import { configMap } from '../api/objects.ts';
import { ResumingClient, type Gap } from './resuming-client.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const NAMES = 20;

export interface Killable {
  readonly kubeconfig: string;
  kill9(): Promise<void>;
  restart(): Promise<void>;
}

export interface KillsJudged {
  readonly kills: number;
  readonly events: number;
  readonly missed: readonly string[];
  readonly doubled: readonly string[];
  /** Whether the client was told in the order of the log. */
  readonly isInOrder: boolean;
  /** The shortest first. */
  readonly gaps: readonly Gap[];
}

/** @param servers of one log; the one that the client is connected with is killed, and started again. */
export async function killedWhileFollowing(
  servers: readonly Killable[],
  kills: number,
): Promise<KillsJudged> {
  const clients = servers.map((server) => adminClient(server));
  const begin = await versionNow(clients);
  const follower = new ResumingClient(servers, MAPS, begin);
  const writer = new Writer(clients);
  const writing = writer.run();
  for (let kill = 0; kill < kills; kill += 1) {
    const before = follower.told.length;
    await eventually('some events', () => follower.told.length >= before + 5 || undefined);
    const victim = servers[follower.at];
    await victim?.kill9();
    await victim?.restart();
  }
  writer.stop();
  await writing;
  const last = await versionNow(clients);
  const isThere = () => Number(follower.place) >= Number(last) || undefined;
  await eventually('the last of them', isThere, { timeoutMs: 120_000 });
  const logged = await eventsBehind(clients, begin, follower.place);
  follower.stop();
  for (const client of clients) client.close();
  const told = new Set(follower.told);
  return {
    kills,
    events: logged.length,
    missed: logged.filter((one) => !told.has(one)),
    doubled: follower.told.filter((one, index) => follower.told.indexOf(one) !== index),
    isInOrder: follower.told.join() === logged.join(),
    gaps: [...follower.gaps].sort((a, b) => a.resumedMs - b.resumedMs),
  };
}

/** Creates, changes and deletes by turns, whatever becomes of it. */
class Writer {
  readonly #clients: readonly AdminClient[];
  #isStopped = false;

  constructor(clients: readonly AdminClient[]) {
    this.#clients = clients;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async run(): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn += 1) {
      const client = this.#clients[turn % this.#clients.length];
      const name = `m${String(turn % NAMES)}`;
      try {
        const { status } = (await client?.post(MAPS, configMap(name))) ?? {};
        if (status !== 409) continue;
        if (turn % 7 === 0) await client?.delete(`${MAPS}/${name}`);
        else await client?.patch(`${MAPS}/${name}`, { data: { a: String(turn) } });
      } catch {
        // The server is dead, and the outcome unknown.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }
}

async function versionNow(clients: readonly AdminClient[]): Promise<string> {
  const body = await eventually('a list', () => answered(clients, `${MAPS}?limit=1`));
  const { metadata } = parseJson(body) as { metadata: { resourceVersion: string } };
  return metadata.resourceVersion;
}

/** `REVISION TYPE NAME`, as a client of the live protocol is told. */
async function eventsBehind(
  clients: readonly AdminClient[],
  begin: string,
  end: string,
): Promise<string[]> {
  const query = `resource=core/configmaps&effectiveOnly=true&from=${String(Number(begin) + 1)}&to=${end}`;
  const body = await eventually('the log', () => answered(clients, `/everwatch/v1/log?${query}`));
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as { resourceVersion: number; type: string; name: string })
    .map(
      ({ resourceVersion, type, name }) =>
        `${String(resourceVersion)} ${type.toUpperCase()} ${name}`,
    );
}

async function answered(
  clients: readonly AdminClient[],
  path: string,
): Promise<string | undefined> {
  for (const client of clients) {
    try {
      const response = await client.open(path);
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
      if (response.statusCode === 200) return text;
    } catch {
      // Another one is asked.
    }
  }
  return undefined;
}
