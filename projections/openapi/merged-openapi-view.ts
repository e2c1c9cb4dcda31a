/**
 * The OpenAPI documents of a control plane with those of the servers behind it, as these gave them last.
 * A document of v3 is served as the server gave it. The one document of v2 is joined when a client
 * asks for it, and kept until one of its parts is another; what is not to be read is left out of it.
 *
 * In Kubernetes: the aggregators of kube-aggregator/pkg/controllers/openapi and openapiv3.
 */
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { isJsonObject, type JsonObject } from '../../api/json/json.ts';
import { mergeOpenApiV2 } from './merge-openapi-v2.ts';
import { encodeOpenApiV2 } from './openapi-v2-protobuf.ts';
import { addressOf, hashOf, indexOf, OpenApiBody, type OpenApiDocuments } from './openapi-view.ts';

/** What one server says of all that it serves. */
export interface ServerDocuments {
  /** By the names of its own index: `apis/metrics.k8s.io/v1beta1`. */
  readonly v3: ReadonlyMap<string, OpenApiBody>;
  /** As JSON, not read yet; undefined: it has none. */
  readonly v2: OpenApiBody | undefined;
}

/** A group version of another server. */
export interface DescribedVersion {
  /** `metrics.k8s.io`. */
  readonly group: string;
  /** `v1beta1`. */
  readonly version: string;
  /** undefined: the server never answered. */
  readonly documents: ServerDocuments | undefined;
}

/** Documents of several servers as one set. */
export class MergedOpenApiView implements OpenApiDocuments {
  readonly #own: OpenApiDocuments;
  readonly #described: readonly DescribedVersion[];
  readonly #documents: ReadonlyMap<string, OpenApiBody>;
  #index: OpenApiBody | undefined;
  #v2: Promise<MergedBody> | undefined;
  #v2Protobuf: Promise<OpenApiBody> | undefined;

  /** @param described in the order in which their paths count. */
  constructor(own: OpenApiDocuments, described: readonly DescribedVersion[]) {
    this.#own = own;
    this.#described = described;
    this.#documents = documentsOf(described, new Set(own.names()));
  }

  names(): Iterable<string> {
    return new Set([...this.#own.names(), ...this.#documents.keys()]);
  }

  v3Index(prefix = ''): OpenApiBody {
    if (prefix !== '') return this.#indexBelow(prefix);
    this.#index ??= this.#indexBelow('');
    return this.#index;
  }

  v3(name: string): OpenApiBody | undefined {
    return this.#documents.get(name) ?? this.#own.v3(name);
  }

  v3Address(name: string): string | undefined {
    const document = this.#documents.get(name);
    return document === undefined ? this.#own.v3Address(name) : addressOf(name, document.hash);
  }

  async v2Json(): Promise<OpenApiBody> {
    this.#v2 ??= this.#wholeV2();
    return (await this.#v2).body;
  }

  async v2Protobuf(): Promise<OpenApiBody> {
    this.#v2 ??= this.#wholeV2();
    const { body, document } = await this.#v2;
    this.#v2Protobuf ??= Promise.resolve(
      document === undefined
        ? this.#own.v2Protobuf()
        : new OpenApiBody(encodeOpenApiV2(document), body.hash),
    );
    return this.#v2Protobuf;
  }

  #indexBelow(prefix: string): OpenApiBody {
    const names = [...this.names()];
    return indexOf(new Map(names.map((name) => [name, this.v3Address(name) ?? ''])), prefix);
  }

  async #wholeV2(): Promise<MergedBody> {
    const own = await this.#own.v2Json();
    if (this.#described.every(({ documents }) => documents?.v2 === undefined)) return { body: own };
    const { paths, definitions, parameters, ...rest } = readDocument(own) ?? {};
    const merged = {
      paths: isJsonObject(paths) ? paths : {},
      definitions: isJsonObject(definitions) ? definitions : {},
      parameters: isJsonObject(parameters) ? parameters : {},
    };
    for (const { group, version, documents } of this.#described) {
      if (documents?.v2 === undefined) continue;
      // Some of these documents have megabytes, and other requests get their turn between them.
      await new Promise(setImmediate);
      const document = readDocument(documents.v2);
      if (document !== undefined) mergeOpenApiV2(merged, document, `/apis/${group}/${version}/`);
    }
    await new Promise(setImmediate);
    const { swagger, info, ...last } = rest;
    const document = { swagger, info, ...merged, ...last };
    const bytes = Buffer.from(formatJson(document));
    return { body: new OpenApiBody(bytes, hashOf(bytes)), document };
  }
}

interface MergedBody {
  readonly body: OpenApiBody;
  /** undefined: that of this server alone. */
  readonly document?: JsonObject;
}

/** undefined: a server gave something else. */
function readDocument(body: OpenApiBody): JsonObject | undefined {
  try {
    const read = parseJson(Buffer.from(body.bytes).toString());
    return isJsonObject(read) && isJsonObject(read['paths']) ? read : undefined;
  } catch {
    return undefined;
  }
}

/** A group version is described by its server; of the group above it this server's own words count. */
function documentsOf(
  described: readonly DescribedVersion[],
  own: ReadonlySet<string>,
): Map<string, OpenApiBody> {
  const found = new Map<string, OpenApiBody>();
  for (const { group, version, documents } of described) {
    const ofGroup = `apis/${group}`;
    const above = documents?.v3.get(ofGroup);
    if (above !== undefined && !own.has(ofGroup) && !found.has(ofGroup)) found.set(ofGroup, above);
    const name = `${ofGroup}/${version}`;
    const document = documents?.v3.get(name);
    if (document !== undefined) found.set(name, document);
  }
  return found;
}
