/**
 * Why a server did not answer, or what it answered instead, in the words of Go's HTTP client
 * and of client-go, which clients of a cluster know.
 *
 * In Kubernetes: transformResponse, client-go/rest, and NewGenericServerResponse, apimachinery.
 */
import { goQuote } from '../../api/json/go-format.ts';

const DIAL: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ETIMEDOUT: 'connect: connection timed out',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
};

/** Whether this code of an error says that there was no connection at all. */
export function isDialProblem(code: string): boolean {
  return Object.hasOwn(DIAL, code);
}

/** @param error of a request of node:https. */
export function goProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const {
    code = '',
    address,
    port,
    hostname,
  } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
    readonly hostname?: string;
  };
  const reason = DIAL[code];
  if (reason !== undefined) return `dial tcp ${address ?? ''}:${String(port ?? '')}: ${reason}`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname ?? ''}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  return error.message;
}

const SAID: ReadonlyMap<number, string> = new Map([
  [400, 'the server rejected our request for an unknown reason'],
  [401, 'the server has asked for the client to provide credentials'],
  [404, 'the server could not find the requested resource'],
  [405, 'the server does not allow this method on the requested resource'],
  [409, 'the server reported a conflict'],
  [422, 'the server rejected our request due to an error in our request'],
  [429, 'the server has received too many requests and has asked us to try again later'],
  [503, 'the server is currently unable to handle the request'],
  [
    504,
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
]);
/** Their bodies are the message. */
const OWN_WORDS: ReadonlySet<number> = new Set([403, 406, 415]);
const BODY_SHOWN_MAX = 1_024;

/** @param code none of success. */
export function serverProblem(code: number, body: Buffer): string {
  const said = SAID.get(code);
  if (said !== undefined) return said;
  const text = body.subarray(0, BODY_SHOWN_MAX).toString().trim();
  const shown = text === '' ? 'unknown' : text;
  if (OWN_WORDS.has(code)) return shown;
  if (code >= 500) {
    return `an error on the server (${goQuote(shown)}) has prevented the request from succeeding`;
  }
  return `the server responded with the status code ${String(code)} but did not return more information`;
}
