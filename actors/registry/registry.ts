/**
 * The registry of one resource: how its objects are read, made, changed and removed.
 *
 * One long-lived actor per resource, whichever group versions serve it, started when a request first
 * needs it. A resource that is never stored has one too, with verbs of its own. A request that has to
 * wait for something comes back as a message, whatever it waited for.
 */
import { internalError } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import { type Behavior, type Ref, startActor } from '../request/actor.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import { customContext } from './custom/custom-writes.ts';
import { GET } from './reads/get.ts';
import { LIST } from './reads/list.ts';
import { pastContext } from './reads/asked-moment.ts';
import { isApply } from './stages/read-patch.ts';
import { APPLY } from './paths/apply.ts';
import { CREATE } from './paths/create.ts';
import { DELETE_COLLECTION } from './paths/delete-collection.ts';
import { DELETE } from './paths/delete.ts';
import { PATCH } from './paths/patch.ts';
import { APPLY_SCALE, GET_SCALE, PATCH_SCALE, UPDATE_SCALE } from './paths/scale.ts';
import { UPDATE } from './paths/update.ts';
import type { ResourceHandlers, VerbHandler, VerbHandlers, Writes } from './stage.ts';
import { WATCH } from './reads/watch.ts';
import { goOn, ReadRun } from './stage-run.ts';
import { faultOfWrite, receiveWrite, type WriteMessage, writesTo } from './write-run.ts';
import { receivedRead, receivedWrite } from './write.ts';
import type { WriteContext } from './write-context.ts';

/** A request that was found to be for this resource, in this version. */
export interface ResourceRequest {
  readonly type: 'resourceRequest';
  /** As it came out of the filters, with a user and a verb. */
  readonly request: AuthenticatedRequest;
  /** The resource of the path, in the version of the request. */
  readonly served: ServedResource;
}

type RegistryMessage = ResourceRequest | WriteMessage;

const VERBS: VerbHandlers = {
  get: GET,
  list: LIST,
  watch: WATCH,
  create: CREATE,
  update: UPDATE,
  patch: PATCH,
  apply: APPLY,
  delete: DELETE,
  deletecollection: DELETE_COLLECTION,
};

const SCALE_VERBS: VerbHandlers = {
  get: GET_SCALE,
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
      if (message.type !== 'resourceRequest') {
        receiveWrite(self, message);
        return;
      }
      const { request, served } = message;
      const path = handlerOf(own, request);
      const seen = seenAt(context, request);
      writes ??= writesTo(self);
      const reply = (answer: Answer): void => {
        request.reply(answer);
      };
      if ('stages' in path) {
        const read = receivedRead(request, served);
        // Reads convert what they show themselves, many objects at once.
        const run = new ReadRun(path, { write: read, context: seen, writes, reply });
        run.reached(self, goOn(self, run));
        return;
      }
      const write = receivedWrite(request, served);
      const within = customContext(seen, served);
      receiveWrite(self, { type: 'writeRequest', path, write, context: within, writes, reply });
    },

    fault(message, error) {
      context.faults.record('handling a resource request', error);
      if (message.type === 'resourceRequest') {
        message.request.reply(statusAnswer(internalError(error)));
      } else {
        faultOfWrite(message, error);
      }
    },
  };
}

function handlerOf(own: ResourceHandlers, request: AuthenticatedRequest): VerbHandler {
  const { subresource } = request.info;
  // OPTIONS, which the proxies pass on, is no verb.
  const verb = request.info.verb || 'get';
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

/** The registries of one control plane, each started when it is first asked for. */
export class Registries {
  readonly #context: WriteContext;
  readonly #own: ReadonlyMap<string, ResourceHandlers>;
  readonly #started = new Map<string, Ref<ResourceRequest>>();

  /** @param own by storage, the handlers of what is answered and never stored. */
  constructor(context: WriteContext, own: ReadonlyMap<string, ResourceHandlers> = new Map()) {
    this.#context = context;
    this.#own = own;
  }

  /** @param storage `core/configmaps`. */
  of(storage: string): Ref<ResourceRequest> {
    let found = this.#started.get(storage);
    if (found === undefined) {
      found = startActor(registry(storage, this.#context, this.#own.get(storage)));
      this.#started.set(storage, found);
    }
    return found;
  }
}
