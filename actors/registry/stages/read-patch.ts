/**
 * A patch as it was sent, by its media type, and what it makes of an object.
 */
import { baseMediaType } from '../../../api/meta/base-media-type.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { readEntries } from '../../../api/json/json-reader.ts';
import { parseJson } from '../../../api/json/json-text.ts';
import { compareGoStrings, formatGoValue, goJson } from '../../../api/json/go-format.ts';
import { invalidValue } from '../../../api/field/field-errors.ts';
import {
  badRequest,
  invalid,
  type Status,
  unsupportedMediaType,
} from '../../../api/meta/status.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { remembered } from '../../../api/json/work-in-slices.ts';
import { parsePatchOptions, type PatchOptions } from '../../../api/options/options.ts';
import type { JsonPatchReading } from '../../../api/patch/json-patch-decoding.ts';
import { applyJsonPatch } from '../../../api/patch/json-patch.ts';
import { applyMergePatch } from '../../../api/patch/merge-patch.ts';
import { patchFailureStatus, type PatchResult } from '../../../api/patch/patch-result.ts';
import { applyStrategicMergePatch } from '../../../api/patch/strategic-merge-patch.ts';
import {
  markSpelled,
  markSpelledValues,
  unmarkSpelled,
} from '../../../api/json/spelled-numbers.ts';
import { patchSchemaOf } from '../../../api/patch/patch-schema.ts';
import { converterMisfit } from '../../../api/scheme/converter-misfit.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { statusAnswer } from '../../request/answer.ts';
import { candidateOf } from '../objects/read-candidate.ts';
import { type Stage, waitingStage } from '../stage.ts';
import { checkStrict, repeatSentences } from '../objects/strict-decoding.ts';
import { type HasBody, type HasOptions, noted, type Received } from '../write.ts';
import type { Decoded } from '../write-context.ts';
import { wholeOf } from './decode-object.ts';

const APPLY_PATCH = 'application/apply-patch+yaml';
const APPLY_CBOR = 'application/apply-patch+cbor';

/** Whether what is sent is a configuration to be applied. */
export function isApply(request: AuthenticatedRequest): boolean {
  return mediaTypeOf(request) === APPLY_PATCH || isCborApply(request);
}

/** The same, where it is CBOR and not YAML. */
export function isCborApply(request: AuthenticatedRequest): boolean {
  return request.hasCbor === true && mediaTypeOf(request) === APPLY_CBOR;
}

/** The type without its parameters, in lower case. */
function mediaTypeOf({ headers }: AuthenticatedRequest): string {
  return baseMediaType(String(headers['content-type'] ?? ''));
}

/** Changes a document that it does not own into a new one, with which it may share parts. */
type Patch = (document: JsonObject) => PatchResult;

type PatchMaker = (patch: JsonValue, reading: JsonPatchReading) => Patch;

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

/** By media type. Strategic merge is only for types whose merge keys are known. */
function patchMakers(typeId: string): ReadonlyMap<string, PatchMaker> {
  const makers = new Map<string, PatchMaker>([
    [JSON_PATCH, (patch, reading) => (document) => applyJsonPatch(document, patch, reading)],
    [
      MERGE_PATCH,
      (patch, { fieldValidation }) =>
        (document) =>
          applyMergePatch(document, patch, fieldValidation),
    ],
  ]);
  const schema = patchSchemaOf(typeId);
  if (schema === undefined) return makers;
  return makers.set(
    STRATEGIC_MERGE_PATCH,
    (patch) => (document) => applyStrategicMergePatch(document, patch, schema),
  );
}

/** 415 for a patch of a custom resource in a form that there is none of; undefined: it is one. */
export function untakenCustomPatch(request: AuthenticatedRequest): Status | undefined {
  const makers = patchMakers('');
  if (makers.has(mediaTypeOf(request)) || isApply(request)) return undefined;
  return untakenType(request, makers);
}

