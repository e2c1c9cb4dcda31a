/**
 * Stored objects as a version of their custom resource shows them: converted, pruned and defaulted.
 * From here on they are stored objects like all others, so that code that writes or prints them need
 * not know that they lie in the log in another form. What is shown as it lies is handed on as it is.
 *
 * In Kubernetes: the storage codec of crdConversionRESTOptionsGetter.
 */
import type { KubeObject, StringMap } from '../../../api/meta/object-meta.ts';
import type { Converted, CustomServing } from '../../../api/kinds/custom-serving.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { storedJson } from '../../../api/kinds/custom/stored-form.ts';

/** Not at once where a webhook has to be asked. */
export type Shown = ShownNow | Promise<ShownNow>;

/** The objects as they are shown, in the order in which they were given. */
export type ShownNow =
  | { readonly ok: true; readonly objects: readonly StoredObject[] }
  /** In words for the client, which is answered 500. */
  | { readonly ok: false; readonly message: string };

/** What was shown of a stored object, as long as that is in memory; both never change. */
const shownBefore = new WeakMap<CustomServing, WeakMap<StoredObject, StoredObject>>();

export function shownObjects(
  { custom }: Pick<ServedResource, 'custom'>,
  objects: readonly StoredObject[],
): Shown {
  if (custom === undefined) return { ok: true, objects };
  const known = knownOf(custom);
  const others = objects.filter((one) => !custom.isShownAsStored(one) && !known.has(one));
  if (others.length > 0) {
    // Written by a server like this one.
    const converted = custom.toServed(others.map((one) => parsedObject(one)));
    if (converted instanceof Promise) {
      return converted.then((done) => remembered(done, { known, objects, others }));
    }
    return remembered(converted, { known, objects, others });
  }
  return { ok: true, objects: objects.map((one) => known.get(one) ?? one) };
}

/** One object, where there is one; undefined: it has to be waited for. */
export function shownAlready(
  { custom }: Pick<ServedResource, 'custom'>,
  object: StoredObject,
): StoredObject | undefined {
  if (custom === undefined || object.isRestated === true) return object;
  return custom.isShownAsStored(object) ? object : knownOf(custom).get(object);
}

/** The object that was written, in the form in which it is shown; `json` is without its version. */
export function restated(object: StoredObject, value: KubeObject): StoredObject {
  return new RestatedObject(object, value);
}

interface Asked {
  readonly known: WeakMap<StoredObject, StoredObject>;
  readonly objects: readonly StoredObject[];
  /** Those that were converted. */
  readonly others: readonly StoredObject[];
}

function remembered(converted: Converted, { known, objects, others }: Asked): ShownNow {
  if (!converted.ok) return converted;
  for (const [index, stored] of others.entries()) {
    const value = converted.objects[index];
    if (value !== undefined) known.set(stored, asStoredOr(stored, value));
  }
  return { ok: true, objects: objects.map((one) => known.get(one) ?? one) };
}

/** Mostly nothing was to be done, and then nothing more is kept. */
function asStoredOr(stored: StoredObject, value: KubeObject): StoredObject {
  const shown = new RestatedObject(stored, value);
  return shown.json.equals(stored.json) ? stored : shown;
}

function knownOf(custom: CustomServing): WeakMap<StoredObject, StoredObject> {
  let known = shownBefore.get(custom);
  if (known === undefined) {
    known = new WeakMap();
    shownBefore.set(custom, known);
  }
  return known;
}

class RestatedObject implements StoredObject {
  readonly resource: string;
  readonly path: string;
  readonly resourceVersion: ResourceVersion;
  readonly labels: StringMap | undefined;
  readonly json: Buffer;
  readonly isRestated = true;

  constructor(stored: StoredObject, value: KubeObject) {
    const { resource, path, resourceVersion, labels } = stored;
    this.resource = resource;
    this.path = path;
    this.resourceVersion = resourceVersion;
    this.labels = labels;
    this.json = storedJson(value, resourceVersion);
  }
}
