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
  return andThen(whole(sizeBytes, readAll(custom, others)), ({ stored, read }): Shown => {
    if (stored.length === 0) return asShown();
    return andThen(custom.toServed(read, sizeBytes), (done): Shown => {
      if (!done.ok) return done;
      return andThen(whole(sizeBytes, restated(stored, done.objects)), (forms) => {
        for (const [index, form] of forms.entries()) {
          const one = stored[index];
          if (one === undefined) continue;
          SHOWN_FORMS.keep(custom, one, form);
          shown.set(one, form);
        }
        return asShown();
      });
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
  const { resource, path, resourceVersion, json } = object;
  const read = parsedObject({ resource, path, json });
  if (custom.isShownAsRead({ resourceVersion, json }, read)) {
    SHOWN_FORMS.keep(custom, object, object);
    return object;
  }
  const converted = custom.toServed([read], 0);
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

/** The object that was written in the version that is stored, and so is whole: readers need not look at it to know that. */
export function shownAsItLies(custom: CustomServing, object: StoredObject): StoredObject {
  if (!custom.isShownAsStored(object)) SHOWN_FORMS.keep(custom, object, object);
  return object;
}

/** {@link storedJson}, of a large object in turns. */
export function storedBytes(object: KubeObject, sizeBytes: number): MaybePromise<Buffer> {
  return sizeBytes < LARGE_BYTES ? storedJson(object) : inSlices(storedInParts(object));
}

function* storedInParts(object: KubeObject): Parts<Buffer> {
  return yield* formatJsonInParts(yield* slicesOf(() => storedForm(object)));
}

/** Objects that are to be converted, and what was read of each. */
interface ReadObjects {
  readonly stored: StoredObject[];
  readonly read: KubeObject[];
}

/** Small objects are read many at a time. What is seen to be shown as it lies is kept, and left out. */
function* readAll(custom: CustomServing, objects: readonly StoredObject[]): Parts<ReadObjects> {
  const others: ReadObjects = { stored: [], read: [] };
  let bytes = 0;
  for (const object of objects) {
    const { resource, path, resourceVersion, json } = object;
    const isLarge = json.length >= PART_BYTES;
    const read = isLarge ? yield* parsedInParts(object) : parsedObject({ resource, path, json });
    if (!isLarge && custom.isShownAsRead({ resourceVersion, json }, read)) {
      SHOWN_FORMS.keep(custom, object, object);
    } else {
      others.stored.push(object);
      others.read.push(read);
    }
    bytes += json.length;
    if (bytes < PART_BYTES) continue;
    bytes = 0;
    yield;
  }
  return others;
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