function untakenType(
  { hasCbor }: AuthenticatedRequest,
  makers: ReadonlyMap<string, PatchMaker>,
): Status {
  const applied = hasCbor === true ? [APPLY_PATCH, APPLY_CBOR] : [APPLY_PATCH];
  return unsupportedMediaType([...makers.keys(), ...applied]);
}

/** The object that came of the patch, or 422 with what is wrong with it. */
export type Patched =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly status: Status };

/**
 * What the patch makes of the document, which is an object of the served version; may be done in
 * slices.
 */
export function patchedObject(
  request: AuthenticatedRequest,
  served: ServedResource,
  document: KubeObject,
  read: PatchRead,
): Patched {
  const patched = read.patch(document);
  if (!patched.ok) return { ok: false, status: patchFailureStatus(patched) };
  const { value, strictErrors } = patched;
  const isSpelled = read.isSpelled();
  const isSorted = served.custom !== undefined && served.facts.typeId === '';
  const text = (): string => goJson(patched.shown(isSorted));
  const spelled = remembered(() => (isSpelled ? text() : undefined));
  if (isSpelled) unmarkSpelled(value);
  const shown = { read, patched: () => spelled ?? text() };
  const candidate = candidateOf(served, value, {
    repeats: isSpelled ? NO_REPEATS : undefined,
    text: shown.patched,
    isSorted: true,
    inOrder: read.strategic === undefined ? () => patched.shown(false) : undefined,
    patched: read.strategic === undefined ? 'text' : 'values',
  });
  if (!candidate.ok) {
    const { misfit, status } = candidate;
    if (misfit === undefined) return { ok: false, status };
    const restoring = read.strategic !== undefined && isJsonObject(value);
    // A strategic merge is read from maps and not from JSON.
    const told = restoring ? converterMisfit(value, served.facts.typeId) : undefined;
    return { ok: false, status: unfit(shown, told ?? misfit) };
  }
  // Go's converter of maps sorts what it says, and its patches write keys in their order; items of lists stay.
  const isListed = candidate.strictErrors.some((sentence) => sentence.includes('['));
  const unknown =
    read.strategic === undefined && isListed
      ? candidate.strictErrors
      : candidate.strictErrors.toSorted(compareGoStrings);
  const sentences = [...read.strictErrors, ...strictErrors, ...unknown];
  const strict = checkStrict(request, sentences, read.options.fieldValidation);
  if (strict !== undefined) return { ok: false, status: unfit(shown, strict) };
  return { ok: true, object: candidate.object };
}

/** So that numbers are judged by how they are spelled. */
const NO_REPEATS = { yamlProblem: '', keys: new Map<never, never>() };

interface Shown {
  readonly read: PatchRead;
  /** What came of the patch, as text. */
  readonly patched: () => string;
}

/**
 * What came of the patch is no object of this kind. The patch is what is wrong, so it is named:
 * by what it made, or where it is a strategic merge by itself.
 */
function unfit({ read: { strategic }, patched }: Shown, why: string): Status {
  const shown = strategic === undefined ? patched() : formatGoValue(strategic);
  return invalid({ group: '', resource: '' }, '', [invalidValue('patch', shown, why)]);
}

interface PatchRead {
  readonly patch: Patch;
  readonly options: PatchOptions;
  /** What stands in the patch itself twice, where the patch does not tell of it. */
  readonly strictErrors: readonly string[];
  /** Whether what the patch makes has marked texts in the place of numbers: spelled-numbers.ts. */
  readonly isSpelled: () => boolean;
  /** The patch itself where it is a strategic merge. */
  readonly strategic: JsonValue | undefined;
}

/** The patch, ready to be applied by each attempt to what is there then. */
export interface HasPatch {
  readonly patch: PatchRead;
}

type Typed = Received & HasPatchMaker & HasOptions<PatchOptions>;

