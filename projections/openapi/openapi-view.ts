/**
 * The OpenAPI documents of one set of served resources. Nothing is made before a client asks for
 * it. The index needs the hash of every document, so it makes them all once (some tens of
 * milliseconds) and keeps only the hashes; a document's bytes are kept once it has been served.
 *
 * In Kubernetes: the OpenAPIServices of kube-openapi's handler and handler3.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { formatJson } from '../../api/json/json-text.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { apiDocuments } from './api-operations.ts';
import type { ApiDocument } from './api-operations.ts';
import { describeFromFile } from './descriptions.ts';
import { openApiV2 } from './openapi-v2.ts';
import { encodeOpenApiV2 } from './openapi-v2-protobuf.ts';
import { writeOpenApiV3 } from './openapi-v3.ts';
import { SchemaLibrary } from './schema-library.ts';

/** The bytes of a document in one form. */
export class OpenApiBody {
  readonly bytes: Uint8Array;
  /** Without quotes; what `?hash=` is compared with. */
  readonly hash: string;
  /** The value of the ETag header. */
  readonly etag: string;
  #gzipped: Uint8Array | undefined;
  #servedSinceMs: number | undefined;

  constructor(bytes: Uint8Array, hash: string) {
    this.bytes = bytes;
    this.hash = hash;
    this.etag = `"${hash}"`;
  }

  /**
   * When it was first asked for, which is when it was made, in whole seconds since 1970.
   *
   * @param nowMs counts on the first call.
   */
  servedSince(nowMs: number): number {
    this.#servedSinceMs ??= nowMs;
    return Math.floor(this.#servedSinceMs / 1_000);
  }

  /** Compressed on the first call, then kept. */
  gzipped(): Uint8Array {
    this.#gzipped ??= gzipSync(this.bytes, { level: 1 });
    return this.#gzipped;
  }
}

/** What clients are given, of whichever set of resources. */
export interface OpenApiDocuments {
  /** The name of every document of v3, as the index has them. */
  names(): Iterable<string>;
  /** `/openapi/v3`: every document with its address; `prefix` stands in front of each path. */
  v3Index(prefix?: string): OpenApiBody;
  /** @param name `apis/apps/v1`, as in the index; undefined when there is no such document */
  v3(name: string): OpenApiBody | undefined;
  /** Where a document is found: the index says it, and so does a redirect from an old hash. */
  v3Address(name: string): string | undefined;
  /** The document of `/openapi/v2` as JSON, with its ETag. */
  v2Json(): OpenApiBody | Promise<OpenApiBody>;
  /** It has the hash of the JSON form: clients tell the two apart by their media types. */
  v2Protobuf(): OpenApiBody | Promise<OpenApiBody>;
}

/** The documents of the built-in kinds: rendered when they are first asked for, then kept. */
export class OpenApiView implements OpenApiDocuments {
  readonly #documents: ReadonlyMap<string, ApiDocument>;
  readonly #library: SchemaLibrary;
  readonly #hashes = new Map<string, string>();
  readonly #bodies = new Map<string, OpenApiBody>();
  #index: OpenApiBody | undefined;
  #v2Object: JsonObject | undefined;
  #v2Json: OpenApiBody | undefined;
  #v2Protobuf: OpenApiBody | undefined;

  /**
   * @param enums whether the values of a field are named: upstream's gate OpenAPIEnums
   * @param hasCbor whether CBOR is among the media types: upstream's gate CBORServingAndStorage
   */
  constructor(
    served: readonly ResourceFacts[],
    describe = describeFromFile(),
    enums = true,
    hasCbor = false,
  ) {
    const documents = apiDocuments(served, hasCbor);
    this.#documents = new Map(documents.map((document) => [document.name, document]));
    this.#library = new SchemaLibrary(served, describe, enums);
  }

  /** Where others take the schemas of built-in types from. */
  get library(): SchemaLibrary {
    return this.#library;
  }

  v3Index(prefix = ''): OpenApiBody {
    // There are as many prefixes as moments, so these are not kept.
    if (prefix !== '') return this.#indexBelow(prefix);
    this.#index ??= this.#indexBelow('');
    return this.#index;
  }

  v3(name: string): OpenApiBody | undefined {
    const document = this.#documents.get(name);
    if (document === undefined) return undefined;
    const known = this.#bodies.get(name);
    if (known !== undefined) return known;
    const body = hashed(Buffer.from(writeOpenApiV3(document, this.#library)));
    this.#bodies.set(name, body);
    this.#hashes.set(name, body.hash);
    return body;
  }

  v3Address(name: string): string | undefined {
    const document = this.#documents.get(name);
    return document === undefined ? undefined : addressOf(name, this.#hashOf(document));
  }

  v2Json(): OpenApiBody {
    this.#v2Json ??= hashed(Buffer.from(formatJson(this.#v2())));
    return this.#v2Json;
  }

  v2Protobuf(): OpenApiBody {
    if (this.#v2Protobuf === undefined) {
      const { hash } = this.v2Json();
      this.#v2Protobuf = new OpenApiBody(encodeOpenApiV2(this.#v2()), hash);
      // Both forms are bytes now, so the tree is of no more use.
      this.#v2Object = undefined;
    }
    return this.#v2Protobuf;
  }

  #v2(): JsonObject {
    this.#v2Object ??= openApiV2([...this.#documents.values()], this.#library);
    return this.#v2Object;
  }

  #indexBelow(prefix: string): OpenApiBody {
    const names = [...this.#documents.keys()];
    return indexOf(new Map(names.map((name) => [name, this.v3Address(name) ?? ''])), prefix);
  }

  names(): Iterable<string> {
    return this.#documents.keys();
  }

  #hashOf(document: ApiDocument): string {
    const known = this.#hashes.get(document.name);
    if (known !== undefined) return known;
    const hash = hashOf(writeOpenApiV3(document, this.#library));
    this.#hashes.set(document.name, hash);
    return hash;
  }
}

/** @param addresses by the names of documents. */
export function indexOf(addresses: ReadonlyMap<string, string>, prefix: string): OpenApiBody {
  const paths: JsonObject = {};
  for (const name of [...addresses.keys()].sort()) {
    paths[name] = { serverRelativeURL: prefix + (addresses.get(name) ?? '') };
  }
  return hashed(Buffer.from(formatJson({ paths })));
}

export function addressOf(name: string, hash: string): string {
  return `/openapi/v3/${name}?hash=${hash}`;
}

function hashed(bytes: Uint8Array): OpenApiBody {
  return new OpenApiBody(bytes, hashOf(bytes));
}

/** SHA-512 in upper case, as kube-openapi names documents. */
export function hashOf(content: Uint8Array | string): string {
  return createHash('sha512').update(content).digest('hex').toUpperCase();
}
