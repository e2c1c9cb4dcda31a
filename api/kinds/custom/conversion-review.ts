/**
 * The question that is put to a conversion webhook, and whether its answer will do. A webhook may
 * change everything but an object's identity: of the metadata only labels and annotations are taken.
 *
 * In Kubernetes: webhookConverter, apiextensions-apiserver/pkg/apiserver/conversion.
 */
import { beyondFloat, formatJson, infiniteNumber, parseJson } from '../../json/json-text.ts';
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../json/json.ts';
import { otherThan } from '../../meta/identity.ts';
import type { KubeObject, StringMap } from '../../meta/object-meta.ts';
import {
  validateAnnotations,
  validateLabels,
} from '../../validation/object-meta-validation-content.ts';
import type { Converted } from '../custom-serving.ts';
import { goQuote, goTypeOf } from '../../json/go-format.ts';
import { formatFieldErrors } from '../../field/field-errors.ts';

const GROUP = 'apiextensions.k8s.io';
const KNOWN_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

export interface ReviewQuestion {
  readonly objects: readonly KubeObject[];
  readonly desiredAPIVersion: string;
  readonly uid: string;
  /** The first of those that the webhook takes and that we speak. */
  readonly version: string;
}

/** undefined: the webhook speaks none of ours. */
export function reviewVersion(accepted: readonly string[]): string | undefined {
  return accepted.find((version) => KNOWN_VERSIONS.includes(version));
}

export function formatReview(question: ReviewQuestion): Buffer {
  const { objects, desiredAPIVersion, uid, version } = question;
  return Buffer.from(
    formatJson({
      kind: 'ConversionReview',
      apiVersion: `${GROUP}/${version}`,
      request: { uid, desiredAPIVersion, objects },
    }),
  );
}

/** What came back, in the place of what was asked; a message is in upstream's words. */
export function convertedIn(body: Buffer, question: ReviewQuestion): Converted {
  const { objects } = question;
  const subject = `conversion webhook for ${groupVersionKind(objects[0])}`;
  const response = responseIn(body, question);
  if (typeof response === 'string') return failed(`${subject} failed: ${response}`);
  const converted = listAt(response, 'convertedObjects');
  if (converted.length !== objects.length) {
    const counts = `${String(converted.length)} objects, expected ${String(objects.length)}`;
    return failed(`${subject} returned ${counts}`);
  }
  const results: KubeObject[] = [];
  for (const [index, original] of objects.entries()) {
    const words = objects.length === 1 ? ALONE : wordsAt(index);
    const result = acceptable(original, converted[index], question.desiredAPIVersion, words);
    if (typeof result === 'string') return failed(`${subject} returned ${result}`);
    results.push(result);
  }
  return { ok: true, objects: results };
}

/** The response, or what is wrong with it. */
function responseIn(body: Buffer, { uid, version }: ReviewQuestion): JsonObject | string {
  const review = parsed(body);
  if (typeof review === 'string') return review;
  if (version === 'v1') {
    const said = `${stringAt(review, 'apiVersion')}, Kind=${stringAt(review, 'kind')}`;
    const expected = `${GROUP}/v1, Kind=ConversionReview`;
    if (said !== expected) return `expected webhook response of ${expected}, got ${said}`;
  }
  const response = objectAt(review, 'response');
  if (response === undefined) return 'no response provided';
  const saidUid = stringAt(response, 'uid');
  if (version === 'v1' && saidUid !== uid) {
    return `expected response.uid=${goQuote(uid)}, got ${goQuote(saidUid)}`;
  }
  const result = objectAt(response, 'result');
  const status = stringAt(result, 'status');
  if (status === 'Success') return response;
  const message = stringAt(result, 'message');
  return message === '' ? `response.result.status was '${status}', not 'Success'` : message;
}

function parsed(body: Buffer): JsonObject | string {
  try {
    const text = body.toString();
    const value = parseJson(text);
    const infinite = infiniteNumber(text);
    if (infinite !== undefined) return beyondFloat(infinite);
    return isJsonObject(value) ? value : 'no response provided';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What is wrong, as it begins: a webhook that was asked about one object is told so in other words. */
interface Words {
  readonly type: string;
  readonly identity: string;
  readonly metadata: string;
}

const ALONE: Words = {
  type: 'invalid object at index 0',
  identity: 'invalid object',
  metadata: 'invalid metadata',
};

function wordsAt(index: number): Words {
  const at = `at index ${String(index)}`;
  const object = `invalid converted object ${at}`;
  return { type: object, identity: object, metadata: `invalid metadata in object ${at}` };
}

/** The object with the identity it had, or what is wrong with it. */
function acceptable(
  original: KubeObject,
  value: JsonValue | undefined,
  apiVersion: string,
  words: Words,
): KubeObject | string {
  const converted = isJsonObject(value) ? value : {};
  const saidVersion = stringAt(converted, 'apiVersion');
  if (saidVersion !== apiVersion) {
    const versions = `(expected ${apiVersion}, received ${saidVersion})`;
    return `${words.type}: invalid groupVersion ${versions}`;
  }
  const saidKind = stringAt(converted, 'kind');
  if (saidKind !== original.kind) {
    const kinds = `(expected ${original.kind}, received ${saidKind})`;
    return `${words.type}: invalid kind ${kinds}`;
  }
  const problem = identityProblem(original, converted);
  if (problem !== undefined) return `${words.identity}: ${problem}`;
  const metadata = restoredMetadata(original, converted);
  if (typeof metadata === 'string') return `${words.metadata}: ${metadata}`;
  return { ...converted, kind: saidKind, apiVersion, metadata };
}

/** In Kubernetes: validateConvertedObject. */
function identityProblem(original: KubeObject, converted: JsonObject): string | undefined {
  const said = objectAt(converted, 'metadata');
  const identity = [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const;
  for (const [key, word] of identity) {
    const was = original.metadata[key] ?? '';
    const is = otherThan(was, said, key);
    if (is !== undefined) return `must have the same ${word}: ${was} != ${is}`;
  }
  return undefined;
}

/** In Kubernetes: restoreObjectMeta. */
function restoredMetadata(
  original: KubeObject,
  converted: JsonObject,
): KubeObject['metadata'] | string {
  const said = converted['metadata'];
  if (said === undefined) return 'missing metadata in converted object';
  if (!isJsonObject(said)) return `invalid metadata of type ${goTypeOf(said)} in converted object`;
  const { labels: _, annotations: __, ...kept } = original.metadata;
  const metadata: KubeObject['metadata'] = kept;
  for (const key of ['labels', 'annotations'] as const) {
    const value = said[key];
    if (value === undefined || value === null) continue;
    if (!isJsonObject(value)) {
      return `invalid metadata.${key} of type ${goTypeOf(value)} in converted object`;
    }
    for (const [name, text] of Object.entries(value)) {
      if (typeof text === 'string') continue;
      const type = goTypeOf(text);
      return `metadata.${key}[${name}] must be a string, but is ${type} in converted object`;
    }
    const map = value as StringMap; // Each value was looked at.
    const errors =
      key === 'labels'
        ? validateLabels(map, 'metadata.labels')
        : validateAnnotations(map, 'metadata.annotation');
    if (errors.length > 0) return formatFieldErrors(errors);
    metadata[key] = map;
  }
  return metadata;
}

/** As Go prints it: `stable.example.com/v1, Kind=CronTab`. */
export function groupVersionKind(object: KubeObject | undefined): string {
  return `${object?.apiVersion ?? ''}, Kind=${object?.kind ?? ''}`;
}

function failed(message: string): Converted {
  return { ok: false, message };
}
