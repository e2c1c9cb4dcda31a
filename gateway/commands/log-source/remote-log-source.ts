/**
 * The log behind a running server, asked for over HTTPS.
 *
 * A follower reads over the live protocol, by the client library, and goes on after the server was away:
 * nothing is lost and nothing comes twice.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import { parseJson } from '../../../api/json/json-text.ts';
import { pause, rxjsScheduler } from '../../../api/meta/rxjs-clock.ts';
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
} from '../../../api/json/json.ts';
import { judgedObject, parseJudgedLine } from '../../../projections/past/judged-line.ts';
import type {
  JudgedEvent,
  LogBounds,
  LogQuery,
  LogSource,
  ObjectOfLog,
} from '../../../projections/past/log-source.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { connect, LiveError } from '../../client/node.ts';
import { StartupError } from '../../process/startup-error.ts';
import { ApiError, ConnectionError, type ApiClient } from './api-client.ts';

export interface RemoteLogParts {
  readonly client: ApiClient;
  /** '' or `/forks/NAME`. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Told in a sentence that the server is away, or there again. */
  readonly notice: (sentence: string) => void;
}

const LOG = '/everwatch/v1/log';
const RETRY_MS = 5_000;

export class RemoteLogSource implements LogSource {
  readonly name: string;
  readonly #parts: RemoteLogParts;

  constructor(parts: RemoteLogParts) {
    this.name = parts.client.server + parts.prefix;
    this.#parts = parts;
  }

  async *events(query: LogQuery, signal: AbortSignal): AsyncGenerator<readonly JudgedEvent[]> {
    // A caller that does not say whether it follows reads the bytes of the log, as to hash them.
    if (query.follow === undefined) yield* this.#lines(pathOf(query), signal);
    else yield* this.#followed(query, signal);
  }

  async bounds(of?: ObjectOfLog): Promise<LogBounds> {
    const body = await this.#json(`${LOG}/bounds?${new URLSearchParams(of).toString()}`);
    const cuts = objectAt(body, 'cuts');
    const bounds = { oldest: versionAt(body, 'oldest'), newest: versionAt(body, 'newest') };
    if (cuts === undefined) return bounds;
    const resources = objectAt(cuts, 'resources') ?? {};
    const versions = Object.keys(resources).map(
      (name) => [name, versionAt(resources, name)] as const,
    );
    const everything = versionAt(cuts, 'everything');
    return { ...bounds, cuts: { everything, resources: new Map(versions) } };
  }

  async versionAtTime(timeMs: number, of?: ObjectOfLog): Promise<ResourceVersion> {
    const asked = new URLSearchParams({ time: new Date(timeMs).toISOString(), ...of });
    const body = await this.#json(`${LOG}/version-at?${asked.toString()}`);
    return versionAt(body, 'resourceVersion');
  }

