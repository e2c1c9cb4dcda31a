/**
 * A failure as Kubernetes clients read it: the body of every response that is not a success.
 *
 * The makers are the only place where reasons, codes and message patterns are spelled.
 * In Kubernetes: apimachinery/pkg/api/errors.
 */
import {
  causesOf,
  type FieldErrors,
  formatFieldErrors,
  shownErrors,
  type StatusCause,
} from '../field/field-errors.ts';
import type { JsonObject } from '../json/json.ts';

/** What a Status says about the object that the request named, and the causes of a refusal. */
export interface StatusDetails extends JsonObject {
  /** Of the object; for some refusals of the thing that was asked for. */
  name?: string;
  /** Of the resource; left out for the core. */
  group?: string;
  /** Of the resource, mostly by its plural name, as upstream. */
  kind?: string;
  /** Of the object, where it is known. */
  uid?: string;
  /** One for each reason, mostly a field that is wrong. */
  causes?: StatusCause[];
  /** Also sent as the header `Retry-After`. */
  retryAfterSeconds?: number;
}

export interface Status extends JsonObject {
  kind: 'Status';
  apiVersion: 'v1';
  /** Empty, as upstream writes it. */
  metadata: JsonObject;
  /** `Success` answers deletes and what has no object to show. */
  status: 'Success' | 'Failure';
  /** A sentence for people. */
  message?: string;
  /** One word for programs: `NotFound`. */
  reason?: string;
  /** What the request was about. */
  details?: StatusDetails;
  /** The HTTP status. */
  code: number;
}

/** Which kind of thing a Status speaks of: `{ group: 'apps', resource: 'deployments' }`. */
export interface GroupResource {
  /** '' is the group of the core. */
  readonly group: string;
  /** The plural name. */
  readonly resource: string;
}

/** `deployments.apps`, or `pods` for the legacy group. */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

interface Failure {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: StatusDetails;
}

function failure({ code, reason, message, details }: Failure): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/** Keys stand in Go's order, and empty ones are left out, as its encoder leaves them out. */
function detailsOf(about: GroupResource, name: string, more: StatusDetails = {}): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(about.group === '' ? {} : { group: about.group }),
    ...(about.resource === '' ? {} : { kind: about.resource }),
    ...more,
  };
}

/** 200: what was asked for is done, as answered to a delete. */
export function success(details?: StatusDetails): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    ...(details === undefined ? {} : { details }),
    code: 200,
  };
}

/** 404 NotFound: no object of this name. */
export function notFound(about: GroupResource, name: string): Status {
  return failure({
    code: 404,
    reason: 'NotFound',
    message: `${formatGroupResource(about)} "${name}" not found`,
    details: detailsOf(about, name),
  });
}

