/**
 * GET of one object, now or exactly at a version.
 *
 * In Kubernetes: GetResource, apiserver/pkg/endpoints/handlers/get.go, which knows only now.
 */
import { notFound } from '../../../api/meta/status.ts';
import { andThen, type MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { parseGetOptions } from '../../../api/options/options.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { ObjectsAt } from '../../../projections/past/objects-at.ts';
import type { ResourceVersion } from '../../../streams/resource-version.ts';
import { statusAnswer, type Answer } from '../../request/answer.ts';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { objectKey } from '../stages/place-object.ts';
import { goneBefore, parseVersion, whenReadable } from './read-version.ts';
import { whenShown } from './when-shown.ts';
import type { ReadContext } from '../write-context.ts';

export function get(
  context: ReadContext,
  request: AuthenticatedRequest,
  served: ServedResource,
): MaybePromise<Answer> {
  const { resourceVersion: asked, isExact } = parseGetOptions(request.query);
  const { namespace, name } = request.info;
  const key = objectKey(served, namespace, name);
  const show = (objects: ObjectReads): MaybePromise<Answer> => {
    const object = objects.get(key.resource, key.path);
    if (object === undefined) return statusAnswer(notFound(served.facts, name));
    return whenShown({ served, objects: [object] }, ([shown = object]) => {
      return { kind: 'Object', code: 200, served, object: shown };
    });
  };
  // What is there now is looked at without waiting, or asked of the log, as upstream does.
  const resource = asked === '' ? undefined : key.resource;
  return andThen(whenReadable(context, { asked, moment: request.moment, resource }), (readable) => {
    if (!readable.ok) return statusAnswer(readable.status);
    const exactly = isExact ? parseVersion(asked) : undefined;
    if (exactly === undefined) return show(context.objects);
    return readExactly(context, { resource: key.resource, version: exactly }, show);
  });
}

interface Exactly {
  readonly resource: string;
  /** Applied. */
  readonly version: ResourceVersion;
}

async function readExactly(
  context: ReadContext,
  { resource, version }: Exactly,
  show: (objects: ObjectReads) => MaybePromise<Answer>,
): Promise<Answer> {
  await context.history.settled();
  const gone = goneBefore(context, resource, version);
  if (gone !== undefined) return statusAnswer(gone);
  return show(new ObjectsAt((one) => context.resourceViews.of(one), version));
}
