/**
 * GET of one object, now or exactly at a version.
 *
 * In Kubernetes: GetResource, apiserver/pkg/endpoints/handlers/get.go, which knows only now.
 */
import {
  badRequest,
  notFound,
  unclassifiedFailure,
  type Status,
} from '../../../api/meta/status.ts';
import { parseGetOptions } from '../../../api/options/options.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { ObjectsAt } from '../../../projections/past/objects-at.ts';
import type { StoredObject } from '../../../streams/event.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import { shownObjects, type ShownNow } from '../custom/shown-objects.ts';
import { readPath, type Stage, type StageResult, waitingStage } from '../stage.ts';
import { objectKey } from '../stages/place-object.ts';
import { noted, type Received } from '../write.ts';
import type { ObjectKey } from '../write-context.ts';
import {
  awaitVersion,
  invalidVersion,
  goneBefore,
  parseVersion,
  unclassifiedVersion,
  versionShown,
  type HasReached,
  type HasVersionAsked,
} from './read-version.ts';

interface HasLookUp {
  readonly key: ObjectKey;
  /** Exactly this version; undefined: what is there now. */
  readonly exactly: ResourceVersion | undefined;
}

/** The object, now or as of the version that was asked for. */
export interface HasFound {
  readonly found: StoredObject;
}

const NO_EXPORT = 'the export parameter, deprecated since v1.14, is no longer supported';

const readOptions: Stage<Received, Received & HasVersionAsked & HasLookUp> = {
  name: 'options',
  run(read, { clock }) {
    const { request, served } = read;
    const { namespace, name } = request.info;
    const { resourceVersion: asked, isExact, isExport } = parseGetOptions(request.query);
    if (isExport) return statusAnswer(badRequest(NO_EXPORT));
    const version = parseVersion(asked);
    if (asked !== '' && version === undefined) return statusAnswer(refusedVersion(served, asked));
    return noted(read, {
      asked,
      // What is there now is looked at without waiting, or asked of the log, as upstream does.
      waitsSince: asked === '' ? undefined : clock.now(),
      key: objectKey(served, namespace, name),
      exactly: isExact ? version : undefined,
    });
  },
};

/** Events are not cached upstream, and what reads them takes the version for the client's fault. */
function refusedVersion({ definition }: ServedResource, asked: string): Status {
  const isUncached = definition.storage === 'core/events';
  return isUncached ? invalidVersion(asked) : unclassifiedVersion(asked);
}

type Reached = Received & HasVersionAsked & HasLookUp & HasReached;

const lookUpObject = waitingStage<Reached, Reached & HasFound, unknown>('look up', {
  find: (read, { history }) => (read.exactly === undefined ? undefined : history.settled()),
  take(read, _settled, context) {
    const { key, exactly } = read;
    const readable = versionShown(read, context);
    if (!readable.ok) return statusAnswer(readable.status);
    if (exactly === undefined) return found(read, context.objects);
    const gone = goneBefore(context, key.resource, exactly);
    if (gone !== undefined) return statusAnswer(gone);
    return found(read, new ObjectsAt((one) => context.resourceViews.pastOf(one), exactly));
  },
});

function found(read: Reached, objects: ObjectReads): StageResult<Reached & HasFound> {
  const { key, served, request } = read;
  const object = objects.get(key.resource, key.path);
  if (object === undefined) return statusAnswer(notFound(served.facts, request.info.name));
  return noted(read, { found: object });
}

type Found = Received & HasFound;

/** The object as its resource shows it, which for built-in ones is as it is stored. */
export function showing(
  show: (served: ServedResource, object: StoredObject) => Answer,
): Stage<Found, Found> {
  return waitingStage('show', {
    find: ({ served, found: object }) => shownObjects(served, [object]),
    take({ served, found: object }, shown: ShownNow) {
      if (!shown.ok) return statusAnswer(unclassifiedFailure(shown.message));
      return show(served, shown.objects[0] ?? object);
    },
  });
}

/** Finds the object, now or as of the version that was asked for; also of what is shown as another kind. */
export const LOOK_UP = [readOptions, awaitVersion, lookUpObject] as const;

export const GET = readPath('get')(
  ...LOOK_UP,
  showing((served, object) => ({ kind: 'Object', code: 200, served, object })),
);
