/**
 * The OpenAPI documents of one server behind this one, as it gave them last: they are kept while the server
 * is away, and asked for again only where the server says that they are others. Those of v3 of a server that has
 * v2 alone are made of it.
 *
 * In Kubernetes: kube-aggregator/pkg/controllers/openapi and openapiv3, which keep the index of v3 and pass
 * requests for its documents on to the server.
 */
import { formatJsonInParts, readInParts, slicesOf } from '../../api/json/json-parts.ts';
import { isReadExactly, parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import { openApiV3Of } from '../../projections/openapi/openapi-v3-of-v2.ts';
import { hashOf, OpenApiBody } from '../../projections/openapi/openapi-view.ts';
import type { ServerDocuments } from '../../projections/openapi/merged-openapi-view.ts';
import { inSlices } from '../request/large-work.ts';
import type { AggregatedServers, FetchedDocument } from './aggregated-servers.ts';
import type { AggregatedService } from './aggregated-services.ts';
import type { DownloadOutcome } from './repeated-downloads.ts';

const TIMEOUT_MS = 60_000;
const BYTES_MAX = 64 * 1024 * 1024;
const OK = 200;
const NO_DOCUMENTS: ServerDocuments = { v3: new Map(), v2: undefined };

interface KeptDocument {
  /** What the index said of it: another address means that it is another document. */
  readonly address: string;
  readonly body: OpenApiBody;
}

/** The answer, or false where the server did not answer as it should. */
type Asked = FetchedDocument | false;

/** The documents of OpenAPI that one server gave. */
export class ServerOpenApi {
  readonly #fetch: AggregatedServers['fetch'];
  #etagOfV2: string | undefined;
  #v3: ReadonlyMap<string, KeptDocument> = new Map();
  #documents = NO_DOCUMENTS;

  constructor(fetch: AggregatedServers['fetch']) {
    this.#fetch = fetch;
  }

  /** The same object while they are the same. */
  get documents(): ServerDocuments {
    return this.#documents;
  }

  /** @param services of this server, those that can be asked just now. */
  async refresh(
    services: readonly AggregatedService[],
    signal: AbortSignal,
  ): Promise<DownloadOutcome> {
    const [of] = services;
    if (of === undefined) return 'idle';
    const ask = async (path: string, headers: Record<string, string> = {}): Promise<Asked> => {
      const all = { accept: 'application/json', ...headers };
      const options = { headers: all, timeoutMs: TIMEOUT_MS, sizeMax: BYTES_MAX, signal };
      const answer = await this.#fetch(of, path, options);
      return answer.ok && [200, 304, 404].includes(answer.code) ? answer : false;
    };
    const outcomes = [await this.#refreshV2(ask), await this.#refreshV3(services, ask)];
    return outcomes.every(Boolean) ? 'kept' : 'failed';
  }

  async #refreshV3(
    services: readonly AggregatedService[],
    ask: (path: string) => Promise<Asked>,
  ): Promise<boolean> {
    const answer = await ask('/openapi/v3');
    if (answer === false) return false;
    const { v2 } = this.#documents;
    const hasV3 = answer.code === OK;
    const addresses = hasV3 ? addressesIn(answer) : madeOf(v2, services);
    if (addresses === undefined) return false;
    const documentOf = (name: string, address: string) =>
      hasV3 ? newDocument(ask, name, address) : madeDocument(v2, name, address);
    const wanted = new Set(services.flatMap((one) => [`apis/${one.group}`, nameOf(one)]));
    const found = new Map<string, KeptDocument>();
    let isWhole = true;
    for (const [name, address] of addresses) {
      if (!wanted.has(name)) continue;
      const known = this.#v3.get(name);
      const document = known?.address === address ? known : await documentOf(name, address);
      isWhole &&= document !== undefined;
      const shown = document ?? known;
      if (shown !== undefined) found.set(name, shown);
    }
    // Those of a group version whose APIService is not available just now are kept.
    for (const [name, known] of this.#v3) if (!wanted.has(name)) found.set(name, known);
    if (!isSame(found, this.#v3)) {
      this.#v3 = found;
      const v3 = new Map([...found].map(([name, { body }]) => [name, body]));
      this.#documents = { ...this.#documents, v3 };
    }
    return isWhole;
  }

  async #refreshV2(
    ask: (path: string, headers: Record<string, string>) => Promise<Asked>,
  ): Promise<boolean> {
    const known = this.#etagOfV2;
    const headers = known === undefined ? {} : { 'if-none-match': known };
    const answer = await ask('/openapi/v2', headers);
    if (answer === false) return false;
    if (answer.code === 304) return true;
    // A server need not have any.
    if (answer.code === 404) return true;
    const hash = hashOf(answer.body);
    this.#etagOfV2 = answer.headers['etag'];
    if (this.#documents.v2?.hash !== hash) {
      this.#documents = { ...this.#documents, v2: new OpenApiBody(answer.body, hash) };
    }
    return true;
  }
}

function nameOf({ group, version }: AggregatedService): string {
  return `apis/${group}/${version}`;
}

/** Documents that are made: they are others when the one of v2 is another. */
function madeOf(
  v2: OpenApiBody | undefined,
  services: readonly AggregatedService[],
): Map<string, string> {
  if (v2 === undefined) return new Map();
  return new Map(services.map((one) => [nameOf(one), `v2:${v2.hash}`]));
}

/** What the index says of each document; undefined: it is no index. */
function addressesIn({ body }: FetchedDocument): Map<string, string> | undefined {
  const paths = objectAt(readObject(body), 'paths');
  if (paths === undefined) return undefined;
  return new Map(
    Object.entries(paths).map(([name, entry]) => {
      return [name, isJsonObject(entry) ? stringAt(entry, 'serverRelativeURL') : ''];
    }),
  );
}

function readObject(body: Buffer): JsonObject | undefined {
  try {
    const read = parseJson(body.toString());
    return isJsonObject(read) ? read : undefined;
  } catch {
    return undefined; // An answer of something else.
  }
}

/** Asked for by its name: the address of the index is that of a document which may be gone by now. */
async function newDocument(
  ask: (path: string) => Promise<Asked>,
  name: string,
  address: string,
): Promise<KeptDocument | undefined> {
  const answer = await ask(`/openapi/v3/${name}`);
  if (answer === false || answer.code !== 200 || readObject(answer.body) === undefined) {
    return undefined;
  }
  return { address, body: new OpenApiBody(answer.body, hashOf(answer.body)) };
}

/** In slices. @returns undefined: what the server gave is no document of v2. */
async function madeDocument(
  v2: OpenApiBody | undefined,
  name: string,
  address: string,
): Promise<KeptDocument | undefined> {
  const read = v2 === undefined ? undefined : await readInSlices(Buffer.from(v2.bytes).toString());
  if (read === undefined) return undefined;
  const made = await inSlices(slicesOf(() => openApiV3Of(read, `/${name}`)));
  const bytes = await inSlices(formatJsonInParts(made));
  return { address, body: new OpenApiBody(bytes, hashOf(bytes)) };
}

async function readInSlices(text: string): Promise<JsonObject | undefined> {
  if (!isReadExactly(text)) return readObject(Buffer.from(text));
  try {
    const { value } = await inSlices(readInParts(text));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // What the server gave is no JSON.
  }
}

function isSame(
  left: ReadonlyMap<string, KeptDocument>,
  right: ReadonlyMap<string, KeptDocument>,
): boolean {
  if (left.size !== right.size) return false;
  return [...left].every(([name, { body }]) => right.get(name)?.body.hash === body.hash);
}
