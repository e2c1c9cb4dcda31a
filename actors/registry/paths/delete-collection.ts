/**
 * DELETE of everything that a list would show, or a page of it, one object after the other in its
 * own commit. It is answered with that list, so a client that takes page after page goes on by its
 * token.
 *
 * In Kubernetes: Store.DeleteCollection. Like there it is not atomic: objects that go away
 * meanwhile are passed over, and the first failure ends it.
 */
import { invalidValue } from '../../../api/field/field-errors.ts';
import { type DeleteOptions, UNSAFE_OPTION } from '../../../api/options/options-delete.ts';
import { invalidOptions } from '../../../api/options/options.ts';
import { nameOf, namespaceOf } from '../../../streams/event.ts';
import { type Answer, statusAnswer } from '../../request/answer.ts';
import { LISTING, type HasList } from '../reads/list.ts';
import { selectObjects } from '../reads/selection-of.ts';
import { type Stage, writePath, type Writes } from '../stage.ts';
import { readBody } from '../stages/decode-object.ts';
import type { HasOptions, Received } from '../write.ts';
import type { WriteContext } from '../write-context.ts';
import { DELETE_CHOSEN, deleteOptions, targetOf, warnOfDelete } from './delete.ts';

/** Removals under way at the same time: enough to share the log's flushes. */
const AT_ONCE = 64;

type Asked = Received & HasOptions<DeleteOptions>;

const refuseUnsafe: Stage<Asked, Asked> = {
  name: 'refuse unsafe',
  run(write) {
    if (write.options.ignoresReadErrors !== true) return write;
    const why = 'is not allowed with DELETECOLLECTION, try again after removing the option';
    const wrong = invalidValue(UNSAFE_OPTION, true, why);
    return statusAnswer(invalidOptions('DeleteOptions', [wrong]));
  },
};

const removeAll: Stage<Asked & HasList, Asked & HasList> = {
  name: 'remove each',
  async run(write, context, writes) {
    const paths = Array.from(write.list.items, ({ path }) => path);
    const removal: Removal = { paths, next: 0, failed: undefined };
    // Few objects meet a precondition, and those behind one that does not are to stay.
    const most = write.options.preconditions === undefined ? AT_ONCE : 1;
    const count = Math.min(most, paths.length);
    await Promise.all(
      Array.from({ length: count }, () => removeNext(writes, context, write, removal)),
    );
    return removal.failed ?? write.list;
  },
};

interface Removal {
  readonly paths: readonly string[];
  /** The first that is not begun with. */
  next: number;
  failed: Answer | undefined;
}

/** One after the other, until all are removed or a removal has failed, here or beside it. */
async function removeNext(
  writes: Writes,
  context: WriteContext,
  { request, served, options }: Asked,
  removal: Removal,
): Promise<void> {
  while (removal.failed === undefined && removal.next < removal.paths.length) {
    const path = removal.paths[removal.next] ?? '';
    removal.next += 1;
    const name = nameOf(path);
    const facts = { options, ...targetOf(served, namespaceOf(path), name) };
    const answer = await writes.perform(context, DELETE_CHOSEN, { request, served, facts });
    if (isFailure(answer)) removal.failed ??= answer;
  }
}

function isFailure(answer: Answer): boolean {
  return answer.kind === 'Status' && answer.status.code !== 200 && answer.status.code !== 404;
}

export const DELETE_COLLECTION = writePath('deletecollection').once(
  // A selection that is none is refused before the body is read.
  selectObjects(),
  readBody,
  deleteOptions,
  refuseUnsafe,
  warnOfDelete,
  ...LISTING,
  removeAll,
);
