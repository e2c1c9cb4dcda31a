/**
 * What is filled in of a default: what the schema knows of it, and within the metadata of an embedded object what
 * metadata has, whatever the schema says of it.
 *
 * In Kubernetes: PruneDefaults, apiextensions-apiserver/pkg/apiserver/schema/defaulting/prune.go.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { ownValue } from '../json/own-property.ts';
import { readWhatCanBe } from './embedded-metadata.ts';
import { compileShape, newShapeRun } from './shape-object.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** A place within metadata of an embedded object. */
export interface MetadataPlace {
  /** The metadata, with the value at this place and nothing beside it. */
  readonly around: (value: JsonValue) => JsonValue;
  /** What is at this place. */
  readonly within: (metadata: JsonObject) => JsonValue | undefined;
}

/** Metadata as a whole. */
const WHOLE: MetadataPlace = { around: (value) => value, within: (metadata) => metadata };

/** Where a field is: within metadata, where its object is, or is metadata itself; undefined: elsewhere. */
export function placeOfField(
  { extensions }: StructuralSchema,
  name: string,
  place: MetadataPlace | undefined,
): MetadataPlace | undefined {
  if (extensions.embeddedResource) return name === 'metadata' ? WHOLE : undefined;
  return (
    place && {
      around: (value) => place.around({ [name]: value }),
      within: (metadata) => {
        const object = place.within(metadata);
        return isJsonObject(object) ? ownValue(object, name) : undefined;
      },
    }
  );
}

/** Where the items of a list are. */
export function placeOfItems(place: MetadataPlace | undefined): MetadataPlace | undefined {
  return (
    place && {
      around: (value) => place.around([value]),
      within: (metadata) => {
        const list = place.within(metadata);
        return Array.isArray(list) ? list[0] : undefined;
      },
    }
  );
}

/** @returns undefined where nothing of it is left. */
export function shapedDefault(
  schema: StructuralSchema,
  place: MetadataPlace | undefined,
): JsonValue | undefined {
  const value = schema.default ?? null;
  if (place === undefined) {
    const run = newShapeRun({ lenient: true, keepsNull: true });
    return compileShape(schema)(value, run) ?? null;
  }
  const metadata = readWhatCanBe(place.around(value));
  return metadata === undefined ? undefined : place.within(metadata);
}
