/**
 * The OpenAPI documents of a control plane that has custom resources. What is built in is taken as it
 * is; of custom resources nothing is made before a client asks for it, not even for the index: the
 * hash of a document is that of the definitions that it is about.
 *
 * The surprise is v2, which is one document about everything: it is put together from the text of
 * the built-in one and of each kind, with pauses, since there may be thousands.
 *
 * In Kubernetes: the openapi and openapiv3 controllers of apiextensions-apiserver/pkg/controller.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import { objectAt, type JsonObject } from '../../api/json/json.ts';
import type { ApiDocument } from './api-operations.ts';
import { customTypeId, type CustomKind } from './custom-kind.ts';
import { customOperations } from './custom-operations.ts';
import { customListSchema, customSchema, type SchemaForm } from './custom-schema.ts';
import { encodeOpenApiV2 } from './openapi-v2-protobuf.ts';
import { withFreeNames } from './merge-openapi-v2.ts';
import { openApiV2Part } from './openapi-v2.ts';
import { writeOpenApiV3 } from './openapi-v3.ts';
import {
  addressOf,
  hashOf,
  indexOf,
  OpenApiBody,
  type OpenApiDocuments,
  type OpenApiView,
} from './openapi-view.ts';
import type { Parameter } from './operation.ts';
import type { GroupVersion, SchemaLibrary, Schemas } from './schema-library.ts';

interface CustomDocument {
  readonly groupVersion: GroupVersion;
  readonly kinds: readonly CustomKind[];
  readonly hash: string;
}

/** So many documents are kept as bytes. */
const BODIES_MAX = 32;
/** So many kinds are described in a row before others get their turn. */
const KINDS_AT_ONCE = 8;
/** As a definition begins in the second version's text, whose built-in types all have such names. */
const BUILT_IN_TYPE = /"(io\.k8s\.[\w.-]+)":\{/g;
const INFO = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };
/** A built-in type and a list that describe metadata in upstream's usual words, which custom ones have. */
const ORDINARY_TYPE = 'io.k8s.api.core.v1.ConfigMap';
const ORDINARY_LIST = 'io.k8s.api.core.v1.PodList';

/** The documents of the built-in kinds, with those of the definitions that a control plane has. */
export class CustomOpenApiView implements OpenApiDocuments {
  readonly #builtIn: OpenApiView;
  readonly #kinds: readonly CustomKind[];
  readonly #documents: ReadonlyMap<string, CustomDocument>;
  readonly #bodies = new BoundedMap<string, OpenApiBody>(BODIES_MAX);
  #index: OpenApiBody | undefined;
  #v2Json: Promise<OpenApiBody> | undefined;
  #v2Protobuf: Promise<OpenApiBody> | undefined;

  constructor(builtIn: OpenApiView, kinds: readonly CustomKind[]) {
    this.#builtIn = builtIn;
    this.#documents = documentsOf(kinds, new Set(builtIn.names()));
    this.#kinds = [...this.#documents.values()].flatMap((document) => document.kinds);
  }

  names(): Iterable<string> {
    return [...this.#builtIn.names(), ...this.#documents.keys()];
  }

  v3Index(prefix = ''): OpenApiBody {
    if (prefix !== '') return this.#indexBelow(prefix);
    this.#index ??= this.#indexBelow('');
    return this.#index;
  }

  v3(name: string): OpenApiBody | undefined {
    const document = this.#documents.get(name);
    if (document === undefined) return this.#builtIn.v3(name);
    const known = this.#bodies.get(name);
    if (known !== undefined) return known;
    const body = this.#written(name, document);
    this.#bodies.set(name, body);
    return body;
  }

  v3Address(name: string): string | undefined {
    const document = this.#documents.get(name);
    return document === undefined ? this.#builtIn.v3Address(name) : addressOf(name, document.hash);
  }

  v2Json(): Promise<OpenApiBody> {
    this.#v2Json ??= this.#wholeV2();
    return this.#v2Json;
  }

  v2Protobuf(): Promise<OpenApiBody> {
    this.#v2Protobuf ??= this.#wholeProtobuf();
    return this.#v2Protobuf;
  }

  #indexBelow(prefix: string): OpenApiBody {
    const names = [...this.names()];
    return indexOf(new Map(names.map((name) => [name, this.v3Address(name) ?? ''])), prefix);
  }

