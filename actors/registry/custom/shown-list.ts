/**
 * The objects of a long list of custom resources, each shown when it is written. To know whether an object is shown as it
 * lies, its bytes have to be read; those of a million are gigabytes, and all of a turn.
 */
import type { CustomServing } from '../../../api/kinds/custom-serving.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { othersTurn } from '../../../api/meta/others-turn.ts';
import type { StringMap } from '../../../api/meta/object-meta.ts';
import { storedJson } from '../../../api/kinds/custom/stored-form.ts';
import type { ListedObjects, ObjectsInParts } from '../../../projections/list/listed-objects.ts';
import { withResourceVersion } from '../../../projections/objects/served-bytes.ts';
import {
  parsedObject,
  passingJson,
  sizeOf,
  type MadeInPassing,
  type Passing,
} from '../../../projections/objects/stored-object.ts';
import type { StoredObject } from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { SHOWN_FORMS } from './shown-forms.ts';
import { shownAtOnce, shownObjects, type Shown } from './shown-objects.ts';

/** Fewer are shown at once, as a list of them is small. */
const AT_ONCE_MAX = 1_024;
const PART = 512;

/** The objects of a list as they are shown, of which many are read when they are written, or some in each turn where a webhook is asked. */
export function shownList(
  served: Pick<ServedResource, 'custom'>,
  items: ListedObjects,
): Shown | { readonly ok: true; readonly objects: ListedObjects } {
  const { custom } = served;
  if (custom === undefined) return { ok: true, objects: items };
  if (items.length <= AT_ONCE_MAX) return shownObjects(served, [...items]);
  if (custom.asksWebhook) return shownInTurns(served, items);
  return { ok: true, objects: new ShownLater(served, custom, items) };
}

async function shownInTurns(
  served: Pick<ServedResource, 'custom'>,
  items: ListedObjects,
): Promise<Awaited<Shown>> {
  const objects: StoredObject[] = [];
  for (const part of partsOf(items, AT_ONCE_MAX)) {
    const shown = await shownObjects(served, part);
    if (!shown.ok) return shown;
    for (const one of shown.objects) objects.push(one);
    await othersTurn();
  }
  return { ok: true, objects };
}

class ShownLater implements ObjectsInParts {
  readonly length: number;
  readonly #items: ListedObjects;
  readonly #show: (stored: StoredObject) => StoredObject;

  constructor(served: Pick<ServedResource, 'custom'>, custom: CustomServing, items: ListedObjects) {
    this.length = items.length;
    this.#items = items;
    this.#show = (stored) => new ShownWhenRead(served, custom, stored);
  }

  get parts(): Iterable<readonly StoredObject[]> {
    return this.#parts();
  }

  *#parts(): Generator<readonly StoredObject[]> {
    for (const part of partsOf(this.#items, PART)) yield part.map(this.#show);
  }

  *[Symbol.iterator](): Generator<StoredObject> {
    for (const one of this.#items) yield this.#show(one);
  }

  at(index: number): StoredObject | undefined {
    const one = this.#items.at(index);
    return one && this.#show(one);
  }
}

function* partsOf(items: ListedObjects, max: number): Generator<readonly StoredObject[]> {
  let part: StoredObject[] = [];
  for (const one of items) {
    part.push(one);
    if (part.length < max) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

class ShownWhenRead implements StoredObject, MadeInPassing {
  readonly resource: string;
  readonly path: string;
  readonly resourceVersion: ResourceVersion;
  readonly isRestated = true;
  /** It is not known without reading it. */
  readonly isMade = false;
  readonly #served: Pick<ServedResource, 'custom'>;
  readonly #custom: CustomServing;
  readonly #stored: StoredObject;

  constructor(served: Pick<ServedResource, 'custom'>, custom: CustomServing, stored: StoredObject) {
    this.#served = served;
    this.#custom = custom;
    this.#stored = stored;
    this.resource = stored.resource;
    this.path = stored.path;
    this.resourceVersion = stored.resourceVersion;
  }

  get labels(): StringMap | undefined {
    return this.#stored.labels;
  }

  get sizeBytes(): number {
    return sizeOf(this.#stored);
  }

  get json(): Buffer {
    return this.#shown().json;
  }

  passingJson(passing: Passing): Buffer {
    if (passing.mayKeep) return this.#shown().json;
    const kept = SHOWN_FORMS.of(this.#custom, this.#stored);
    if (kept !== undefined && kept !== this.#stored) return kept.json;
    const { resource, path, resourceVersion } = this;
    const json = passingJson(this.#stored, passing);
    if (kept !== undefined || this.#custom.isShownAsStored({ resourceVersion, json })) return json;
    const read = parsedObject({ resource, path, json });
    if (this.#custom.isShownAsRead({ resourceVersion, json }, read)) {
      // To know that takes no memory for bytes, and the next list need not read it.
      SHOWN_FORMS.keep(this.#custom, this.#stored, this.#stored);
      return json;
    }
    const converted = this.#custom.toServed([read], 0);
    if (converted instanceof Promise) throw new Error(`${path} cannot be shown at once`);
    if (!converted.ok) throw new Error(converted.message);
    const [value] = converted.objects;
    return value === undefined ? json : withResourceVersion(storedJson(value), resourceVersion);
  }

  #shown(): StoredObject {
    const shown = shownAtOnce(this.#served, this.#stored);
    if (shown === undefined) throw new Error(`${this.path} cannot be shown at once`);
    if ('message' in shown) throw new Error(shown.message);
    return shown;
  }
}