/** The answer to a path or a verb that nothing here serves; `details` is empty on purpose. */
export function pageNotFound(): Status {
  return failure({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

/** 409 AlreadyExists: the name is taken. */
export function alreadyExists(about: GroupResource, name: string): Status {
  return failure({
    code: 409,
    reason: 'AlreadyExists',
    message: `${formatGroupResource(about)} "${name}" already exists`,
    details: detailsOf(about, name),
  });
}

/** 409 AlreadyExists: every name that was generated was taken; the client may try again. */
export function generateNameConflict(about: GroupResource, name: string): Status {
  return failure({
    code: 409,
    reason: 'AlreadyExists',
    message:
      `${formatGroupResource(about)} "${name}" already exists, ` +
      'the server was not able to generate a unique name for the object',
    details: detailsOf(about, name, { retryAfterSeconds: 1 }),
  });
}

/** 401: no authenticator knew the client. */
export function unauthorized(): Status {
  return failure({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

/** `why` goes behind `pods "a" is forbidden: `; with neither group nor resource, behind `forbidden: `. */
export function forbidden(
  about: GroupResource,
  name: string,
  why: string,
  causes?: StatusCause[],
): Status {
  const who = formatGroupResource(about);
  const subject =
    who === '' ? 'forbidden' : `${who}${name === '' ? '' : ` "${name}"`} is forbidden`;
  return failure({
    code: 403,
    reason: 'Forbidden',
    message: `${subject}: ${why}`,
    details: detailsOf(about, name, causes === undefined ? {} : { causes }),
  });
}

/**
 * 409 Conflict: the object has moved on, or the write does not fit it; `why` is the end of the
 * message.
 */
export function conflict(about: GroupResource, name: string, why: string): Status {
  return failure({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${formatGroupResource(about)} "${name}": ${why}`,
    details: detailsOf(about, name),
  });
}

/** A field that one manager applies and another has. */
export interface ManagedByOther {
  /** `conflict with "kubectl" using apps/v1` */
  readonly message: string;
  /** `.spec.replicas` */
  readonly field: string;
}

/** In Kubernetes: NewApplyConflict, which does not say of what object it speaks. */
export function applyConflict(message: string, conflicts: readonly ManagedByOther[]): Status {
  const causes = conflicts.map(({ message: why, field }) => {
    return { reason: 'FieldManagerConflict', message: why, field };
  });
  return failure({ code: 409, reason: 'Conflict', message, details: { causes } });
}

/** `about.resource` is the kind here, as upstream has it: `Pod "a" is invalid: …`. */
export function invalid(about: GroupResource, name: string, all: FieldErrors): Status {
  const errors = shownErrors(all);
  return failure({
    code: 422,
    reason: 'Invalid',
    message: `${formatGroupResource(about)} "${name}" is invalid: ${formatFieldErrors(errors)}`,
    details: detailsOf(about, name, { causes: causesOf(errors) }),
  });
}

/** 400 BadRequest: the request itself cannot be understood. */
export function badRequest(message: string): Status {
  return failure({ code: 400, reason: 'BadRequest', message });
}

/** The past that was asked for is gone from the log, or a continue token is too old. */
export function expired(message: string): Status {
  return failure({ code: 410, reason: 'Expired', message });
}

/** A continue token is too old; the one inside goes on with whatever is there now. */
export function expiredList(inconsistentToken: string): Status {
  const status = expired(
    'The provided continue parameter is too old to display a consistent list result. ' +
      'You can start a new list without the continue parameter, or use the continue token in ' +
      'this response to retrieve the remainder of the results. Continuing with the provided ' +
      'token results in an inconsistent list - objects that were created, modified, or deleted ' +
      'between the time the first chunk was returned and now may show up in the list.',
  );
  return { ...status, metadata: { continue: inconsistentToken } };
}

/** Unless said in the words of upstream's router, which does not know what a path is for. */
export function methodNotAllowed(
  message = 'the server does not allow this method on the requested resource',
): Status {
  return failure({
    code: 405,
    reason: 'MethodNotAllowed',
    message,
    details: {},
  });
}

/** 406: none of the media types that the client accepts is among `supported`. */
export function notAcceptable(supported: readonly string[]): Status {
  const list = supported.join(', ');
  return failure({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${list}`,
  });
}

/** In the words of upstream's router, which knows what a path can give. */
export function unacceptedByRouter(produced: readonly string[]): Status {
  const message = `406: Not Acceptable\n\nAvailable representations: ${produced.join(', ')}`;
  return failure({ code: 406, reason: 'NotAcceptable', message, details: {} });
}

/** In the words of upstream's router, which knows what a path can take. */
export function unconsumedByRouter(): Status {
  const message = '415: Unsupported Media Type';
  return failure({ code: 415, reason: 'UnsupportedMediaType', message, details: {} });
}

/** 415: the body is in none of the `supported` media types. */
export function unsupportedMediaType(supported: readonly string[]): Status {
  const list = supported.join(', ');
  return failure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${list}`,
  });
}

/** 413: the body is beyond the limit. */
export function requestEntityTooLarge(message: string): Status {
  return failure({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: ${message}`,
  });
}

/** 429; the client is told to wait `retryAfterSeconds`. */
export function tooManyRequests(message: string, retryAfterSeconds: number): Status {
  return failure({
    code: 429,
    reason: 'TooManyRequests',
    message,
    details: { retryAfterSeconds },
  });
}

/** 500: a fault of the server; `cause` is shown as Go shows an error. */
export function internalError(cause: unknown): Status {
  const message = cause instanceof Error ? cause.message : String(cause);
  return failure({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

/** A failure without a reason: what upstream makes of an error that is no status. */
export function unclassifiedFailure(message: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    code: 500,
  };
}

/** @param retryAfterSeconds sent as a header too; 0: it is not known when it is over. */
export function serviceUnavailable(message: string, retryAfterSeconds = 0): Status {
  const details = retryAfterSeconds === 0 ? {} : { details: { retryAfterSeconds } };
  return failure({ code: 503, reason: 'ServiceUnavailable', message, ...details });
}

/** 504 Timeout: the request took too long, and its outcome may be unknown. */
export function timedOut(
  message: string,
  retryAfterSeconds: number,
  causes?: StatusCause[],
): Status {
  return failure({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: ${message}`,
    details: {
      ...(causes === undefined ? {} : { causes }),
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
  });
}
