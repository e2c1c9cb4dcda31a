/**
 * The context in which a custom resource is written. A writer sees objects in the version of the
 * request and leaves them in it; what goes to the log is converted on the way, and so is what is
 * read from it. A conversion that takes a webhook is waited for before an attempt and behind it, so
 * the attempt itself decides at once, as ever.
 *
 * A new object depends on its definition: it takes effect only if that is still there, and not about
 * to go. So nothing is left behind by the deletion of a definition with all its objects.
 */
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import {
  forbidden,
  pageNotFound,
  unclassifiedFailure,
  type Status,
} from '../../../api/meta/status.ts';
import type { Converted, CustomServing } from '../../../api/kinds/custom-serving.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { isSameState, parsedObject } from '../../../projections/objects/stored-object.ts';
import { nameOf, type StoredObject } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { DEFINITIONS } from '../../served-resources/custom-definitions.ts';
import { storedJson } from '../../../api/kinds/custom/stored-form.ts';
import type { Change } from '../commit/change.ts';
import { restated, shownAlready, shownObjects, type ShownNow } from './shown-objects.ts';
import type { LoggedForm, ObjectKey, WriteConversion, WriteContext } from '../write-context.ts';

/** @returns the context itself for all but custom resources. */
export function customContext<Context extends WriteContext>(
  context: Context,
  served: ServedResource,
): Context {
  const { custom, definition } = served;
  if (custom === undefined) return context;
  const stored = context.objects;
  const objects: ObjectReads = {
    get(resource, path) {
      const object = stored.get(resource, path);
      if (object === undefined || resource !== definition.storage) return object;
      return shownOf(served, object);
    },
  };
  return { ...context, objects, conversion: new Conversions(served, custom, stored) };
}

/** @throws Error when the conversion was not waited for. */
function shownOf(served: ServedResource, object: StoredObject): StoredObject {
  const already = shownAlready(served, object);
  if (already !== undefined) return already;
  const shown = shownObjects(served, [object]);
  if (shown instanceof Promise) throw new Error(`${object.path} was not converted beforehand`);
  if (!shown.ok) throw new Error(shown.message);
  return shown.objects[0] ?? object;
}

class Conversions implements WriteConversion {
  readonly #served: ServedResource;
  readonly #custom: CustomServing;
  readonly #stored: ObjectReads;

  constructor(served: ServedResource, custom: CustomServing, stored: ObjectReads) {
    this.#served = served;
    this.#custom = custom;
    this.#stored = stored;
  }

  ready({ resource, path }: ObjectKey): Status | undefined | Promise<Status | undefined> {
    const object = this.#stored.get(resource, path);
    if (object === undefined || shownAlready(this.#served, object) !== undefined) return undefined;
    const shown = shownObjects(this.#served, [object]);
    return shown instanceof Promise ? shown.then(problemOf) : problemOf(shown);
  }

  toLog(change: Change): LoggedForm | Promise<LoggedForm> {
    const required = change.type === 'added' ? this.#onDefinition(change) : change;
    if ('code' in required) return { kind: 'refused', status: required };
    if (this.#custom.storedApiVersion === this.#served.apiVersion) {
      return this.#unlessSame(required, (object) => object);
    }
    const read = (): KubeObject => parsedObject(change);
    const shown = (object: StoredObject): StoredObject => restated(object, read());
    const converted = this.#custom.toStored(read());
    const go = (done: Converted): LoggedForm => {
      if (!done.ok) return { kind: 'refused', status: unclassifiedFailure(done.message) };
      const [object] = done.objects;
      if (object === undefined) throw new Error(`${change.path} was lost in its conversion`);
      const json = storedJson(object);
      const { labels = {} } = object.metadata; // Which a webhook that converts may change.
      return this.#unlessSame({ ...required, json, labels }, shown);
    };
    return converted instanceof Promise ? converted.then(go) : go(converted);
  }

  /** The same object written again changes nothing; in a new form it does. */
  #unlessSame(change: Change, shown: (object: StoredObject) => StoredObject): LoggedForm {
    const stored = this.#stored.get(change.resource, change.path);
    const isSame =
      change.type === 'modified' && stored !== undefined && isSameState(stored, change.json);
    if (!isSame) return { kind: 'change', change, shown };
    return { kind: 'same', object: shownOf(this.#served, stored) };
  }

  /** A new object as it depends on its definition, or why there can be none. */
  #onDefinition(change: Change): Change | Status {
    const { path, resourceVersion: version, isTerminating } = this.#custom.definition();
    if (version === undefined) return pageNotFound();
    if (isTerminating) {
      const { group, resource } = this.#served.facts;
      const why = 'create not allowed while custom resource definition is terminating';
      return forbidden({ group, resource }, nameOf(change.path), why);
    }
    const requirement = { resource: DEFINITIONS, path, resourceVersion: resourceVersion(version) };
    return { ...change, requires: [...change.requires, requirement] };
  }
}

function problemOf(shown: ShownNow): Status | undefined {
  return shown.ok ? undefined : unclassifiedFailure(shown.message);
}
