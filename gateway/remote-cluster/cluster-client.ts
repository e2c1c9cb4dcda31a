/**
 * What moving logs about needs of a cluster: any server that speaks the Kubernetes API, so nothing
 * here may lean on what only this one does.
 */
import { objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import { formatJson } from '../../api/json/json-text.ts';

/** An answer with its HTTP status; any status, also those of refusals. */
export interface ClusterAnswer {
  /** The HTTP code; codes of refusal are answers, not errors. */
  readonly status: number;
  /** Empty where the answer was no JSON object. */
  readonly body: JsonObject;
}

/** An open watch, or the refusal of one. */
export interface ClusterWatch {
  readonly status: number;
  /** What was answered instead of a watch. */
  readonly body: JsonObject;
  /** As they come; ends when the server ends it, throws when the connection breaks. */
  readonly events: AsyncIterable<readonly JsonObject[]>;
}

/** Requests to the API of one cluster. */
export interface ClusterClient {
  /** Its URL. */
  readonly server: string;

  /** @throws ClusterUnreachableError no answer came. */
  send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    sending: { readonly body?: JsonObject; readonly signal: AbortSignal },
  ): Promise<ClusterAnswer>;

  /** @throws ClusterUnreachableError no answer came. */
  watch(path: string, signal: AbortSignal): Promise<ClusterWatch>;

  /** Ends its connections; requests under way are rejected. */
  close(): Promise<void>;
}

/** No answer: the server may have got the request or not. */
export class ClusterUnreachableError extends Error {
  override readonly name = 'ClusterUnreachableError';
}

/** What the server says is wrong, in one line. */
export function problemOf({ status, body }: ClusterAnswer): string {
  const message = stringAt(body, 'message');
  return message === '' ? `the server answered ${String(status)}` : message;
}

/** Whether a Status names this cause, as `ResourceVersionTooLarge`. */
export function hasCause(status: JsonObject, reason: string): boolean {
  const causes = objectAt(status, 'details')?.['causes'];
  return formatJson(causes ?? []).includes(`"${reason}"`);
}
