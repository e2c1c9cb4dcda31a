/**
 * The registry of one resource: how its objects are read, made, changed and removed.
 *
 * One long-lived actor per resource, whichever group versions serve it. A resource that is never
 * stored has one too, with verbs of its own. A request that has to wait for something comes back as
 * a message, whatever it waited for.
 */
import { internalError } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { Behavior, Ref } from '../request/actor.ts';
import { statusAnswer, type Answer } from '../request/answer.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import { customContext } from './custom/custom-writes.ts';
import { get } from './reads/get.ts';
import { list } from './reads/list.ts';
import { pastContext } from './reads/past-context.ts';
import { isApply } from './paths/patch-media.ts';
import { APPLY } from './paths/apply.ts';
import { CREATE } from './paths/create.ts';
import { DELETE_COLLECTION } from './paths/delete-collection.ts';
import { DELETE } from './paths/delete.ts';
import { PATCH } from './paths/patch.ts';
import { APPLY_SCALE, getScale, PATCH_SCALE, UPDATE_SCALE } from './paths/scale.ts';
import { UPDATE } from './paths/update.ts';
import type { Writes } from './stage.ts';
import type { Reader, ResourceHandlers, VerbHandler, VerbHandlers } from './verb-handler.ts';
import { watch } from './reads/watch.ts';
import { faultOfWrite, receiveWrite, writesTo, type WriteMessage } from './write-run.ts';
import { receivedWrite } from './write-state.ts';
import type { WriteContext } from './write-context.ts';

/** A request that was found to be for this resource, in this version. */
export interface ResourceRequest {
  readonly type: 'resourceRequest';
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
}

/** The answer to a read that had to wait for it. */
interface ReadSettled {
  readonly type: 'readSettled';
  readonly request: AuthenticatedRequest;
  readonly answer: Answer;
}

export type RegistryMessage = ResourceRequest | ReadSettled | WriteMessage;

const VERBS: VerbHandlers = {
  get,
  list,
  watch,
  create: CREATE,
  update: UPDATE,
  patch: PATCH,
  apply: APPLY,
  delete: DELETE,
  deletecollection: DELETE_COLLECTION,
};

const SCALE_VERBS: VerbHandlers = {
  get: getScale,
  update: UPDATE_SCALE,
  patch: PATCH_SCALE,
  apply: APPLY_SCALE,
};

const NONE: ResourceHandlers = new Map();

/** @param own the verbs of a resource that is never stored, or that has more to do. */
export function registry(
  storage: string,
  context: WriteContext,
  own: ResourceHandlers = NONE,
): Behavior<RegistryMessage> {
  let writes: Writes | undefined;

  return {
    name: `registry-${storage.replace('/', '-')}`,

    receive(message, self) {
      if (message.type === 'readSettled') {
        message.request.reply(message.answer);
        return;
      }
      if (message.type !== 'resourceRequest') {
        receiveWrite(self, message);
        return;
      }
      const { request, served } = message;
      const handler = handlerOf(own, request);
      const seen = seenAt(context, request);
      if (typeof handler === 'function') {
        read(self, seen, handler, message);
        return;
      }
      receiveWrite(self, {
        type: 'writeRequest',
        path: handler,
        write: receivedWrite(request, served),
        context: customContext(seen, served),
        writes: (writes ??= writesTo(self)),
        reply: (answer) => {
          request.reply(answer);
        },
      });
    },

    fault(message, error) {
      context.faults.record('handling a resource request', error);
      if (message.type === 'resourceRequest' || message.type === 'readSettled') {
        message.request.reply(statusAnswer(internalError(error)));
      } else {
        faultOfWrite(message, error);
      }
    },
  };
}

function handlerOf(own: ResourceHandlers, request: AuthenticatedRequest): VerbHandler {
  const { verb, subresource } = request.info;
  const stored = subresource === 'scale' ? SCALE_VERBS : VERBS;
  const wanted = verb === 'patch' && isApply(request) ? 'apply' : verb;
  const handler = own.get(subresource)?.[verb] ?? stored[wanted];
  if (handler === undefined) throw new Error(`no handler for ${verb} ${subresource}`);
  return handler;
}

/** Now, or as of the moment that the request is about. */
function seenAt(context: WriteContext, { moment }: AuthenticatedRequest): WriteContext {
  return moment === undefined ? context : pastContext(context, moment);
}

/** Reads convert what they show themselves, many objects at once. */
function read(
  self: Ref<RegistryMessage>,
  context: WriteContext,
  reader: Reader,
  { request, served }: ResourceRequest,
): void {
  const answer = reader(context, request, served);
  if (!(answer instanceof Promise)) {
    request.reply(answer);
    return;
  }
  answer.then(
    (settled) => {
      self.send({ type: 'readSettled', request, answer: settled });
    },
    (error: unknown) => {
      context.faults.record('reading', error);
      self.send({ type: 'readSettled', request, answer: statusAnswer(internalError(error)) });
    },
  );
}