  async *stateAt(
    version: ResourceVersion,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LoggedEvent[]> {
    for await (const judged of this.#lines(`${LOG}/state?version=${String(version)}`, signal)) {
      yield judged.map(({ event }) => event);
    }
  }

  async servedResources(signal: AbortSignal): Promise<readonly JsonObject[]> {
    const groups = listAt(await this.#json('/apis', signal), 'groups').filter(isJsonObject);
    const versions = groups.map((one) =>
      stringAt(objectAt(one, 'preferredVersion'), 'groupVersion'),
    );
    return Promise.all(versions.map((one) => this.#json(`/apis/${one}`, signal)));
  }

  close(): Promise<void> {
    this.#parts.client.close();
    return Promise.resolve();
  }

  /** What the server says of itself; undefined where it does not. */
  status(): Promise<JsonObject> {
    return this.#json('/everwatch/v1/status');
  }

  /**
   * Has the server forget all objects that were ever there under the path and are gone.
   *
   * @returns how many.
   */
  async shred(resource: string, path: string): Promise<number> {
    const query = new URLSearchParams({ resource, path });
    try {
      const { client, prefix } = this.#parts;
      const body = await client.postJson(`${prefix}/everwatch/v1/shred?${query.toString()}`);
      return Number(body['shredded'] ?? 0);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** As long as it takes: a server that is away is waited for. */
  async *#followed(query: LogQuery, signal: AbortSignal): AsyncGenerator<readonly JudgedEvent[]> {
    const { clock } = this.#parts;
    const away = new Absence(this.name, this.#parts.notice);
    let { from } = query;
    while (!signal.aborted) {
      try {
        for await (const judged of this.#live({ ...query, from }, away, signal)) {
          yield judged;
          from = resourceVersion((judged.at(-1)?.event.resourceVersion ?? from - 1) + 1);
        }
        return;
      } catch (error) {
        if (hasEnded(signal)) return;
        if (!isPassing(error)) throw this.#explained(error);
        away.begins(error.message);
      }
      await pause(clock, RETRY_MS, signal);
    }
  }

  /** Over the live protocol, which goes on where it was behind a lost connection. */
  async *#live(
    query: LogQuery,
    away: Absence,
    signal: AbortSignal,
  ): AsyncGenerator<readonly JudgedEvent[]> {
    const { client, prefix, clock } = this.#parts;
    const { base, place } = placeIn(client.server);
    const live = connect(base, {
      prepare: () => client.prepareHandshake(),
      parse: parseJson,
      scheduler: rxjsScheduler(clock),
    });
    const close = (): void => {
      live.close();
    };
    signal.addEventListener('abort', close, { once: true });
    live.connection.state$.subscribe((state) => {
      if (state.kind === 'waiting') away.begins(`cannot reach ${this.name}: ${state.reason}`);
      else if (state.kind === 'open') away.isBack();
    });
    const path = place + prefix + pathOf(query);
    try {
      if (signal.aborted) return;
      for await (const lines of live.lineBatches(path)) yield lines.map(judgedObject);
    } catch (error) {
      if (!(error instanceof LiveError)) throw error;
      const { code, message } = error;
      throw new ApiError(code, `${base}${path}: ${String(code)} ${message}`);
    } finally {
      signal.removeEventListener('abort', close);
      live.close();
    }
  }

  async *#lines(path: string, signal: AbortSignal): AsyncGenerator<readonly JudgedEvent[]> {
    const { client, prefix } = this.#parts;
    try {
      for await (const lines of client.getLines(prefix + path, signal)) {
        yield lines.map(parseJudgedLine);
      }
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async #json(path: string, signal?: AbortSignal): Promise<JsonObject> {
    const { client, prefix } = this.#parts;
    try {
      return await client.getJson(prefix + path, signal);
    } catch (error) {
      throw this.#explained(error);
    }
  }

  #explained(error: unknown): unknown {
    if (!(error instanceof ApiError) || error.code !== 404) return error;
    return new StartupError(`${this.name} does not show its log: it is no Everwatch server`, {
      cause: error,
    });
  }
}

/** Whether a server is away, told once. */
class Absence {
  readonly #name: string;
  readonly #notice: (sentence: string) => void;
  #isTold = false;

  constructor(name: string, notice: (sentence: string) => void) {
    this.#name = name;
    this.#notice = notice;
  }

  begins(why: string): void {
    if (!this.#isTold) this.#notice(`${why}; waiting until it is there again`);
    this.#isTold = true;
  }

  isBack(): void {
    if (this.#isTold) this.#notice(`${this.#name} is there again`);
    this.#isTold = false;
  }
}

function pathOf({ from, to, resource, path, follow, effectiveOnly }: LogQuery): string {
  const asked = new URLSearchParams({ from: String(from) });
  if (to !== undefined) asked.set('to', String(to));
  if (resource !== undefined) asked.set('resource', resource);
  if (path !== undefined) asked.set('path', path);
  if (follow === true) asked.set('follow', 'true');
  if (effectiveOnly === true) asked.set('effectiveOnly', 'true');
  return `${LOG}?${asked.toString()}`;
}

/** The one socket of a server is in front of all places; a place goes with each subscription. */
function placeIn(server: string): { readonly base: string; readonly place: string } {
  const parts = server.split('/');
  let end = parts.length;
  for (const word of ['at', 'forks']) if (parts[end - 2] === word) end -= 2;
  const place = parts.slice(end).map((part) => `/${part}`);
  return { base: parts.slice(0, end).join('/'), place: place.join('') };
}

/** Asked again after each wait, in which it may have changed. */
function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** A server that starts, stops or is overloaded will be another one soon. */
function isPassing(error: unknown): error is Error {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.code === 429 || error.code >= 500);
}

function versionAt(body: JsonObject, key: string): ResourceVersion {
  const value = body[key];
  if (typeof value === 'number') return resourceVersion(value);
  throw new StartupError(`the server's answer has no ${key}`);
}
