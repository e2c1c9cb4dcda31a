/**
 * GET of many objects, whole or page by page.
 *
 * In Kubernetes: ListResource, apiserver/pkg/endpoints/handlers/get.go, and the list of etcd3/store.go.
 */
import {
  badRequest,
  expired,
  expiredList,
  serviceUnavailable,
  type Status,
} from '../../../api/meta/status.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import type { ListOptions } from '../../../api/options/options-list.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import {
  formatContinueToken,
  parseContinueToken,
  type ContinueToken,
} from '../../../projections/list/continue-token.ts';
import { pageAt, pageNow, type ListPage } from '../../../projections/list/list-page.ts';
import { HistoryBehindError } from '../../../projections/objects/object-history.ts';
import { LogTrimmedError } from '../../../streams/event-log.ts';
import type { StoredObject } from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { statusAnswer, type Answer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { parseVersion, whenReadable } from './read-version.ts';
import { readSelection } from './selection-of.ts';
import { whenShown } from './when-shown.ts';
import type { ReadContext } from '../write-context.ts';

export function list(
  context: ReadContext,
  request: AuthenticatedRequest,
  served: ServedResource,
): MaybePromise<Answer> {
  const read = readSelection(request, served);
  if (!read.ok) return statusAnswer(read.status);
  const { options, selection } = read;
  const { moment } = request;
  const begun = beginning(context, options, moment);
  if (!begun.ok) return statusAnswer(begun.status);
  const { token, exactly, asked } = begun;
  const query = { selection, after: token?.after ?? '', limit: options.limit };
  // A client that goes on with whatever is newest begins again, and has as long as from the first
  // page on.
  const since = token?.version === undefined ? context.clock.now() : token.since;
  const { storage } = served.definition;
  return andThen(whenReadable(context, { asked, moment, resource: storage }), (readable) => {
    if (asked === '' && moment === undefined) context.reads?.readNow(storage, readable.ok);
    if (!readable.ok) return statusAnswer(readable.status);
    const version = exactly ?? readable.version;
    const at = moment === undefined ? exactly : version;
    const show = (page: ListPage): MaybePromise<Answer> => {
      context.reads?.listed(storage, page);
      return whenShown({ served, objects: page.items }, (items) =>
        listAnswer(
          served,
          { lastPath: page.lastPath, remaining: page.remaining, items },
          version,
          since,
        ),
      );
    };
    const resource = context.resourceViews.of(storage);
    if (at === undefined) return show(pageNow(resource.objects, query));
    return pageOfPast(pageAt(resource, at, query), token, show);
  });
}

async function pageOfPast(
  reading: MaybePromise<ListPage>,
  token: ContinueToken | undefined,
  show: (page: ListPage) => MaybePromise<Answer>,
): Promise<Answer> {
  let page: ListPage;
  try {
    page = await reading;
  } catch (error) {
    if (error instanceof HistoryBehindError) return statusAnswer(historyBehind());
    if (!(error instanceof LogTrimmedError)) throw error;
    return statusAnswer(token === undefined ? tooOldList() : expiredList(inconsistent(token)));
  }
  return show(page);
}

function historyBehind(): Status {
  return serviceUnavailable('the history cannot be read at the moment', 1);
}

/** Where a list begins: at a moment, and for a further page behind an object. */
type Beginning =
  | {
      readonly ok: true;
      /** What has to be applied before it can be read, as a resourceVersion parameter. */
      readonly asked: string;
      readonly exactly: ResourceVersion | undefined;
      readonly token: ContinueToken | undefined;
    }
  | { readonly ok: false; readonly status: Status };

function beginning(
  context: ReadContext,
  options: ListOptions,
  moment: ResourceVersion | undefined,
): Beginning {
  const { resourceVersion: asked, resourceVersionMatch, limit } = options;
  if (options.continue !== '') return continuation(context, options, moment);
  const pinned = asked !== '' && asked !== '0';
  // A page at a version was exact before there was a parameter to say so.
  const isExact = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0);
  const exactly = pinned && isExact ? parseVersion(asked) : undefined;
  return { ok: true, asked, exactly, token: undefined };
}

function continuation(
  context: ReadContext,
  options: ListOptions,
  moment: ResourceVersion | undefined,
): Beginning {
  const token = parseContinueToken(options.continue);
  if (typeof token === 'string') {
    return { ok: false, status: badRequest(`invalid continue token: ${token}`) };
  }
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
    const message = 'specifying resource version is not allowed when using continue';
    return { ok: false, status: badRequest(message) };
  }
  const { version } = token;
  if (version === undefined) return { ok: true, asked: '', exactly: undefined, token };
  // What claims to be of the future was not made here. Below a moment nothing changes any more, so
  // there no token grows too old.
  const ageMs = moment === undefined ? Math.abs(context.clock.now() - token.since) : 0;
  if (ageMs > context.limits.continueTokenTtlMs) {
    return { ok: false, status: expiredList(inconsistent(token)) };
  }
  return { ok: true, asked: String(version), exactly: version, token };
}

/** The token with which a client may go on with whatever is there now. */
function inconsistent(token: ContinueToken): string {
  return formatContinueToken({ ...token, version: undefined });
}

/** In Kubernetes: the error for a compacted revision, apiserver/pkg/storage/etcd3/errors.go. */
function tooOldList(): Status {
  return expired('The resourceVersion for the provided list is too old.');
}

interface ShownPage extends Pick<ListPage, 'lastPath' | 'remaining'> {
  readonly items: readonly StoredObject[];
}

function listAnswer(
  served: ServedResource,
  { items, lastPath, remaining }: ShownPage,
  resourceVersion: ResourceVersion,
  since: number,
): Answer {
  const token = { version: resourceVersion, after: lastPath, since };
  return {
    kind: 'List',
    served,
    items,
    resourceVersion,
    continue: lastPath === '' ? '' : formatContinueToken(token),
    remainingItemCount: remaining,
  };
}
