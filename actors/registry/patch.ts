/**
 * PATCH: a change described, applied to the object as it is when its turn comes.
 *
 * In Kubernetes: PatchResource, apiserver/pkg/endpoints/handlers/patch.go.
 */
import { formatGoValue } from '../../api/patch/go-format.ts';
import { invalidValue } from '../../api/schema/field-errors.ts';
import {
  badRequest,
  invalid,
  notFound,
  unsupportedMediaType,
  type Status,
} from '../../api/meta/status.ts';
import { type JsonObject, type JsonValue } from '../../api/meta/json.ts';
import {
  parsePatchOptions,
  type FieldValidation,
  type PatchOptions,
} from '../../api/meta/options.ts';
import { applyJsonPatch } from '../../api/patch/json-patch.ts';
import { applyMergePatch } from '../../api/patch/merge-patch.ts';
import { patchFailureStatus, type PatchResult } from '../../api/patch/patch-result.ts';
import { applyStrategicMergePatch } from '../../api/patch/strategic-merge-patch.ts';
import { patchSchemaOf } from '../../api/patch/patch-schema.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { statusAnswer, type Answer, type AuthenticatedRequest } from '../request.ts';
import { candidateOf, fromStorage, toStorage } from './candidate.ts';
import { refusal, writeObject, type Attempt } from './commit-answer.ts';
import { keyOf, namespaceMismatch } from './create.ts';
import { unknownFieldTexts } from './read-candidate.ts';
import { attemptUpdate, rulesOf } from './update.ts';
import { BODY_BYTES_MAX, type WriteRoom } from './write-room.ts';

/** Changes a document that it does not own into a new one. */
export type Patch = (document: JsonObject) => PatchResult;

type PatchMaker = (patch: JsonValue, fieldValidation: FieldValidation) => Patch;

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

/** By media type. Strategic merge is only for types whose merge keys are known. */
function patchMakers(typeId: string): ReadonlyMap<string, PatchMaker> {
  const makers = new Map<string, PatchMaker>([
    [
      JSON_PATCH,
      (patch, fieldValidation) => (document) =>
        applyJsonPatch(document, patch, { fieldValidation }),
    ],
    [
      MERGE_PATCH,
      (patch, fieldValidation) => (document) => applyMergePatch(document, patch, fieldValidation),
    ],
  ]);
  const schema = patchSchemaOf(typeId);
  if (schema === undefined) return makers;
  return makers.set(
    STRATEGIC_MERGE_PATCH,
    (patch) => (document) => applyStrategicMergePatch(document, patch, schema),
  );
}

export function patch(
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  readPatch(room, request, served.facts.typeId, (read) => {
    if (!read.ok) {
      done(statusAnswer(read.status));
      return;
    }
    const { info } = request;
    const rules = rulesOf(served, info.subresource);
    const key = keyOf(served, info.namespace, info.name);
    const attempt = (): Attempt => {
      const stored = room.objects.get(key.resource, key.path);
      if (stored === undefined) return refusal(notFound(served.facts, info.name));
      const patched = read.patch(fromStorage(served, stored));
      if (!patched.ok) return refusal(patchFailureStatus(patched));
      const candidate = candidateOf(served, patched.value);
      if (!candidate.ok) {
        const { misfit, status } = candidate;
        return refusal(misfit === undefined ? status : unfit(read, patched.value, misfit));
      }
      const strange = [...patched.strictErrors, ...unknownFieldTexts(candidate.unknownFields)];
      const { fieldValidation } = read.options;
      if (strange.length > 0 && fieldValidation === 'Strict') {
        const why = `strict decoding error: ${strange.join(', ')}`;
        return refusal(unfit(read, patched.value, why));
      }
      if (fieldValidation === 'Warn')
        strange.forEach((text) => {
          request.warn(text);
        });
      const object = toStorage(served, candidate.object);
      const mismatch = namespaceMismatch(request, served, object);
      if (mismatch !== undefined) return refusal(badRequest(mismatch));
      return attemptUpdate({ request, served, rules, options: read.options }, object, stored);
    };
    writeObject(room, { key, deadline: request.deadline, attempt }, done);
  });
}

/**
 * What came of the patch is no object of this kind. The patch is what is wrong, so it is named:
 * by what it made, or where it is a strategic merge by itself.
 */
function unfit(read: PatchRead & { ok: true }, patched: JsonValue, why: string): Status {
  const shown = read.isStrategic ? formatGoValue(read.value) : JSON.stringify(patched);
  return invalid({ group: '', resource: '' }, '', [invalidValue('patch', shown, why)]);
}

export type PatchRead =
  | {
      readonly ok: true;
      readonly patch: Patch;
      readonly options: PatchOptions;
      /** The patch as it was sent. */
      readonly value: JsonValue;
      readonly isStrategic: boolean;
    }
  | { readonly ok: false; readonly status: Status };

/** Reads options and body; `typeId` is the type whose merge keys a strategic merge goes by. */
export function readPatch(
  room: WriteRoom,
  request: AuthenticatedRequest,
  typeId: string,
  done: (read: PatchRead) => void,
): void {
  const contentType = mediaTypeOf(request);
  const makers = patchMakers(typeId);
  const maker = makers.get(contentType);
  if (maker === undefined) {
    done({ ok: false, status: unsupportedMediaType(contentType, [...makers.keys()]) });
    return;
  }
  const parsed = parsePatchOptions(request.query, false);
  if (!parsed.ok) {
    done(parsed);
    return;
  }
  request.readBody(BODY_BYTES_MAX, (body) => {
    if (!body.ok) {
      done(body);
      return;
    }
    const decoded = room.decoder.decode(body.bytes, 'application/json');
    if (!decoded.ok) {
      done(decoded);
      return;
    }
    const { options } = parsed;
    const { value } = decoded;
    const isStrategic = contentType === STRATEGIC_MERGE_PATCH;
    done({ ok: true, patch: maker(value, options.fieldValidation), options, value, isStrategic });
  });
}

/** The type without its parameters, in lower case. */
function mediaTypeOf({ headers }: AuthenticatedRequest): string {
  const [type = ''] = String(headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase();
}
