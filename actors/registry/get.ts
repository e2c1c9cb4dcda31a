/** GET of one object. In Kubernetes: GetResource, apiserver/pkg/endpoints/handlers/get.go. */
import { notFound } from '../../api/meta/status.ts';
import { parseGetOptions } from '../../api/meta/options.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { statusAnswer, type Answer, type AuthenticatedRequest } from '../request.ts';
import { keyOf } from './create.ts';
import { whenReadable, type Readable } from './read-version.ts';
import type { ReadRoom } from './write-room.ts';

export function get(
  room: ReadRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  const { resourceVersion } = parseGetOptions(request.query);
  const answer = (readable: Readable): Answer => {
    if (!readable.ok) return statusAnswer(readable.status);
    const { namespace, name } = request.info;
    const key = keyOf(served, namespace, name);
    const object = room.objects.get(key.resource, key.path);
    if (object === undefined) return statusAnswer(notFound(served.facts, name));
    return { kind: 'Object', code: 200, served, object };
  };
  whenReadable(room, resourceVersion, (readable) => {
    done(answer(readable));
  });
}
