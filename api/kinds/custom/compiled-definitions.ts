/**
 * The compiled definitions of one control plane. A CustomResourceDefinition is read as it is
 * stored, version by version, each when it is asked for. One that was not used for some minutes is
 * forgotten, and so is the one used longest ago when there are many: it is read from the definition
 * again when it is needed.
 *
 * In Kubernetes: getOrCreateServingInfoFor, apiextensions-apiserver/pkg/apiserver.
 */
import type { Clock } from '../../meta/clock.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from '../../generated/kinds/apiextensions-v1.ts';
import { items } from '../../json/go-values.ts';
import { formatJson } from '../../json/json-text.ts';
import {
  converterOf,
  type ConverterParts,
  type DefinitionConverter,
} from './definition-converter.ts';
import { compileVersion, type VersionParts, type VersionSchema } from './version-schema.ts';
import { undivided } from '../../json/work-in-slices.ts';
import type { PrinterColumn } from '../custom-serving.ts';

/** Everything of a definition that takes its schemas. */
export interface CompiledDefinition {
  /** Brings objects from one version into another. */
  readonly converter: DefinitionConverter;
  /** undefined: the definition has no such version. */
  schema(version: string): VersionSchema | undefined;
  /** Whether what was sent in any version that is served, and is stored in this one, has all defaults of this one. */
  isWholeAsStored(version: string): boolean;
}

interface CompiledDefinitionsParts {
  readonly clock: Clock;
  /** Reads a definition, as it is stored. */
  readonly compile: (definition: CustomResourceDefinition) => CompiledDefinition;
}

interface Entry {
  readonly compiled: CompiledDefinition;
  usedAt: number;
}

const COMPILED_MAX = 256;
const IDLE_MS = 10 * 60_000;
const SWEEP_MS = 60_000;

export class CompiledDefinitions {
  readonly #parts: CompiledDefinitionsParts;
  /** The one used longest ago stands first. */
  readonly #entries = new Map<string, Entry>();
  #isSweeping = false;

  constructor(parts: CompiledDefinitionsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#entries.size;
  }

  /**
   * @param key equal for two definitions if and only if their specs are.
   * @param definition reads the stored definition.
   */
  of(key: string, definition: () => CustomResourceDefinition): CompiledDefinition {
    const { clock, compile } = this.#parts;
    const found = this.#entries.get(key);
    const entry = found ?? { compiled: compile(definition()), usedAt: 0 };
    entry.usedAt = clock.now();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (found === undefined) this.#evictOldest();
    return entry.compiled;
  }

  #evictOldest(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= COMPILED_MAX) break;
      this.#entries.delete(key);
    }
    this.#sweepLater();
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#parts.clock.after(SWEEP_MS, () => {
      this.#isSweeping = false;
      const longAgo = this.#parts.clock.now() - IDLE_MS;
      for (const [key, { usedAt }] of this.#entries) {
        if (usedAt <= longAgo) this.#entries.delete(key);
      }
      if (this.#entries.size > 0) this.#sweepLater();
    });
  }
}

/** @param definition stored, and so valid. */
export function compileDefinition(
  { spec }: CustomResourceDefinition,
  { meters, ...parts }: ConverterParts & Pick<VersionParts, 'meters'>,
): CompiledDefinition {
  const compiled = new Map<string, VersionSchema>();
  const preserveUnknownFields = spec.preserveUnknownFields === true;
  const converter = converterOf(spec, parts);
  return {
    converter,
    isWholeAsStored: (name) => isWholeAsStored(items(spec.versions), name, converter),
    schema(name) {
      const known = compiled.get(name);
      if (known !== undefined) return known;
      const version = items(spec.versions).find((one) => one.name === name);
      if (version === undefined) return undefined;
      // It may be first asked for in the middle of work on a large object.
      const schema = undivided(() =>
        compileVersion({
          schema: version.schema?.openAPIV3Schema,
          columns: columnsOf(version),
          preserveUnknownFields,
          meters,
        }),
      );
      compiled.set(name, schema);
      return schema;
    },
  };
}

/** What is sent has the defaults of its own version, and gets no others before it is stored. */
function isWholeAsStored(
  versions: readonly CustomResourceDefinitionVersion[],
  name: string,
  { isLocal }: DefinitionConverter,
): boolean {
  const own = schemaText(versions.find((one) => one.name === name));
  // A property of that name is taken for one: then more is read than had to be.
  if (!own.includes('"default":')) return true;
  const others = versions.filter((one) => one.served && one.name !== name);
  return others.every((one) => isLocal && schemaText(one) === own);
}

function schemaText(version: CustomResourceDefinitionVersion | undefined): string {
  return formatJson(version?.schema?.openAPIV3Schema ?? {});
}

/** What a definition without columns of its own shows. */
const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  description: '',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
};

function columnsOf(version: CustomResourceDefinitionVersion): readonly PrinterColumn[] {
  const said = items(version.additionalPrinterColumns);
  return said.length === 0 ? [AGE] : said.map(columnOf);
}

function columnOf(column: CustomResourceColumnDefinition): PrinterColumn {
  const { name, type, format = '', description = '', priority = 0, jsonPath } = column;
  const generic = `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return { name, type, format, description: description || generic, priority, jsonPath };
}