interface HasPatchMaker {
  readonly contentType: string;
  readonly maker: PatchMaker;
  /** Whether the object has a type by which its numbers are judged. */
  readonly isTyped: boolean;
}

/**
 * The options of a patch, and what can be done with one of its media type.
 *
 * @param typeIdOf the type whose merge keys a strategic merge goes by.
 */
export function patchOptions(typeIdOf: (served: ServedResource) => string): Stage<Received, Typed> {
  return {
    name: 'options',
    run(write) {
      const contentType = mediaTypeOf(write.request);
      const typeId = typeIdOf(write.served);
      // By values are merged objects of types that upstream has compiled.
      const makers = patchMakers(write.served.custom === undefined ? typeId : '');
      const maker = makers.get(contentType);
      if (maker === undefined) return statusAnswer(untakenType(write.request, makers));
      const parsed = parsePatchOptions(write.request.query, false);
      if (!parsed.ok) return statusAnswer(parsed.status);
      return noted(write, {
        contentType,
        maker,
        isTyped: typeId !== '',
        options: parsed.options,
      });
    },
  };
}

type Undecoded = Typed & HasBody;

/** Reads the patch as its media type says; 415 was answered before, where the type is not taken. */
export const decodePatch = waitingStage<Undecoded, Undecoded & HasPatch, Decoded>('decode', {
  find({ bytes, options }, { decoder }) {
    const strictness = options.fieldValidation === 'Ignore' ? false : 'in parts';
    return wholeOf(decoder.decode(bytes, 'application/json', strictness), bytes.length);
  },
  take(write, decoded) {
    const { request, bytes, contentType, isTyped } = write;
    if (!decoded.ok) return statusAnswer(notDecoded(contentType, decoded.status));
    request.record?.patched(decoded.value);
    const mark = isTyped ? MARKS.get(contentType) : undefined;
    const values = valuesOf(decoded.value, bytes, mark);
    return noted(write, { patch: patchRead(write, decoded, values) });
  },
});

function patchRead(
  { contentType, maker, options }: Typed,
  { value, repeats }: Extract<Decoded, { readonly ok: true }>,
  values: Values,
): PatchRead {
  const reading = { fieldValidation: options.fieldValidation, repeated: repeats?.keys };
  return {
    patch: (document) => maker(values.next(), reading)(document),
    isSpelled: values.isSpelled,
    options,
    // A JSON patch is read by its type, and tells of its fields itself.
    strictErrors: contentType === JSON_PATCH ? [] : repeatSentences(value, repeats),
    strategic: contentType === STRATEGIC_MERGE_PATCH ? value : undefined,
  };
}

function notDecoded(contentType: string, status: Status): Status {
  if (status.code !== 400 || contentType === STRATEGIC_MERGE_PATCH) return status;
  return badRequest(`error decoding patch: ${status.message ?? ''}`);
}

interface Values {
  readonly isSpelled: () => boolean;
  readonly next: () => JsonValue;
}

/**
 * The patch, read anew for each attempt behind the first: what a patch made shares parts with it,
 * and is changed by the attempt.
 */
function valuesOf(
  sent: JsonValue,
  bytes: Buffer,
  mark: ((value: JsonValue) => boolean) | undefined,
): Values {
  let first: JsonValue | undefined = sent;
  let isSpelled = false;
  return {
    isSpelled: () => isSpelled,
    next(): JsonValue {
      const next = remembered(() => {
        const text = (): string => bytes.toString();
        const value = first ?? (isSpelled ? readEntries(text()).value : parseJson(text()));
        first = undefined;
        return value;
      });
      isSpelled = mark?.(next) ?? false;
      return next;
    },
  };
}

/** Patches that upstream applies to raw text. A strategic merge is one of values, and takes `1.0` for an int. */
const MARKS: ReadonlyMap<string, (value: JsonValue) => boolean> = new Map([
  [JSON_PATCH, markSpelledValues],
  [MERGE_PATCH, markSpelled],
]);
