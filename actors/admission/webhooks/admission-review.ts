/**
 * The question that is put to a webhook, and whether its answer will do.
 *
 * In Kubernetes: CreateAdmissionObjects and VerifyAdmissionResponse,
 * apiserver/pkg/admission/plugin/webhook/request.
 */
import { formatJson, parseJson } from '../../../api/json/json-text.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  stringAt,
  textsAt,
} from '../../../api/json/json.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import { shownRequest } from '../expressions/shown-request.ts';
import type { VersionedObjects } from '../matching/versioned-objects.ts';

const GROUP = 'admission.k8s.io';

export type ReviewVersion = 'v1' | 'v1beta1';

export interface ReviewQuestion {
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly isMutating: boolean;
}

/** What a webhook has to say. */
export interface ReviewResponse {
  readonly isAllowed: boolean;
  /** Of a refusal. */
  readonly result: JsonObject | undefined;
  /** Bytes of a JSON patch; undefined: nothing is to be changed. */
  readonly patch: Buffer | undefined;
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: readonly (readonly [key: string, value: string])[];
}

export type ReadReview =
  | { readonly ok: true; readonly response: ReviewResponse }
  /** `isUnreadable`: it is no review at all. */
  | { readonly ok: false; readonly isUnreadable: boolean; readonly message: string };

/** The first of those that the webhook takes and that are spoken here. */
export function reviewVersion(accepted: readonly JsonValue[]): ReviewVersion | undefined {
  return accepted.find((version) => version === 'v1' || version === 'v1beta1');
}

export function formatReview(
  { version, uid }: ReviewQuestion,
  attributes: AdmissionAttributes,
  { target, object, oldObject }: VersionedObjects,
): Buffer {
  const request: JsonObject = {
    uid,
    ...shownRequest(attributes, target),
    object: object ?? null,
    oldObject: oldObject ?? null,
  };
  const review = { kind: 'AdmissionReview', apiVersion: `${GROUP}/${version}`, request };
  return Buffer.from(formatJson(review));
}

/**
 * Reads the answer of a webhook. Never throws: what does not fit the question is told in upstream's
 * words.
 */
export function readReview(body: Buffer, question: ReviewQuestion): ReadReview {
  const review = parsed(body);
  if (typeof review === 'string') return { ok: false, isUnreadable: true, message: review };
  const said = `${stringAt(review, 'apiVersion')}/${stringAt(review, 'kind')}`;
  const other = otherKind(said, question.version);
  if (other !== undefined) return { ok: false, isUnreadable: true, message: other };
  const response = objectAt(review, 'response');
  const problem =
    response === undefined
      ? 'webhook response was absent'
      : question.version === 'v1'
        ? problemOf(review, response, question)
        : undefined;
  if (response === undefined || problem !== undefined) {
    return { ok: false, isUnreadable: false, message: problem ?? '' };
  }
  return { ok: true, response: responseOf(response, question) };
}

function responseOf(response: JsonObject, { version, isMutating }: ReviewQuestion): ReviewResponse {
  const patch = isMutating ? patchOf(response) : undefined;
  // The older version was never asked for the type.
  const patchType = version === 'v1' ? stringAt(response, 'patchType') : 'JSONPatch';
  const annotations = Object.entries(objectAt(response, 'auditAnnotations') ?? {});
  return {
    isAllowed: response['allowed'] === true,
    result: objectAt(response, 'status'),
    patch,
    patchType: patch === undefined ? '' : patchType,
    warnings: textsAt(response, 'warnings'),
    auditAnnotations: annotations.flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value] as const] : [],
    ),
  };
}

function patchOf(response: JsonObject): Buffer | undefined {
  const patch = Buffer.from(stringAt(response, 'patch'), 'base64');
  return patch.length === 0 ? undefined : patch;
}

function problemOf(
  review: JsonObject,
  response: JsonObject,
  { uid, isMutating }: ReviewQuestion,
): string | undefined {
  const saidUid = stringAt(response, 'uid');
  if (saidUid !== uid) return `expected response.uid=${goQuote(uid)}, got ${goQuote(saidUid)}`;
  const apiVersion = stringAt(review, 'apiVersion');
  const kind = stringAt(review, 'kind');
  if (apiVersion !== `${GROUP}/v1` || kind !== 'AdmissionReview') {
    const said = `${apiVersion === '' ? '/' : apiVersion}, Kind=${kind}`;
    return `expected webhook response of ${GROUP}/v1, Kind=AdmissionReview, got ${said}`;
  }
  const type = response['patchType'];
  const hasType = typeof type === 'string';
  const hasPatch = stringAt(response, 'patch') !== '';
  return isMutating ? patchProblem(hasPatch, hasType, type) : uninvited(hasPatch, hasType);
}

function patchProblem(
  hasPatch: boolean,
  hasType: boolean,
  type: JsonValue | undefined,
): string | undefined {
  if (hasPatch && !hasType) return 'webhook returned response.patch but not response.patchType';
  if (!hasPatch && hasType) return 'webhook returned response.patchType but not response.patch';
  return type === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function uninvited(hasPatch: boolean, hasType: boolean): string | undefined {
  if (hasPatch) return 'validating webhook may not return response.patch';
  return hasType ? 'validating webhook may not return response.patchType' : undefined;
}

function parsed(body: Buffer): JsonObject | string {
  const unreadable = "couldn't get version/kind; json parse error: ";
  try {
    const value = parseJson(body.toString());
    if (isJsonObject(value)) return value;
    return `${unreadable}json: cannot unmarshal into Go value of type struct`;
  } catch (error) {
    return unreadable + (error instanceof Error ? error.message : String(error));
  }
}

/** Go decodes into the type that was asked for, and knows no way from another one to it. */
function otherKind(said: string, version: ReviewVersion): string | undefined {
  const slash = said.lastIndexOf('/');
  const apiVersion = said.slice(0, slash);
  const kind = said.slice(slash + 1);
  if (apiVersion === '' || kind === '' || said === `${GROUP}/${version}/AdmissionReview`) {
    return undefined;
  }
  const isOurs =
    said === `${GROUP}/v1/AdmissionReview` || said === `${GROUP}/v1beta1/AdmissionReview`;
  if (!isOurs) {
    return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "k8s.io/apiserver/pkg/util/webhook/client.go"`;
  }
  const other = version === 'v1' ? 'v1beta1' : 'v1';
  return `converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`;
}
