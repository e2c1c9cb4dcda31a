/** GET of one object. In Kubernetes: GetResource, apiserver/pkg/endpoints/handlers/get.go. */
import { notFound } from '../../api/meta/status.ts';
import { parseGetOptions } from '../../api/meta/options.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { statusAnswer, type Answer, type AuthenticatedRequest } from '../request.ts';
import { keyOf } from './create.ts';
import { whenReadable } from './read-version.ts';
import type { ReadRoom } from './write-room.ts';

export function get(
  room: ReadRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  const { resourceVersion } = parseGetOptions(request.query);
  whenReadable(room, resourceVersion, (readable) => {
    if (!readable.ok) {
      done(statusAnswer(readable.status));
      return;
    }
    const { namespace, name } = request.info;
    const key = keyOf(served, namespace, name);
    const object = room.objects.get(key.resource, key.path);
    done(
      object === undefined
        ? statusAnswer(notFound(served.facts, name))
        : { kind: 'Object', code: 200, served, object },
    );
  });
}
