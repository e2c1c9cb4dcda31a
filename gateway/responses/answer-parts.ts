/**
 * Answers in the form that a client asked for, as bytes, where those have to be made: a part at a time, since reading
 * and writing an object of some megabytes takes longer than others should wait.
 */
import type { Parts } from '../../api/json/json-parts.ts';
import { objectAt, type JsonObject } from '../../api/json/json.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import { writtenKubeObject } from '../../api/meta/object-meta.ts';
import type { ObjectAnswer, ValueAnswer } from '../../actors/request/answer.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import { tableFor } from '../../projections/table/table.ts';
import {
  encodedInParts,
  includedIn,
  metaApiVersion,
  PARTIAL_TYPE,
  partialObject,
  servedInParts,
  STATUS_TYPE,
  storedInParts,
  tableOf,
} from './object-form.ts';
import { storedProtobufInParts } from './stored-protobuf.ts';

/** A stored object. @param now milliseconds since 1970: what ages in tables count from. */
export function* objectParts(
  { served, object }: Pick<ObjectAnswer, 'served' | 'object'>,
  media: AcceptedMedia,
  now: number,
): Parts<Buffer> {
  if (media.transform === 'Table') {
    return yield* tableParts(served, yield* storedInParts(object), { media, now });
  }
  if (media.transform === 'none' && media.type === 'protobuf') {
    return yield* storedProtobufInParts(served, object);
  }
  return yield* formedInParts(yield* servedInParts(served, object), served.facts.typeId, media);
}

/** What is not stored: a review, a scale, what a dry run would have written. @param now as in {@link objectParts}. */
export function* valueParts(
  { typeId, served, printedAs, value }: ValueAnswer,
  media: AcceptedMedia,
  now: number,
): Parts<Buffer> {
  if (printedAs !== undefined && media.transform === 'Table') {
    const listMeta = tableMetaOf(value);
    const apiVersion = metaApiVersion(media);
    const options = { includeObject: includedIn(media), now, apiVersion, listMeta };
    return yield* encodedInParts(tableFor(printedAs, [value], options), '', media);
  }
  const isWhole = typeId === STATUS_TYPE || (served === undefined && printedAs === undefined);
  if (isWhole) return yield* encodedInParts(value, typeId, media);
  if (served === undefined || media.transform !== 'Table') {
    return yield* formedInParts(value, typeId, media);
  }
  const stored = served.conversion?.toStorage(writtenKubeObject(value)) ?? value;
  return yield* tableParts(served, stored, { media, now });
}

/** A table of one row. @param stored in its storage version. */
function tableParts(
  served: ServedResource,
  stored: JsonObject,
  { media, now }: { readonly media: AcceptedMedia; readonly now: number },
): Parts<Buffer> {
  const listMeta = tableMetaOf(stored);
  return encodedInParts(tableOf(served, [stored], media, { now, listMeta }), '', media);
}

function tableMetaOf(object: JsonObject): JsonObject {
  const resourceVersion = objectAt(object, 'metadata')?.['resourceVersion'];
  return resourceVersion === undefined ? {} : { resourceVersion };
}

/** A value whole, or only its metadata. */
function formedInParts(value: JsonObject, typeId: string, media: AcceptedMedia): Parts<Buffer> {
  return media.transform === 'none'
    ? encodedInParts(value, typeId, media)
    : encodedInParts(partialObject(value, media), PARTIAL_TYPE, media);
}
