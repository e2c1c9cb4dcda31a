/**
 * The registry of one resource: how its objects are read, made, changed and removed.
 *
 * One long-lived actor per stored resource, whichever group versions serve it.
 */
import { internalError } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/scheme/resource-definition.ts';
import type { Behavior, Fate } from '../actor.ts';
import { statusAnswer, type Answer, type AuthenticatedRequest } from '../request.ts';
import { create } from './create.ts';
import { removeCollection } from './delete-collection.ts';
import { remove } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { getScale, patchScale, updateScale } from './scale.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';
import type { WriteRoom } from './write-room.ts';

/** A request that was found to be for this resource, in this version. */
export interface ResourceRequest {
  readonly type: 'resourceRequest';
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
}

type VerbHandler = (
  room: WriteRoom,
  request: AuthenticatedRequest,
  served: ServedResource,
  done: (answer: Answer) => void,
) => void;

const VERBS: Readonly<Record<string, VerbHandler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

const SCALE_VERBS: Readonly<Record<string, VerbHandler>> = {
  get: getScale,
  update: updateScale,
  patch: patchScale,
};

export function registry(storage: string, room: WriteRoom): Behavior<ResourceRequest> {
  return {
    name: `registry-${storage.replace('/', '-')}`,

    receive({ request, served }) {
      const { verb, subresource } = request.info;
      const handler = (subresource === 'scale' ? SCALE_VERBS : VERBS)[verb];
      if (handler === undefined) throw new Error(`no handler for ${verb} ${subresource}`);
      handler(room, request, served, (answer) => request.reply(answer));
      // The handler has it, and answers when it can.
      return 'waiting' as Fate;
    },

    fault({ request }, error) {
      return request.reply(statusAnswer(internalError(error)));
    },
  };
}
