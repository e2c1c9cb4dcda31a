/**
 * DELETE of everything that a list would show, or a page of it, one object after the other in its
 * own commit. It is answered with that list, so who takes page after page goes on by its token.
 *
 * In Kubernetes: Store.DeleteCollection. Like there it is not atomic: objects that go away
 * meanwhile are passed over, and the first failure ends it.
 */
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import { nameOf, namespaceOf } from '../../streams/event.ts';
import { statusAnswer, type Answer } from '../answer.ts';
import type { AuthenticatedRequest } from '../request.ts';
import type { DeleteOptions } from '../../api/meta/delete-options.ts';
import { readDeleteOptions, removeObject, warnOfDelete } from './delete.ts';
import { guarded } from './guarded.ts';
import { list } from './list.ts';
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
  const remove = (found: Answer & { kind: 'List' }, options: DeleteOptions): void => {
    const removal = { request, served, options };
    const removeOne = (path: string, removed: (answer: Answer) => void): void => {
      removeObject(room, removal, { namespace: namespaceOf(path), name: nameOf(path) }, removed);
    };
    const paths = found.items.map(({ path }) => path);
    inTurn(paths, removeOne, (failed) => {
      done(failed ?? found);
    });
  };
  readDeleteOptions(room, request, done, (options) => {
    warnOfDelete(request, served, options);
    const listed = guarded(room, done, (answer: Answer) => {
      if (answer.kind === 'List') remove(answer, options);
      else done(answer);
    });
    list(room, request, served, listed);
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

function isFailure(answer: Answer): boolean {
  return answer.kind === 'Status' && answer.status.code !== 200 && answer.status.code !== 404;
}
