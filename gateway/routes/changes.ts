/**
 * `/everwatch/v1/changes`: what changed in the control plane, and which user did it how, without the objects.
 * What took no effect is not among it.
 *
 *     GET …/changes?user=&verb=&namespace=&resource=&from=&to=&limit=&follow=
 *
 * It tells names of everything. So a request needs the rights that the log needs (log.ts).
 */
import type { Answer } from '../../actors/request/answer.ts';
import { statusAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { CHANGES_PATH } from '../../actors/request/log-request.ts';
import { formatJson } from '../../api/json/json-text.ts';
import { badRequest } from '../../api/meta/status.ts';
import { queryValue } from '../../api/meta/web-addresses.ts';
import type { LogQuery } from '../../projections/past/log-source.ts';
import { nameOf, namespaceOf, type LoggedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { booleanIn, type LogRouteParts, refusal, versionIn } from './log.ts';
import type { Route } from './route.ts';

const LINES = { 'Content-Type': 'application/json' };
const LIMIT_MAX = 1_000_000;

interface AskedChanges {
  readonly query: LogQuery;
  /** Of each, what a change has to be; '' for any. */
  readonly user: string;
  readonly verb: string;
  readonly namespace: string;
  /** Not more lines than that. */
  readonly limit: number;
}

/** Serves {@link CHANGES_PATH}; nothing below `/at/`. */
export function changesRoute(parts: LogRouteParts): Route {
  return (request) => {
    const { path, at } = request.info;
    if (at !== '' || path !== CHANGES_PATH) return undefined;
    const refused = refusal(request);
    if (refused !== undefined) return refused;
    const asked = askedIn(request.query);
    if (typeof asked === 'string') return statusAnswer(badRequest(asked));
    return answerTo(parts, request, asked);
  };
}

function answerTo(
  { source, stopping, rights }: LogRouteParts,
  request: AuthenticatedRequest,
  asked: AskedChanges,
): Answer {
  async function* chunks(gone: AbortSignal): AsyncGenerator<Buffer> {
    let left = asked.limit;
    const signal = AbortSignal.any([gone, stopping]);
    for await (const batch of source.events(asked.query, signal)) {
      const found = batch.filter(({ event }) => isAsked(asked, event)).slice(0, left);
      left -= found.length;
      if (found.length > 0) yield Buffer.concat(found.map(({ event }) => lineOf(event)));
      if (left <= 0) return;
    }
    // A client that is told of an end takes what it has for everything.
    if (stopping.aborted) throw new Error('the server stops');
  }
  return { kind: 'Stream', headers: LINES, chunks, held: (lost) => rights.hold(request, lost) };
}

function isAsked({ user, verb, namespace }: AskedChanges, event: LoggedEvent): boolean {
  if (user !== '' && event.user !== user) return false;
  if (verb !== '' && event.verb !== verb) return false;
  return namespace === '' || namespaceOf(event.path) === namespace;
}

function lineOf(event: LoggedEvent): Buffer {
  const line = {
    resourceVersion: event.resourceVersion,
    time: new Date(event.time).toISOString(),
    type: event.type,
    resource: event.resource,
    namespace: namespaceOf(event.path),
    name: nameOf(event.path),
    uid: event.uid,
    user: event.user,
    verb: event.verb,
    fieldManager: event.fieldManager,
    auditID: event.auditID,
    previousResourceVersion: event.previousResourceVersion,
  };
  return Buffer.from(`${formatJson(line)}\n`);
}

/** What is wrong with it, or what is asked. */
function askedIn(query: string): AskedChanges | string {
  const [from, to] = [versionIn(query, 'from'), versionIn(query, 'to')];
  if (typeof from === 'string') return from;
  if (typeof to === 'string') return to;
  const follow = booleanIn(query, 'follow');
  if (typeof follow === 'string') return follow;
  const limit = queryValue(query, 'limit') ?? String(LIMIT_MAX);
  if (!/^[1-9]\d{0,6}$/.test(limit)) return `limit must be from 1 to ${String(LIMIT_MAX)}`;
  const resource = queryValue(query, 'resource') ?? '';
  const [user = '', verb = '', namespace = ''] = ['user', 'verb', 'namespace'].map(
    (name) => queryValue(query, name) ?? '',
  );
  return {
    query: {
      from: from ?? resourceVersion(0),
      ...(to === undefined ? {} : { to }),
      ...(resource === '' ? {} : { resource }),
      follow,
      effectiveOnly: true,
    },
    ...{ user, verb, namespace },
    limit: Number(limit),
  };
}
