/**
 * One served version of a CustomResourceDefinition as a resource like all others. What takes the
 * schema is compiled when it is first asked for.
 *
 * The surprise is that each version has rules and a canonical form of its own: a custom resource is
 * checked in the version in which it is sent, and only then converted to the one that is written.
 */
import { isJsonObject, type JsonObject } from '../../api/json/json.ts';
import { writtenKubeObject, type KubeObject } from '../../api/meta/object-meta.ts';
import { compileJsonPath } from '../../api/json-path/json-path.ts';
import { formatGoValue } from '../../api/json/go-format.ts';
import { setOwn } from '../../api/json/own-property.ts';
import { mapItems, remembered } from '../../api/json/work-in-slices.ts';
import { andThen } from '../../api/meta/maybe-promise.ts';
import type {
  Conversion,
  Converted,
  CurrentDefinition,
  CustomServing,
  LoggedBytes,
} from '../../api/kinds/custom-serving.ts';
import type { FieldsOf, ServedResource } from '../../api/kinds/resource-definition.ts';
import type { TypedCodec } from '../../api/scheme/typed-json.ts';
import { pathOf } from '../../streams/event.ts';
import { doneInSlices } from '../request/large-work.ts';
import type { CompiledDefinition } from '../../api/kinds/custom/compiled-definitions.ts';
import { customFacts } from '../../api/kinds/custom/custom-facts.ts';
import { customScale } from '../../api/kinds/custom/custom-scale.ts';
import { customStrategy } from '../../api/kinds/custom/custom-strategy.ts';
import type {
  DefinitionSummary,
  VersionSummary,
} from '../../api/kinds/custom/definition-summary.ts';
import { storedFormCodec } from '../../api/kinds/custom/stored-form.ts';
import type { VersionSchema } from '../../api/kinds/custom/version-schema.ts';

export interface CustomResourceParts {
  readonly summary: DefinitionSummary;
  readonly version: VersionSummary;
  /** `stable.example.com/crontabs`. */
  readonly storage: string;
  /** What was written later has the form that the definition gives to it now. */
  readonly since: number;
  /** The definition as it is now; undefined: it is gone. */
  readonly current: () => DefinitionSummary | undefined;
  readonly compiled: () => CompiledDefinition;
  /** All versions that are served. */
  readonly versions: () => readonly ServedResource[];
  /** The others, to which objects are converted for their field managers. */
  readonly unserved: () => readonly ServedResource[];
}

export function customResource(parts: CustomResourceParts): ServedResource {
  const { summary, version, storage } = parts;
  const { group, names, namespaced } = summary;
  const apiVersion = `${group}/${version.name}`;
  const schema = (): VersionSchema => schemaOf(parts, version.name);
  const scale = version.scale === undefined ? undefined : customScale(version.scale);
  const facts = customFacts(summary, version);
  const codec: TypedCodec = {
    decode: (value, options) => schema().codec.decode(value, options),
  };
  const rules = { kind: names.kind, apiVersion, hasStatus: version.hasStatus, scale, schema };
  const custom = new Serving(parts, apiVersion, scale);
  const fieldsOf = selectedFields(version.selectableFields, custom);
  return {
    facts,
    apiVersion,
    definition: {
      storage,
      namespaced,
      strategy: customStrategy(rules),
      storageFacts: facts,
      codec: storedFormCodec,
      versions: parts.versions,
      unserved: parts.unserved,
    },
    codec,
    mergeType: () => schema().mergeType(),
    conversion: undefined,
    setDefaults: (object) => {
      schema().setDefaults(object);
    },
    fields: fieldsOf,
    selectableFields: version.selectableFields.map(withoutDot),
    deprecation: version.warning,
    custom,
  };
}

/** @throws Error when the definition has no such version, which it was looked up by. */
function schemaOf({ summary, compiled }: CustomResourceParts, version: string): VersionSchema {
  const schema = compiled().schema(version);
  if (schema === undefined) throw new Error(`${summary.name} has no version ${version}`);
  return schema;
}

class Serving implements CustomServing {
  readonly scale: CustomServing['scale'];
  readonly storedApiVersion: string;
  readonly #parts: CustomResourceParts;
  readonly #apiVersion: string;
  readonly #head: Buffer;
  /** undefined: nothing has asked yet. */
  #isWhole: boolean | undefined;

  constructor(parts: CustomResourceParts, apiVersion: string, scale: CustomServing['scale']) {
    const { summary } = parts;
    this.#parts = parts;
    this.#apiVersion = apiVersion;
    this.#head = Buffer.from(`{"apiVersion":${JSON.stringify(apiVersion)},`);
    this.scale = scale;
    this.storedApiVersion = `${summary.group}/${summary.storageVersion}`;
  }

