/**
 * The registry of one resource: how its objects are read, made, changed and removed.
 *
 * One long-lived actor per resource, whichever group versions serve it. A resource that is never
 * stored has one too, with handlers of its own.
 */
import { internalError } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { Behavior, Fate } from '../actor.ts';
import { statusAnswer } from '../answer.ts';
import type { AuthenticatedRequest } from '../request.ts';
import { create } from './create.ts';
import { customRoom } from './custom-writes.ts';
import { removeCollection } from './delete-collection.ts';
import { remove } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { pastRoom } from './past-room.ts';
import { patch } from './patch.ts';
import { getScale, patchScale, updateScale } from './scale.ts';
import { update } from './update.ts';
import type { ResourceHandlers, VerbHandlers } from './verb-handler.ts';
import { watch } from './watch.ts';
import type { WriteRoom } from './write-room.ts';

/** A request that was found to be for this resource, in this version. */
export interface ResourceRequest {
  readonly type: 'resourceRequest';
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
}

const VERBS: VerbHandlers = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** They convert what they show themselves, many objects at once. */
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

const SCALE_VERBS: VerbHandlers = {
  get: getScale,
  update: updateScale,
  patch: patchScale,
};

const NONE: ResourceHandlers = new Map();

/** @param own who answers, where nothing is stored or a verb has more to do. */
export function registry(
  storage: string,
  room: WriteRoom,
  own: ResourceHandlers = NONE,
): Behavior<ResourceRequest> {
  return {
    name: `registry-${storage.replace('/', '-')}`,

    receive({ request, served }) {
      const { info, moment } = request;
      const { verb, subresource } = info;
      const stored = subresource === 'scale' ? SCALE_VERBS : VERBS;
      const handler = own.get(subresource)?.[verb] ?? stored[verb];
      if (handler === undefined) throw new Error(`no handler for ${verb} ${subresource}`);
      const seen = moment === undefined ? room : pastRoom(room, moment);
      const used = READS.has(verb) ? seen : customRoom(seen, served);
      handler(used, request, served, (answer) => request.reply(answer));
      // The handler has it, and answers when it can.
      return 'waiting' as Fate;
    },

    fault({ request }, error) {
      room.faults.record('handling a resource request', error);
      return request.reply(statusAnswer(internalError(error)));
    },
  };
}
