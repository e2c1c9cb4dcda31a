/**
 * DELETE of everything a selection holds, one object after the other in its own commit.
 *
 * In Kubernetes: Store.DeleteCollection. Like there it is not atomic: objects that go away
 * meanwhile are passed over, and the first failure ends it.
 */
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { pageNow } from '../../projections/list/list-page.ts';
import { nameOf, namespaceOf, type StoredObject } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import { statusAnswer, type Answer, type AuthenticatedRequest } from '../request.ts';
import type { DeleteOptions } from '../../api/meta/delete-options.ts';
import { readDeleteOptions, removeObject } from './delete.ts';
import { guarded } from './guarded.ts';
import { whenReadable } from './read-version.ts';
import { readSelection } from './selection-of.ts';
import type { WriteRoom } from './write-room.ts';

/** Removals under way at the same time: enough to share the log's flushes. */
const AT_ONCE = 64;

export function removeCollection(
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
): void {
  const read = readSelection(request, served);
  if (!read.ok) {
    done(statusAnswer(read.status));
    return;
  }
  const { selection, options: list } = read;
  const remove = (options: DeleteOptions): void => {
    const { objects } = room.gallery.of(served.definition.storage);
    const { items } = pageNow(objects, { selection, after: '', limit: list.limit });
    const removal = { request, served, options };
    const removeOne = (path: string, removed: (answer: Answer) => void): void => {
      removeObject(room, removal, { namespace: namespaceOf(path), name: nameOf(path) }, removed);
    };
    const paths = items.map(({ path }) => path);
    inTurn(paths, removeOne, (failed) => {
      done(failed ?? listAnswer(served, items, room.applied.current));
    });
  };
  readDeleteOptions(room, request, done, (options) => {
    whenReadable(
      room,
      { asked: '', moment: undefined },
      guarded(room, done, (readable) => {
        if (readable.ok) remove(options);
        else done(statusAnswer(readable.status));
      }),
    );
  });
}

/** Several at once, the next when one is done, until all are or one has failed. */
function inTurn(
  paths: readonly string[],
  removeOne: (path: string, removed: (answer: Answer) => void) => void,
  done: (failed: Answer | undefined) => void,
): void {
  let next = 0;
  let underWay = 0;
  let failed: Answer | undefined;
  // Answers may come at once, in the middle of this loop, which then takes them into account.
  let inLoop = false;
  const goOn = (): void => {
    if (inLoop) return;
    inLoop = true;
    while (failed === undefined && underWay < AT_ONCE && next < paths.length) {
      const path = paths[next] ?? '';
      next += 1;
      underWay += 1;
      removeOne(path, (answer) => {
        underWay -= 1;
        if (isFailure(answer)) failed ??= answer;
        goOn();
      });
    }
    inLoop = false;
    if (underWay === 0) done(failed);
  };
  goOn();
}

function listAnswer(
  served: ServedResource,
  items: readonly StoredObject[],
  resourceVersion: ResourceVersion,
): Answer {
  return {
    kind: 'List',
    served,
    items,
    resourceVersion,
    continue: '',
    remainingItemCount: undefined,
  };
}

function isFailure(answer: Answer): boolean {
  return answer.kind === 'Status' && answer.status.code !== 200 && answer.status.code !== 404;
}