  get columns(): CustomServing['columns'] {
    return schemaOf(this.#parts, this.#parts.version.name).columns;
  }

  get asksWebhook(): boolean {
    return !this.#parts.compiled().converter.isLocal;
  }

  definition(): CurrentDefinition {
    const { summary, current } = this.#parts;
    const now = current();
    const isSame = now?.uid === summary.uid;
    return {
      path: pathOf('', summary.name),
      resourceVersion: isSame ? now.resourceVersion : undefined,
      isTerminating: now?.isTerminating === true,
    };
  }

  isShownAsStored(stored: LoggedBytes): boolean {
    return this.#isOwnForm(stored) && this.#isWholeAsStored();
  }

  isShownAsRead(stored: LoggedBytes, read: KubeObject): boolean {
    if (!this.#isOwnForm(stored)) return false;
    return schemaOf(this.#parts, this.#parts.version.name).hasDefaults(read);
  }

  /** Whether it was written in this version, by the definition as it is now. */
  #isOwnForm({ resourceVersion, json }: LoggedBytes): boolean {
    return (
      resourceVersion > this.#parts.since && json.subarray(0, this.#head.length).equals(this.#head)
    );
  }

  #isWholeAsStored(): boolean {
    this.#isWhole ??= this.#parts.compiled().isWholeAsStored(this.#parts.version.name);
    return this.#isWhole;
  }

  toServed(objects: readonly KubeObject[], sizeBytes: number): Conversion {
    const read = doneInSlices(sizeBytes, () => mapItems(objects, (object) => this.#asRead(object)));
    return andThen(read, (them) => this.#converted(them, this.#apiVersion, sizeBytes));
  }

  toStored(object: KubeObject, sizeBytes: number): Conversion {
    return this.#converted([object], this.storedApiVersion, sizeBytes);
  }

  toManaged(object: KubeObject): Conversion {
    if (object.apiVersion === this.#apiVersion) return { ok: true, objects: [object] };
    return this.#parts.compiled().converter.convert([object], this.#apiVersion);
  }

  asFarAsPossible(object: KubeObject): KubeObject {
    const read = this.#asRead(object);
    const { converter } = this.#parts.compiled();
    if (!converter.isLocal || read.apiVersion === this.#apiVersion) return read;
    const converted = this.toServed([read], 0);
    return converted instanceof Promise || !converted.ok ? read : (converted.objects[0] ?? read);
  }

  /** What lies in the log, pruned and defaulted by the schema of its own version. */
  #asRead(object: KubeObject): KubeObject {
    const schema = this.#parts.compiled().schema(versionOf(object.apiVersion));
    // A version that the definition has no more is converted as it lies.
    if (schema === undefined) return object;
    const read = remembered(() => writtenKubeObject(schema.readStored(object))); // As it was one before.
    schema.setDefaults(read);
    return read;
  }

  #converted(objects: readonly KubeObject[], apiVersion: string, sizeBytes: number): Conversion {
    if (objects.every((object) => object.apiVersion === apiVersion)) return { ok: true, objects };
    const converted = this.#parts.compiled().converter.convert(objects, apiVersion);
    return andThen(converted, (done) => this.#shaped(done, apiVersion, sizeBytes));
  }

  /** What came of a conversion, pruned by the schema of the version that it was converted to. */
  #shaped(converted: Converted, apiVersion: string, sizeBytes: number): Conversion {
    if (!converted.ok) return converted;
    const schema = this.#parts.compiled().schema(versionOf(apiVersion));
    if (schema === undefined) return converted;
    const shaped = doneInSlices(sizeBytes, () =>
      mapItems(converted.objects, (object) => shapedBy(schema, object)),
    );
    return andThen(shaped, (objects) => ({ ok: true, objects }));
  }
}

/** An object that is odd is shown as it is: what cannot be read could never be mended. */
function shapedBy({ codec }: VersionSchema, object: KubeObject): KubeObject {
  const decoded = codec.decode(object);
  return decoded.ok ? writtenKubeObject(decoded.value) : object; // As it was one before.
}

/** `v1` of `stable.example.com/v1`. */
function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** `spec.color` of `.spec.color`: what stands in a field selector. */
function withoutDot(jsonPath: string): string {
  return jsonPath.replace(/^\./, '');
}

/** undefined: none can be selected by. */
function selectedFields(jsonPaths: readonly string[], custom: CustomServing): FieldsOf | undefined {
  if (jsonPaths.length === 0) return undefined;
  const finders = jsonPaths.map((jsonPath) => {
    return { name: withoutDot(jsonPath), find: compileJsonPath(jsonPath) };
  });
  return (stored: JsonObject) => {
    const object = custom.asFarAsPossible(writtenKubeObject(stored)); // Written by this server.
    const fields: Record<string, string> = {};
    for (const { name, find } of finders) {
      const value = find?.(object)?.[0];
      const isScalar = value !== undefined && value !== null && !isJsonObject(value);
      setOwn(fields, name, isScalar ? formatGoValue(value) : '');
    }
    return fields;
  };
}
