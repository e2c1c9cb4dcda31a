/**
 * `/everwatch/v1/log`: the log of this control plane for tools, as lines of JSON (see
 * docs/event-format.md), and what they have to ask first. There is nothing like it in Kubernetes.
 *
 *     GET …/log?from=&to=&resource=&path=&follow=&effectiveOnly=   records with their verdicts
 *     GET …/log/state?version=                                     every object as it was then
 *     GET …/log/bounds                                             from where to where
 *     GET …/log/version-at?time=                                   the version of a time
 *
 * The log shows Secrets, those of the past too. So a request needs the path and today's `list` of
 * all that it shows, which the authorization filter asks (actors/authorization/needed-access.ts). Anonymous users
 * do not get it, not even where every user may do everything.
 */
import { UNAUTHENTICATED_GROUP } from '../../actors/authentication/server-authenticator.ts';
import { attributesOf, describe } from '../../actors/authorization/authorizer.ts';
import { type Answer, statusAnswer, type StreamAnswer } from '../../actors/request/answer.ts';
import { LOG_PATH, logScopeOf } from '../../actors/request/log-request.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { badRequest, expired, forbidden, methodNotAllowed } from '../../api/meta/status.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import { formatJudgedLine } from '../../projections/past/judged-line.ts';
import type { JudgedEvent, LogQuery, LogSource } from '../../projections/past/log-source.ts';
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import { jsonAnswer, type Route } from './route.ts';

export interface LogRouteParts {
  readonly source: LogSource;
  /** Aborted when the server stops: then streams are broken off, and clients ask another one. */
  readonly stopping: AbortSignal;
  /** Asks for the rights to streams again, while they last. */
  readonly rights: StreamRights;
}

/** What has a right asked for again, until it is let go of. */
export interface StreamRights {
  hold(request: AuthenticatedRequest, lost: () => void): () => void;
}

const LINES = { 'Content-Type': 'application/json' };

/** Serves {@link LOG_PATH} and what is below it; nothing below `/at/`. */
export function logRoute(parts: LogRouteParts): Route {
  return (request) => {
    const { path, at } = request.info;
    // What is asked for below `/at/` is a state; a log has its own ways to say until when.
    if (at !== '') return undefined;
    if (path !== LOG_PATH && !path.startsWith(`${LOG_PATH}/`)) return undefined;
    const refused = refusal(request);
    if (refused !== undefined) return refused;
    switch (path.slice(LOG_PATH.length)) {
      case '':
        return eventsAnswer(parts, request);
      case '/state':
        return stateAnswer(parts, request);
      case '/bounds':
        return boundsAnswer(parts.source, path, request.query);
      case '/version-at':
        return versionAnswer(parts.source, request.query);
      default:
        return undefined;
    }
  };
}

/** What the user may do was asked by the authorization filter; this is refused whatever rules allow. */
export function refusal(request: AuthenticatedRequest): Answer | undefined {
  if (request.method !== 'GET') return statusAnswer(methodNotAllowed());
  if (!request.user.groups.includes(UNAUTHENTICATED_GROUP)) return undefined;
  const sentence = describe(attributesOf(request));
  const why = `${sentence}: the log is not shown without credentials`;
  return statusAnswer(forbidden({ group: '', resource: '' }, '', why));
}

function eventsAnswer(parts: LogRouteParts, request: AuthenticatedRequest): Answer {
  const asked = logQuery(request.query);
  if (typeof asked === 'string') return statusAnswer(badRequest(asked));
  return streamOf(parts, request, (signal) => parts.source.events(asked, signal));
}

function stateAnswer(parts: LogRouteParts, request: AuthenticatedRequest): Answer {
  const version = versionIn(request.query, 'version');
  if (typeof version === 'string') return statusAnswer(badRequest(version));
  if (version === undefined) return statusAnswer(badRequest('version must be given'));
  async function* judged(signal: AbortSignal): AsyncGenerator<readonly JudgedEvent[]> {
    for await (const slice of parts.source.stateAt(resourceVersion(Number(version)), signal)) {
      yield slice.map((event) => ({ event, verdict: 'effective' }));
    }
  }
  return streamOf(parts, request, judged);
}

async function boundsAnswer(source: LogSource, path: string, query: string): Promise<Answer> {
  const { oldest, newest, cuts } = await source.bounds();
  // The life of one object needs no right to know of other resources.
  const only =
    logScopeOf(path, query).kind === 'object' ? queryValue(query, 'resource') : undefined;
  const shown = [...(cuts?.resources ?? [])].filter(([name]) => name === (only ?? name));
  const resources = Object.fromEntries(shown);
  return jsonAnswer({
    oldest,
    newest,
    ...(cuts === undefined ? {} : { cuts: { everything: cuts.everything, resources } }),
  });
}

function versionAnswer(source: LogSource, query: string): Answer | Promise<Answer> {
  const text = queryValue(query, 'time') ?? '';
  const time = Date.parse(text);
  if (Number.isNaN(time)) return statusAnswer(badRequest('time must be a time in RFC 3339'));
  return source.versionAtTime(time).then(
    (version) => jsonAnswer({ resourceVersion: version }),
    (error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      return statusAnswer(expired(why));
    },
  );
}

function streamOf(
  { stopping, rights }: LogRouteParts,
  request: AuthenticatedRequest,
  judged: (signal: AbortSignal) => AsyncIterable<readonly JudgedEvent[]>,
): StreamAnswer {
  async function* chunks(gone: AbortSignal): AsyncGenerator<Buffer> {
    const signal = AbortSignal.any([gone, stopping]);
    for await (const batch of judged(signal)) {
      yield Buffer.concat(batch.map(formatJudgedLine));
    }
    // A client that is told of an end takes what it has for everything.
    if (stopping.aborted) throw new Error('the server stops');
  }
  return { kind: 'Stream', headers: LINES, chunks, held: (lost) => rights.hold(request, lost) };
}

/** What is wrong with it, or what is asked. */
function logQuery(query: string): LogQuery | string {
  const from = versionIn(query, 'from');
  const to = versionIn(query, 'to');
  if (typeof from === 'string') return from;
  if (typeof to === 'string') return to;
  const resource = queryValue(query, 'resource') ?? '';
  const path = queryValue(query, 'path') ?? '';
  if (path !== '' && resource === '') return 'path must not be given without resource';
  const follow = booleanIn(query, 'follow');
  const effectiveOnly = booleanIn(query, 'effectiveOnly');
  if (typeof follow === 'string') return follow;
  if (typeof effectiveOnly === 'string') return effectiveOnly;
  return {
    from: from ?? resourceVersion(0),
    ...(to === undefined ? {} : { to }),
    ...(resource === '' ? {} : { resource }),
    ...(path === '' ? {} : { path }),
    follow,
    effectiveOnly,
  };
}

/** What is wrong with it, or the version; undefined where it is not given. */
export function versionIn(query: string, name: string): ResourceVersion | string | undefined {
  const text = queryValue(query, name) ?? '';
  if (text === '') return undefined;
  if (!/^[0-9]{1,15}$/.test(text)) return `${name} must be a version: a whole number`;
  return resourceVersion(Number(text));
}

/** What is wrong with it, or what it says; false where it is not given. */
export function booleanIn(query: string, name: string): boolean | string {
  const text = queryValue(query, name) ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  return `${name} must be true or false`;
}
