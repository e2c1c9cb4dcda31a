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
  unclassifiedFailure,
  type Status,
} from '../../../api/meta/status.ts';
import type { ListOptions } from '../../../api/options/options-list.ts';
import {
  formatContinueToken,
  parseContinueToken,
  type ContinueToken,
} from '../../../projections/list/continue-token.ts';
import type { ListPage, PageQuery } from '../../../projections/list/list-page.ts';
import type { ListedObjects } from '../../../projections/list/listed-objects.ts';
import { pageInTurns } from '../../../projections/list/page-in-turns.ts';
import { HistoryBehindError } from '../../../projections/store/object-history.ts';
import { LogTrimmedError } from '../../../streams/event-log.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import { shownList } from '../custom/shown-list.ts';
import type { ShownNow } from '../custom/shown-objects.ts';
import { readPath, type Stage, waitingStage } from '../stage.ts';
import { noted, type Received } from '../write.ts';
import type { ReadContext } from '../write-context.ts';
import {
  awaitVersion,
  parseVersion,
  versionShown,
  type HasReached,
  type HasVersionAsked,
} from './read-version.ts';
import { isSelectedAsShown, pageAsShown, type PageAsShown } from './select-shown.ts';
import { selectObjects, type HasSelection } from './selection-of.ts';

interface HasBeginning {
  /** undefined: what is there now. */
  readonly exactly: ResourceVersion | undefined;
  /** undefined: the first page. */
  readonly token: ContinueToken | undefined;
  /** From when its continue token counts, in milliseconds since 1970. */
  readonly since: number;
}

interface HasPage {
  readonly page: ListPage;
  readonly version: ResourceVersion;
}

/** One page, in order of the paths. */
export interface HasList {
  readonly list: ListAnswer;
}

type Selected = Received & HasSelection;
type Begun = Selected & HasVersionAsked & HasBeginning;
type Reached = Begun & HasReached;
type Read = Reached & HasPage;

const findBeginning: Stage<Selected, Begun> = {
  name: 'beginning',
  run(read, context) {
    const begun = beginning(context, read.listOptions, read.request.moment);
    if (!begun.ok) return statusAnswer(begun.status);
    const { token, exactly, asked } = begun;
    const now = context.clock.now();
    // A client that goes on with whatever is newest begins again, and has as long as from the first
    // page on.
    const since = token?.version === undefined ? now : token.since;
    return noted(read, { asked, exactly, token, since, waitsSince: now });
  },
};

type Paged = HasPage | { readonly status: Status };

/** In the turn of the event loop in which it is told how far the views are. */
const readPage = waitingStage<Reached, Read, Paged>('read page', {
  find(read, context) {
    const { asked, exactly, token, request, served, selection, listOptions } = read;
    const { moment } = request;
    const { storage } = served.definition;
    const readable = versionShown(read, context);
    if (asked === '' && moment === undefined) context.reads?.readNow(storage, readable.ok);
    if (!readable.ok) return readable;
    const version = exactly ?? readable.version;
    const at = moment === undefined ? exactly : version;
    const query = { selection, after: token?.after ?? '', limit: Math.max(listOptions.limit, 0) };
    const { resourceViews } = context;
    const resource = at === undefined ? resourceViews.of(storage) : resourceViews.pastOf(storage);
    const pageOf = (asked: PageQuery) => pageInTurns(resource, at ?? version, asked);
    const page = isSelectedAsShown(served, selection)
      ? pageAsShown(served, query, pageOf)
      : pageOf(query);
    return page instanceof Promise ? pageOfPast(page, version, token) : { page, version };
  },
  take(read, paged, { reads }) {
    if ('status' in paged) return statusAnswer(paged.status);
    reads?.listed(read.served.definition.storage, paged.page);
    return noted(read, paged);
  },
});

async function pageOfPast(
  reading: Promise<PageAsShown>,
  version: ResourceVersion,
  token: ContinueToken | undefined,
): Promise<Paged> {
  try {
    const page = await reading;
    if ('message' in page) return { status: unclassifiedFailure(page.message) };
    return { page, version };
  } catch (error) {
    if (error instanceof HistoryBehindError) return { status: historyBehind() };
    if (!(error instanceof LogTrimmedError)) throw error;
    return { status: token === undefined ? tooOldList() : expiredList(inconsistent(token)) };
  }
}

type ShownPage =
  | Exclude<ShownNow, { ok: true }>
  | { readonly ok: true; readonly objects: ListedObjects };

/** The objects of the page as their resource shows them. */
const showPage = waitingStage<Read, Read & HasList, ShownPage>('show', {
  find: ({ served, page }) => shownList(served, page.items),
  take(read, shown) {
    if (!shown.ok) return statusAnswer(unclassifiedFailure(shown.message));
    return noted(read, { list: listAnswer(read, shown.objects) });
  },
});

/** The stages of a list behind its selection, for a deletecollection as well. */
export const LISTING = [findBeginning, awaitVersion, readPage, showPage] as const;

const answerList: Stage<HasList, HasList> = { name: 'answer', run: ({ list }) => list };

export const LIST = readPath('list')(selectObjects(), ...LISTING, answerList);

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

type ListAnswer = Answer & { readonly kind: 'List' };

function listAnswer(
  { served, page, version, since, selection }: Read,
  items: ListedObjects,
): ListAnswer {
  const { lastPath, remaining } = page;
  const token = { version, after: lastPath, since };
  return {
    kind: 'List',
    served,
    items,
    resourceVersion: version,
    continue: lastPath === '' ? '' : formatContinueToken(token),
    remainingItemCount: remaining,
    shardSelector: selection.shard?.canonical,
  };
}
