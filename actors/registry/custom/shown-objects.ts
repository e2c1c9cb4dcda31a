/**
 * Stored objects as a version of their custom resource shows them: converted, pruned and defaulted.
 * From here on they are stored objects like all others, so that code that writes or prints them need
 * not know that they lie in the log in another form. What is shown as it lies is handed on as it is.
 *
 * In Kubernetes: the storage codec of crdConversionRESTOptionsGetter.
 */
import { formatJsonInParts, slicesOf, type Parts } from '../../../api/json/json-parts.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject, StringMap } from '../../../api/meta/object-meta.ts';
import type { CustomServing } from '../../../api/kinds/custom-serving.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { withResourceVersion } from '../../../projections/objects/served-bytes.ts';
import { parsedInParts, parsedObject } from '../../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { storedForm, storedJson } from '../../../api/kinds/custom/stored-form.ts';
import { inSlices, LARGE_BYTES, whole } from '../../request/large-work.ts';
import { SHOWN_FORMS } from './shown-forms.ts';

/** So much of many objects is read or written in one turn of the event loop. */
const PART_BYTES = 64 * 1024;

/** Not at once where a webhook has to be asked, or where they are large. */
export type Shown = ShownNow | Promise<ShownNow>;

/** The objects as they are shown, in the order in which they were given. */
export type ShownNow =
  | { readonly ok: true; readonly objects: readonly StoredObject[] }
  /** In words for the client, which is answered 500. */
  | { readonly ok: false; readonly message: string };

export function shownObjects(
  { custom }: Pick<ServedResource, 'custom'>,
  objects: readonly StoredObject[],
): Shown {
  if (custom === undefined) return { ok: true, objects };
  // Held here until it is shown: what is kept for others may be let go of meanwhile.
  const shown = new Map<StoredObject, StoredObject>();
  const others = objects.filter((one) => {
    if (custom.isShownAsStored(one)) return false;
    const kept = SHOWN_FORMS.of(custom, one);
    if (kept !== undefined) shown.set(one, kept);
    return kept === undefined;
  });
  const asShown = (): ShownNow => ({
    ok: true,
    objects: objects.map((one) => shown.get(one) ?? one),
  });
  if (others.length === 0) return asShown();
  const sizeBytes = others.reduce((sum, { json }) => sum + json.length, 0);
  // Written by a server like this one.
  const converted = andThen(whole(sizeBytes, readAll(others)), (read) =>
    custom.toServed(read, sizeBytes),
  );
  return andThen(converted, (done): Shown => {
    if (!done.ok) return done;
    return andThen(whole(sizeBytes, restated(others, done.objects)), (forms) => {
      for (const [index, form] of forms.entries()) {
        const stored = others[index];
        if (stored === undefined) continue;
        SHOWN_FORMS.keep(custom, stored, form);
        shown.set(stored, form);
      }
      return asShown();
    });
  });
}

/** As {@link shownObjects}, of one, for callers that cannot wait; undefined: a webhook has to be asked. */
export function shownAtOnce(
  served: Pick<ServedResource, 'custom'>,
  object: StoredObject,
): StoredObject | { readonly message: string } | undefined {
  const already = shownAlready(served, object);
  const { custom } = served;
  if (already !== undefined || custom === undefined) return already;
  const converted = custom.toServed([parsedObject(object)], 0);
  if (converted instanceof Promise) return undefined;
  if (!converted.ok) return converted;
  const [value] = converted.objects;
  if (value === undefined) return object;
  const shown = asStoredOr(object, storedJson(value));
  SHOWN_FORMS.keep(custom, object, shown);
  return shown;
}

/** One object, where there is one; undefined: it has to be waited for. */
export function shownAlready(
  { custom }: Pick<ServedResource, 'custom'>,
  object: StoredObject,
): StoredObject | undefined {
  if (custom === undefined || object.isRestated === true) return object;
  return custom.isShownAsStored(object) ? object : SHOWN_FORMS.of(custom, object);
}

/**
 * The object that was written, as it is shown: what its writer is told is known to readers.
 *
 * @param json without its version.
 */
export function shownAsWritten(
  custom: CustomServing,
  object: StoredObject,
  json: Uint8Array,
): StoredObject {
  const shown = new RestatedObject(object, json);
  SHOWN_FORMS.keep(custom, object, shown);
  return shown;
}

/** {@link storedJson}, of a large object in turns. */
export function storedBytes(object: KubeObject, sizeBytes: number): MaybePromise<Buffer> {
  return sizeBytes < LARGE_BYTES ? storedJson(object) : inSlices(storedInParts(object));
}

function* storedInParts(object: KubeObject): Parts<Buffer> {
  return yield* formatJsonInParts(yield* slicesOf(() => storedForm(object)));
}

/** Small objects are read many at a time. */
function* readAll(objects: readonly StoredObject[]): Parts<KubeObject[]> {
  const read: KubeObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    const isLarge = object.json.length >= PART_BYTES;
    read.push(isLarge ? yield* parsedInParts(object) : parsedObject(object));
    bytes += object.json.length;
    if (bytes < PART_BYTES) continue;
    bytes = 0;
    yield;
  }
  return read;
}

/** As {@link asStoredOr}, of each; fewer where some were lost in their conversion. */
function* restated(
  objects: readonly StoredObject[],
  values: readonly KubeObject[],
): Parts<StoredObject[]> {
  const forms: StoredObject[] = [];
  let bytes = 0;
  for (const [index, stored] of objects.entries()) {
    const value = values[index];
    if (value === undefined) break;
    const isLarge = stored.json.length >= PART_BYTES;
    forms.push(asStoredOr(stored, isLarge ? yield* storedInParts(value) : storedJson(value)));
    bytes += stored.json.length;
    if (bytes < PART_BYTES) continue;
    bytes = 0;
    yield;
  }
  return forms;
}

/** Mostly nothing was to be done, and then nothing more is kept. */
function asStoredOr(stored: StoredObject, json: Buffer): StoredObject {
  const shown = new RestatedObject(stored, json);
  return shown.json.equals(stored.json) ? stored : shown;
}

class RestatedObject implements StoredObject {
  readonly resource: string;
  readonly path: string;
  readonly resourceVersion: ResourceVersion;
  readonly labels: StringMap | undefined;
  readonly json: Buffer;
  readonly isRestated = true;

  /** @param json without its version. */
  constructor(stored: StoredObject, json: Uint8Array) {
    const { resource, path, resourceVersion, labels } = stored;
    this.resource = resource;
    this.path = path;
    this.resourceVersion = resourceVersion;
    this.labels = labels;
    this.json = withResourceVersion(json, resourceVersion);
  }
}
