/**
 * The context in which a custom resource is written. A writer sees objects in the version of the
 * request and leaves them in it; what goes to the log is converted on the way, and so is what is
 * read from it. A conversion that takes a webhook is waited for before an attempt and behind it, so
 * the attempt itself decides at once, as ever.
 *
 * A new object depends on its definition: it takes effect only if that is still there, and not about
 * to go. So nothing is left behind by the deletion of a definition with all its objects.
 */
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { KubeObject, StringMap } from '../../../api/meta/object-meta.ts';
import {
  forbidden,
  pageNotFound,
  unclassifiedFailure,
  type Status,
} from '../../../api/meta/status.ts';
import type { CustomServing } from '../../../api/kinds/custom-serving.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { isSameState } from '../../../projections/objects/served-bytes.ts';
import type { WrittenObject } from '../../../projections/objects/written-object.ts';
import { nameOf, type StoredObject } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { DEFINITIONS } from '../../served-resources/custom-definitions.ts';
import type { Change } from '../commit/change.ts';
import { readStored } from '../stages/stored-object.ts';
import {
  shownAlready,
  shownAsItLies,
  shownAsWritten,
  shownAtOnce,
  shownObjects,
  storedBytes,
} from './shown-objects.ts';
import type { LoggedForm, ObjectKey, WriteConversion, WriteContext } from '../write-context.ts';

/** @returns the context itself for all but custom resources. */
export function customContext<Context extends WriteContext>(
  context: Context,
  served: ServedResource,
): Context {
  const { custom, definition } = served;
  if (custom === undefined) return context;
  const stored = context.objects;
  const conversion = new Conversions(served, custom, stored);
  const objects: ObjectReads = {
    get(resource, path) {
      const object = stored.get(resource, path);
      if (object === undefined || resource !== definition.storage) return object;
      return conversion.shownOf(object);
    },
  };
  return { ...context, objects, conversion };
}

class Conversions implements WriteConversion {
  readonly #served: ServedResource;
  readonly #custom: CustomServing;
  readonly #objects: ObjectReads;
  /** What was waited for, as nothing else may keep it until the write is done. */
  readonly #shown = new WeakMap<StoredObject, StoredObject>();

  constructor(served: ServedResource, custom: CustomServing, stored: ObjectReads) {
    this.#served = served;
    this.#custom = custom;
    this.#objects = stored;
  }

  ready({ resource, path }: ObjectKey): Status | undefined | Promise<Status | undefined> {
    const object = this.#objects.get(resource, path);
    if (object === undefined || this.#shown.has(object)) return undefined;
    const already = shownAlready(this.#served, object);
    if (already !== undefined) {
      this.#remember(object, already);
      return undefined;
    }
    return andThen(shownObjects(this.#served, [object]), (shown): Status | undefined => {
      if (!shown.ok) return unclassifiedFailure(shown.message);
      this.#remember(object, shown.objects[0] ?? object);
      return undefined;
    });
  }

  /** @throws Error when the conversion was not waited for. */
  shownOf(object: StoredObject): StoredObject {
    const shown = this.#shown.get(object) ?? shownAtOnce(this.#served, object);
    if (shown === undefined) throw new Error(`${object.path} was not converted beforehand`);
    if ('message' in shown) throw new Error(shown.message);
    return shown;
  }

  #remember(object: StoredObject, shown: StoredObject): void {
    // What is shown as it is stored is known at any time.
    if (shown !== object) this.#shown.set(object, shown);
  }

  toLog(change: Change): LoggedForm | Promise<LoggedForm> {
    const required = change.type === 'added' ? this.#onDefinition(change) : change;
    if ('code' in required) return { kind: 'refused', status: required };
    if (!this.#isConverted) {
      return this.#unlessSame(required, (object) => shownAsItLies(this.#custom, object));
    }
    return andThen(this.#stored(change), (forms): LoggedForm => {
      if ('message' in forms) return refused(forms);
      const { json, labels, shown } = forms;
      const shownOfWritten = (object: StoredObject): StoredObject =>
        shownAsWritten(this.#custom, object, shown);
      return this.#unlessSame({ ...required, json, labels }, shownOfWritten);
    });
  }

  unwritten(object: WrittenObject & { readonly json: Buffer }): MaybePromise<Buffer | Status> {
    if (!this.#isConverted) return object.json;
    return andThen(this.#stored(object), (forms) =>
      'message' in forms ? unclassifiedFailure(forms.message) : forms.shown,
    );
  }

  get #isConverted(): boolean {
    return this.#custom.storedApiVersion !== this.#served.apiVersion;
  }

  /**
   * Converted, and back: a conversion may lose or change what was sent, and its client is shown what
   * readers will see.
   *
   * In Kubernetes: the store encodes what it writes and decodes what it has written.
   */
  #stored(object: WrittenObject): MaybePromise<Forms | Failed> {
    const custom = this.#custom;
    const sizeBytes = object.json.length;
    const converted = andThen(readStored(object), (read) => custom.toStored(read, sizeBytes));
    return andThen(converted, (there): MaybePromise<Forms | Failed> => {
      if (!there.ok) return there;
      const value = onlyOne(there.objects, object);
      const { labels = {} } = value.metadata; // Which a webhook that converts may change.
      return andThen(storedBytes(value, sizeBytes), (json) =>
        andThen(custom.toServed([value], sizeBytes), (back): MaybePromise<Forms | Failed> => {
          if (!back.ok) return back;
          const shown = storedBytes(onlyOne(back.objects, object), sizeBytes);
          return andThen(shown, (bytes) => ({ json, labels, shown: bytes }));
        }),
      );
    });
  }

  /** The same object written again changes nothing; in a new form it does. */
  #unlessSame(change: Change, shown: (object: StoredObject) => StoredObject): LoggedForm {
    const stored = this.#objects.get(change.resource, change.path);
    const isSame =
      change.type === 'modified' &&
      // What another client has written meanwhile was not converted, and the log refuses this change.
      stored?.resourceVersion === change.previousResourceVersion &&
      isSameState(stored, change.json);
    if (!isSame) return { kind: 'change', change, shown };
    return { kind: 'same', object: this.shownOf(stored) };
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

/** What a write is in both versions. */
interface Forms {
  /** As it is stored. */
  readonly json: Buffer;
  /** Of the object that is stored. */
  readonly labels: StringMap;
  /** As the version of the request shows it, without a resourceVersion. */
  readonly shown: Buffer;
}

/** Why it could not be converted, in words for the client. */
interface Failed {
  readonly message: string;
}

function refused({ message }: Failed): LoggedForm {
  return { kind: 'refused', status: unclassifiedFailure(message) };
}

/** @throws Error when it was lost in its conversion. */
function onlyOne([object]: readonly KubeObject[], { path }: WrittenObject): KubeObject {
  if (object === undefined) throw new Error(`${path} was lost in its conversion`);
  return object;
}