  #written(name: string, { groupVersion, kinds, hash }: CustomDocument): OpenApiBody {
    const document: ApiDocument = {
      name,
      groupVersion,
      info: INFO,
      operations: () => kinds.flatMap(customOperations),
    };
    const { library } = this.#builtIn;
    const schemas = new CustomSchemas(library, schemasOf(kinds, formOf(library, false)));
    return new OpenApiBody(Buffer.from(writeOpenApiV3(document, schemas)), hash);
  }

  async #wholeV2(): Promise<OpenApiBody> {
    const builtIn = this.#builtIn.v2Json();
    const paths: string[] = [];
    const definitions: string[] = [];
    await this.#eachPart((part) => {
      paths.push(...entriesOf(part.paths));
      definitions.push(...entriesOf(part.definitions));
    });
    const text = Buffer.from(builtIn.bytes).toString();
    const json = withEntries(withEntries(text, '"definitions":{', definitions), '"paths":{', paths);
    return new OpenApiBody(Buffer.from(json), this.#v2Hash(builtIn.hash));
  }

  /** Messages of protobuf that stand behind each other are one. */
  async #wholeProtobuf(): Promise<OpenApiBody> {
    const builtIn = this.#builtIn.v2Protobuf();
    const parts: Uint8Array[] = [builtIn.bytes];
    await this.#eachPart(({ paths, definitions }) => {
      parts.push(encodeOpenApiV2({ paths, definitions }));
    });
    return new OpenApiBody(Buffer.concat(parts), this.#v2Hash(builtIn.hash));
  }

  #v2Hash(builtIn: string): string {
    return hashOf([builtIn, ...[...this.#documents.values()].map(({ hash }) => hash)].join());
  }

  async #eachPart(take: (part: ReturnType<typeof openApiV2Part>) => void): Promise<void> {
    const { library } = this.#builtIn;
    const form = formOf(library, true);
    const taken = builtInTypes(this.#builtIn.v2Json());
    for (const [index, kind] of this.#kinds.entries()) {
      if (index % KINDS_AT_ONCE === KINDS_AT_ONCE - 1) await new Promise(setImmediate);
      const part = openApiV2Part(customOperations(kind), schemasOf([kind], form), library);
      take(withFreeNames(part, (name) => taken.has(name)));
    }
  }
}

function builtInTypes(document: OpenApiBody): ReadonlySet<string> {
  const text = Buffer.from(document.bytes).toString();
  return new Set(Array.from(text.matchAll(BUILT_IN_TYPE), ([, name = '']) => name));
}

function documentsOf(
  kinds: readonly CustomKind[],
  taken: ReadonlySet<string>,
): ReadonlyMap<string, CustomDocument> {
  const byName = new Map<string, CustomKind[]>();
  for (const kind of kinds) {
    const name = `apis/${kind.group}/${kind.version}`;
    // A group version that is built in describes what is built in.
    if (taken.has(name)) continue;
    const found = byName.get(name);
    if (found === undefined) byName.set(name, [kind]);
    else found.push(kind);
  }
  const documents = new Map<string, CustomDocument>();
  for (const [name, ofVersion] of byName) {
    const [{ group, version } = { group: '', version: '' }] = ofVersion;
    const hash = hashOf(ofVersion.map(({ key }) => key).join('\n'));
    documents.set(name, { groupVersion: { group, version }, kinds: ofVersion, hash });
  }
  return documents;
}

function schemasOf(kinds: readonly CustomKind[], form: SchemaForm): Map<string, JsonObject> {
  const schemas = new Map<string, JsonObject>();
  for (const kind of kinds) {
    schemas.set(customTypeId(kind, kind.kind), customSchema(kind, form));
    schemas.set(customTypeId(kind, kind.listKind), customListSchema(kind, form));
  }
  return schemas;
}

/** How the schemas of custom resources are written, beside those of the library. */
export function formOf(library: SchemaLibrary, isV2: boolean): SchemaForm {
  const properties = objectAt(library.schema(ORDINARY_TYPE, []), 'properties');
  const { apiVersion, kind } = properties ?? {};
  const metadata = metadataOf(library, ORDINARY_TYPE);
  const listMetadata = metadataOf(library, ORDINARY_LIST);
  return { isV2, common: { apiVersion, kind, metadata }, listMetadata };
}

/** Built-in types have a default here that is Go's, and not that of a schema. */
function metadataOf(library: SchemaLibrary, typeId: string): JsonObject {
  const properties = objectAt(library.schema(typeId, []), 'properties');
  const { default: _, ...metadata } = objectAt(properties, 'metadata') ?? {};
  return metadata;
}

/** Those of some custom resources, and the built-in ones that they refer to. */
class CustomSchemas implements Schemas {
  readonly #library: SchemaLibrary;
  readonly #own: ReadonlyMap<string, JsonObject>;

  constructor(library: SchemaLibrary, own: ReadonlyMap<string, JsonObject>) {
    this.#library = library;
    this.#own = own;
  }

  reachable(typeIds: Iterable<string>): string[] {
    const builtIn = [...typeIds].filter((id) => !this.#own.has(id));
    const others = this.#library.reachable([...builtIn, ...COMMON_TYPES]);
    return [...others, ...this.#own.keys()].sort();
  }

  text(typeId: string, document: GroupVersion | undefined): string {
    const own = this.#own.get(typeId);
    return own === undefined ? this.#library.text(typeId, document) : formatJson(own);
  }

  parameterDescription(parameter: Parameter): string | undefined {
    return this.#library.parameterDescription(parameter);
  }
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const COMMON_TYPES = [`${META}.ObjectMeta`, `${META}.ListMeta`];

function entriesOf(object: JsonObject): string[] {
  return Object.entries(object).map(([key, value]) => {
    return `${formatJson(key)}:${formatJson(value ?? null)}`;
  });
}

/** @param opening of an object that has entries, and that stands once at the top of the text. */
function withEntries(text: string, opening: string, entries: readonly string[]): string {
  if (entries.length === 0) return text;
  const at = text.indexOf(opening) + opening.length;
  return `${text.slice(0, at)}${entries.join(',')},${text.slice(at)}`;
}
