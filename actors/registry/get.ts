/**
 * GET of one object, now or exactly at a version.
 *
 * In Kubernetes: GetResource, apiserver/pkg/endpoints/handlers/get.go, which knows only now.
 */
import { internalError, notFound, type Status } from '../../api/meta/status.ts';
import { parseGetOptions } from '../../api/meta/options.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { ObjectReads } from '../../projections/objects/object-view.ts';
import { ObjectsAt } from '../../projections/past/objects-at.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { keyOf } from './create.ts';
import { guarded } from './guarded.ts';
import { goneBefore, parseVersion, whenReadable } from './read-version.ts';
import { whenShown } from './when-shown.ts';
import type { ReadRoom } from './write-room.ts';

export function get(
  room: ReadRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  const { resourceVersion: asked, isExact } = parseGetOptions(request.query);
  const { namespace, name } = request.info;
  const key = keyOf(served, namespace, name);
  const show = (objects: ObjectReads): void => {
    const object = objects.get(key.resource, key.path);
    if (object === undefined) done(statusAnswer(notFound(served.facts, name)));
    else
      whenShown(room, { served, objects: [object] }, done, ([shown = object]) => {
        done({ kind: 'Object', code: 200, served, object: shown });
      });
  };
  const fail = (status: Status): void => {
    done(statusAnswer(status));
  };
  // What is there now is looked at without waiting, or asked of the log, as upstream does.
  const resource = asked === '' ? undefined : key.resource;
  whenReadable(room, { asked, moment: request.moment, resource }, (readable) => {
    const exactly = isExact ? parseVersion(asked) : undefined;
    if (!readable.ok) fail(readable.status);
    else if (exactly === undefined) show(room.objects);
    else readExactly(room, { resource: key.resource, version: exactly }, show, done);
  });
}

interface Exactly {
  readonly resource: string;
  /** Applied. */
  readonly version: ResourceVersion;
}

function readExactly(
  room: ReadRoom,
  { resource, version }: Exactly,
  show: (objects: ObjectReads) => void,
  done: (answer: Answer) => void,
): void {
  const read = guarded(room, done, () => {
    const gone = goneBefore(room, resource, version);
    if (gone !== undefined) done(statusAnswer(gone));
    else show(new ObjectsAt((one) => room.gallery.of(one), version));
  });
  room.history.settled().then(read, (error: unknown) => {
    done(statusAnswer(internalError(error)));
  });
}
