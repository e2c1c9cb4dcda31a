/**
 * Asks one webhook about one request: whether it may be asked, what it answers, and whether the
 * answer will do. What it says beside its answer is passed on here, and its refusals, and failed
 * calls of it, become the answer to the client.
 *
 * In Kubernetes: callAttrMutatingHook and callHook, apiserver/pkg/admission/plugin/webhook;
 * ToStatusErr and ErrCallingWebhook of its errors.
 */
import { isJsonObject, type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { badRequest, type Status } from '../../../api/meta/status.ts';
import { goQuote } from '../../../api/json/go-format.ts';
import type { Clock, Random } from '../../../api/meta/clock.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { VersionedObjects } from '../matching/versioned-objects.ts';
import { formatReview, readReview, type ReviewResponse } from './admission-review.ts';
import type { WebhookCalls } from './webhook-calls.ts';
import type { WebhookHook } from './webhook-hook.ts';
import type { WebhookUsers } from './webhook-configuration.ts';

const LEAST_CODE = 400;

/** @param result the Status that it answered; it may say another code and reason. */
export function webhookRefusal(name: string, result: JsonObject | undefined): Status {
  const message = stringAt(result, 'message');
  const reason = stringAt(result, 'reason');
  const denied = `admission webhook ${goQuote(name)} denied the request`;
  const why = message === '' ? reason : message;
  const code = Number(result?.['code'] ?? 0);
  const status = stringAt(result, 'status');
  const details = objectAt(result, 'details');
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: isJsonObject(result?.['metadata']) ? result['metadata'] : {},
    // A webhook may call it what it likes, but not a success.
    status: (status === '' || status === 'Success' ? 'Failure' : status) as Status['status'],
    message: why === '' ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code: Number.isInteger(code) && code >= LEAST_CODE ? code : LEAST_CODE,
  };
}

function dryRunRefusal(name: string): Status {
  return badRequest(`admission webhook ${goQuote(name)} does not support dry run`);
}

export function failedCalling(name: string, why: string): string {
  return `failed calling webhook ${goQuote(name)}: ${why}`;
}

export interface WebhookAskers {
  readonly calls: WebhookCalls;
  /** undefined: the server calls without credentials. */
  readonly users: WebhookUsers | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

export type Asked =
  | { readonly kind: 'allowed'; readonly response: ReviewResponse }
  /** The webhook says no. */
  | { readonly kind: 'refused'; readonly status: Status }
  /** It could not be asked; the failure policy decides. */
  | { readonly kind: 'failed'; readonly message: string; readonly code: number }
  /** It must not be asked, or has done what it must not: the failure policy does not count. */
  | { readonly kind: 'fault'; readonly status: Status };

const BAD_REQUEST = 400;
const UNAUTHORIZED = 401;
const INTERNAL_ERROR = 500;
const UNAVAILABLE = 503;
const EARLY_MS_MAX = 5;

export async function askWebhook(
  { calls, users, clock, random }: WebhookAskers,
  hook: WebhookHook,
  attributes: AdmissionAttributes,
  about: { readonly versioned: VersionedObjects; readonly isMutating: boolean },
): Promise<Asked> {
  const { options, request } = attributes;
  if (options.dryRun && !hook.takesDryRuns) {
    return { kind: 'fault', status: dryRunRefusal(hook.name) };
  }
  if (hook.version === undefined) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    return failed(`could not create admission objects: ${why}`, BAD_REQUEST);
  }
  const found = await users?.credentialsFor(hook.target);
  if (found?.ok === false) {
    return failed(`could not get REST client: ${found.message}`, INTERNAL_ERROR);
  }
  const { isMutating, versioned } = about;
  const question = { version: hook.version, uid: random.uuid(), isMutating };
  const timeoutMs = Math.max(1, Math.min(hook.timeoutMs, request.deadline - clock.now()));
  const body = formatReview(question, attributes, versioned);
  const call = { timeoutMs, credentials: found?.credentials };
  const answer = await calls.post(hook.target, body, call);
  if (!answer.ok && answer.code === UNAUTHORIZED) found?.credentials?.refused?.();
  if (!answer.ok && timeoutMs < hook.timeoutMs) await untilOver(clock, request.deadline);
  if (!answer.ok) return failed(`failed to call webhook: ${answer.message}`, answer.code);
  const read = readReview(answer.body, question);
  if (!read.ok) {
    const what = read.isUnreadable ? 'failed to call webhook' : 'received invalid webhook response';
    return failed(`${what}: ${read.message}`);
  }
  return told(hook, attributes, read.response);
}

/** Timers fire a little early; a request that they cut off is late, not failed by its webhook. */
async function untilOver(clock: Clock, deadline: number): Promise<void> {
  for (let left = deadline - clock.now(); left > 0 && left <= EARLY_MS_MAX;) {
    await new Promise<void>((resolve) => clock.after(left, resolve));
    left = deadline - clock.now();
  }
}

function told(
  { name }: WebhookHook,
  { request }: AdmissionAttributes,
  response: ReviewResponse,
): Asked {
  for (const [key, value] of response.auditAnnotations) request.annotate(`${name}/${key}`, value);
  for (const sentence of response.warnings) request.warn(sentence);
  if (response.isAllowed) return { kind: 'allowed', response };
  return { kind: 'refused', status: webhookRefusal(name, response.result) };
}

function failed(message: string, code = UNAVAILABLE): Asked {
  return { kind: 'failed', message, code };
}
