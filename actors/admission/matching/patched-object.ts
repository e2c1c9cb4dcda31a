/**
 * What the patch of a webhook or a policy makes of an object: it is decoded in its type and gets its
 * defaults. Managers of fields that cannot be read any more are put back as they were, with a warning;
 * and a webhook or policy that wishes it is asked again where one behind it changed the object.
 *
 * In Kubernetes: callAttrMutatingHook and webhookReinvokeContext,
 * apiserver/pkg/admission/plugin/webhook/mutating, and
 * NewManagedFieldsValidatingAdmissionController, apiserver/pkg/endpoints/handlers/fieldmanager.
 */
import { parseJson } from '../../../api/json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue, stringAt } from '../../../api/json/json.ts';
import type { KubeObject, ObjectMeta } from '../../../api/meta/object-meta.ts';
import { applyJsonPatch } from '../../../api/patch/json-patch.ts';
import { copyJson, isEqualJson } from '../../../api/json/json-tree.ts';
import { typedCodec, type TypedCodec } from '../../../api/scheme/typed-json.ts';
import type { NamedPlace } from './resource-rules.ts';
import { decodeEntries } from '../../../api/managed-fields/managed-entries.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';

/** What came of a patch; `stage` says whether the patch or its result is at fault. */
export type Patched =
  | {
      readonly ok: true;
      readonly object: KubeObject;
      readonly isChanged: boolean;
      /** As `unknown field "spec.foo"`: they were dropped. */
      readonly unknownFields: readonly string[];
    }
  /** Either the patch does not fit the object, or what comes of it is none. */
  | { readonly ok: false; readonly stage: 'patch' | 'type'; readonly message: string };

type DecodedPatch =
  | { readonly ok: true; readonly operations: readonly JsonObject[] }
  | { readonly ok: false; readonly message: string };

/** Reads a JSON patch (RFC 6902); `null` is an empty one, as Go decodes it. */
export function decodePatch(bytes: Buffer): DecodedPatch {
  let value: JsonValue;
  try {
    value = parseJson(bytes.toString());
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
  if (value === null) return { ok: true, operations: [] };
  if (!Array.isArray(value)) {
    return {
      ok: false,
      message: 'json: cannot unmarshal value into Go value of type jsonpatch.Patch',
    };
  }
  const operations = value.filter(isJsonObject);
  if (operations.length === value.length) return { ok: true, operations };
  const message = 'json: cannot unmarshal value into Go value of type jsonpatch.Operation';
  return { ok: false, message };
}

/** @param document of the place; not changed. */
export function patchedObject(
  target: NamedPlace,
  subresource: string,
  document: KubeObject,
  operations: readonly JsonObject[],
): Patched {
  const result = applyJsonPatch(document, [...operations], { fieldValidation: 'Ignore' });
  if (!result.ok) return { ok: false, stage: 'patch', message: result.why };
  return typedObject(target, subresource, document, result.value);
}

/** The value as an object of the place, which it has to be: in its own kind and version. */
export function typedObject(
  target: NamedPlace,
  subresource: string,
  document: KubeObject,
  value: JsonValue,
): Patched {
  const codec = codecOf(target, subresource);
  if (!isJsonObject(value)) return misfit('Object is no object');
  const { kind, apiVersion } = document;
  if (value['kind'] !== kind || value['apiVersion'] !== apiVersion) {
    const said = `${stringAt(value, 'apiVersion')}, Kind=${stringAt(value, 'kind')}`;
    return misfit(`cannot convert ${said} to ${apiVersion}, Kind=${kind}`);
  }
  // What came of it may share parts with the document, which is still to be compared.
  const decoded = codec.decode(copyJson(value), { collectUnknown: true });
  if (!decoded.ok) return misfit(decoded.message);
  const before = codec.decode(copyJson(document));
  const isChanged = !before.ok || !isEqualJson(plain(before.value), plain(decoded.value));
  const metadata = isJsonObject(decoded.value['metadata']) ? decoded.value['metadata'] : {};
  const object: KubeObject = { ...decoded.value, kind, apiVersion, metadata };
  if (isOfResource(target)) target.served.setDefaults?.(object);
  return { ok: true, object, isChanged, unknownFields: decoded.unknownFields };
}

function misfit(message: string): Patched {
  return { ok: false, stage: 'type', message };
}

/** Without what is undefined, which is as good as absent. */
function plain(value: JsonObject): JsonValue {
  return copyJson(value);
}

/** Kinds of subresources have types, but no defaults of their own. */
function codecOf(target: NamedPlace, subresource: string): TypedCodec {
  const { served } = target;
  const own = served.facts.subresources.find(({ name }) => name === subresource);
  return own === undefined || isOfResource(target) ? served.codec : typedCodec(own.typeId);
}

function isOfResource({ kind, served }: NamedPlace): boolean {
  return kind.kind === served.facts.kind;
}

const INVALID =
  '.metadata.managedFields was in an invalid state after admission; this could be caused by an ' +
  'outdated mutating admission controller; please fix your requests: ';

/** @param before the entries of the object before it was changed. */
export function keepManagers(
  { object, request }: AdmissionAttributes,
  before: ObjectMeta['managedFields'],
): void {
  if (object === undefined) return;
  const now = object.metadata.managedFields;
  if (now === before) return;
  const decoded = decodeEntries(now);
  if (decoded.ok) return;
  if (before === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = before;
  request.warn(INVALID + decoded.message);
}

/**
 * Which webhooks or policies are asked a second time in this request, by uid, and whether they need
 * be.
 */
export class Reinvoked {
  #lastOutput: KubeObject | undefined;
  #invoked = new Set<string>();
  readonly #wanted = new Set<string>();

  /** @param uid of one that wants to see what others change behind it. */
  wasAsked(uid: string): void {
    this.#invoked.add(uid);
  }

  /** The object has changed: those that were asked before want to see it again. */
  objectChanged(): void {
    for (const uid of this.#invoked) this.#wanted.add(uid);
    this.#invoked = new Set();
  }

  isWanted(uid: string): boolean {
    return this.#wanted.has(uid);
  }

  /** The object as all of them left it. */
  leave(object: KubeObject | undefined): void {
    this.#lastOutput = object === undefined ? undefined : copyJson(object);
  }

  isChangedSince(object: KubeObject | undefined): boolean {
    return !isEqualJson(this.#lastOutput, object);
  }
}
