/** Requests of the page to its server: the token, the fork and the moment, and what was answered. */
import { messageInYaml } from '../editor/yaml-text.ts';
import { textOfAnswer } from './cut.ts';
import { prefix } from './page-location.ts';
import { credentials, leave, token } from './session.ts';

/** The server answered, and not what was asked for; `code` 0: no answer came. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What differs from a plain GET of JSON. */
export interface Asked {
  /** GET unless said. */
  readonly method?: string;
  /** The media type that is wanted; JSON unless said. */
  readonly accept?: string;
  /** Text that is sent, and its media type. */
  readonly body?: { readonly type: string; readonly text: string };
  /** What stands before the path; that of the location unless said, '' for the main control plane of now. */
  readonly prefix?: string;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

const UNAUTHORIZED = 401;

/** The text of the answer. @throws {ApiProblem} */
export async function askText(path: string, asked: Asked = {}): Promise<string> {
  const answer = await send(path, asked);
  if (answer.ok) return answer.text();
  throw await problemOf(answer);
}

/** The body of the answer as it comes, as UTF-8. @throws {ApiProblem} */
export async function askStream(path: string, asked: Asked = {}): Promise<ReadableStream<string>> {
  const answer = await send(path, asked);
  if (!answer.ok || answer.body === null) throw await problemOf(answer);
  return answer.body.pipeThrough(new TextDecoderStream());
}

async function problemOf(answer: Response): Promise<ApiProblem> {
  const text = await answer.text();
  if (answer.status === UNAUTHORIZED && token.value !== '') {
    leave('The server does not take this token any more. Enter another one.');
  }
  const message = messageIn(text) || answer.statusText;
  return new ApiProblem(answer.status, textOfAnswer(answer.status, message));
}

/** The JSON of the answer, as the caller knows its type. @throws {ApiProblem} */
export async function askJson<Body>(path: string, asked: Asked = {}): Promise<Body> {
  const text = await askText(path, asked);
  // The server answers what its API describes; the caller names which.
  return JSON.parse(text) as Body;
}

/** Sends a JSON value; of PATCH, a merge patch. @param inPlace as `prefix`. @throws {ApiProblem} */
export function sendJson<Body>(
  method: string,
  path: string,
  value: object,
  inPlace?: string,
): Promise<Body> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const body = { type, text: JSON.stringify(value) };
  return askJson<Body>(path, {
    method,
    body,
    ...(inPlace === undefined ? {} : { prefix: inPlace }),
  });
}

async function send(path: string, asked: Asked): Promise<Response> {
  const { method = 'GET', accept = 'application/json', body, signal } = asked;
  const pageLocation = asked.prefix ?? prefix.value;
  try {
    return await fetch(`${pageLocation}${path}`, {
      method,
      headers: {
        Accept: accept,
        ...credentials(),
        ...(body === undefined ? {} : { 'Content-Type': body.type }),
      },
      ...(body === undefined ? {} : { body: body.text }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiProblem(0, 'The server cannot be reached.');
  }
}

/** The message of a Status, or the beginning of whatever else came. */
function messageIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'message' in value) {
      return String(value.message);
    }
  } catch {
    // No JSON: of requests for YAML, the Status is YAML; anything else is shown as it is.
  }
  const message = messageInYaml(text);
  if (message !== '') return message;
  return text.slice(0, SHOWN_CHARACTERS);
}

const SHOWN_CHARACTERS = 300;

/** What to show of an error, whatever was thrown. */
export function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
