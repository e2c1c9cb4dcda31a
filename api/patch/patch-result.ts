/**
 * What comes of a patch. A failure carries the sentence that the client gets and, beside it, the
 * reason that upstream only logs: to a patch that cannot be applied it answers nothing but "the
 * server rejected our request due to an error in our request".
 *
 * In Kubernetes: apiserver/pkg/endpoints/handlers/patch.go.
 */
import type { JsonValue } from '../json/json.ts';
import { inShownOrder, type Touched } from './shown-order.ts';
import { badRequest, requestEntityTooLarge, type Status } from '../meta/status.ts';

export type PatchResult =
  | {
      readonly ok: true;
      /** May share what did not change with the document and the patch: change neither. */
      readonly value: JsonValue;
      /** What fieldValidation Strict refuses and Warn warns of: unknown fields of the patch itself. */
      readonly strictErrors: readonly string[];
      /** The value with its keys as messages show them; see {@link inShownOrder}. */
      readonly shown: (isSorted: boolean) => JsonValue;
    }
  | PatchProblem;

export type PatchFailureCode = 400 | 413 | 422 | 500;

/** Told from a value by `instanceof`, so that steps can return either. */
export class PatchProblem {
  readonly ok = false;
  readonly code: PatchFailureCode;
  /** The message of the Status; see {@link patchFailureStatus}. */
  readonly message: string;
  /** For logs and tests; the same as `message` where clients are told. */
  readonly why: string;

  constructor(code: PatchFailureCode, message: string, why = message) {
    this.code = code;
    this.message = message;
    this.why = why;
  }
}

/** The patch is no patch. */
export function malformed(message: string): PatchProblem {
  return new PatchProblem(400, message);
}

/** The patch does not fit the document; `why` is not told to the client. */
export function unprocessable(why: string): PatchProblem {
  const message = 'the server rejected our request due to an error in our request';
  return new PatchProblem(422, message, why);
}

/** Where upstream has no better answer than 500, the client being at fault all the same. */
export function unexpected(message: string): PatchProblem {
  return new PatchProblem(500, message);
}

/** Where upstream panics over a null that stands where no null should. */
export function panicking(why: string): PatchProblem {
  const message = 'This request caused apiserver to panic. Look in the logs for details.';
  return new PatchProblem(500, message, why);
}

/** @param touched what the patch took apart on the way; found out when a message shows the value. */
export function patched(
  value: JsonValue,
  strictErrors: readonly string[] = [],
  touched?: () => Touched,
): PatchResult {
  const shown = (isSorted: boolean): JsonValue =>
    touched === undefined ? value : inShownOrder(value, touched(), isSorted);
  return { ok: true, value, strictErrors, shown };
}

/** The answer to a patch that failed. A 500 has no reason, as upstream has it. */
export function patchFailureStatus({ code, message }: PatchProblem): Status {
  switch (code) {
    case 400:
      return badRequest(message);
    case 413:
      return requestEntityTooLarge(message);
    case 422:
      return { ...failure(code, message), reason: 'Invalid', details: {} };
    case 500:
      return failure(code, message);
  }
}

function failure(code: number, message: string): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code };
}
