/**
 * What an admission plug-in sees of a request: its user, what is asked for, the object as it would
 * be stored, and the one that is there.
 *
 * The surprise: objects stand in the version that is stored, as upstream's stand in its internal
 * one; only those of custom resources, and those that a subresource takes (a Binding, a Scale), are
 * in the version of the request. A plug-in that shows an object to a webhook converts it.
 *
 * In Kubernetes: Attributes, apiserver/pkg/admission/interfaces.go.
 */
import type { GroupVersionKind, KubeObject } from '../../api/meta/object-meta.ts';
import { type Status, forbidden } from '../../api/meta/status.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { ObjectReads } from '../../projections/objects/object-view.ts';
import type { Requirement } from '../../streams/event.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { WriteAttempt } from '../slots/key-slots.ts';

/**
 * Whether the mutating plug-ins are asked a second time: a webhook that changed the object behind
 * another that wants to see such changes asks for it, once.
 *
 * In Kubernetes: ReinvocationContext, apiserver/pkg/admission.
 */
class Reinvocation {
  #isAsked = false;
  #isSecond = false;
  /** Most writes meet no plug-in that keeps any. */
  #notes: Map<string, unknown> | undefined = undefined;

  /** Whether this is the second time. */
  get isSecond(): boolean {
    return this.#isSecond;
  }

  ask(): void {
    this.#isAsked = true;
  }

  /** Begins the second time, where it was asked for and has not been. */
  begin(): boolean {
    if (!this.#isAsked || this.#isSecond) return false;
    this.#isSecond = true;
    return true;
  }

  /** What a plug-in keeps from the first time for the second, under its own name. */
  noteOf<Note>(plugin: string, make: () => Note): Note {
    const notes = (this.#notes ??= new Map());
    if (!notes.has(plugin)) notes.set(plugin, make());
    return notes.get(plugin) as Note; // Only its plug-in puts it there.
  }
}

/** As rules and reviews spell it; CONNECT is what exec, attach, port-forward and proxy do. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Where in the API something is admitted: what a plug-in does there can be decided once. */
export interface AdmissionPlace {
  /** The resource in the version of the request; of a subresource its parent. */
  readonly served: ServedResource;
  /** `CREATE`, `UPDATE`, `DELETE` or `CONNECT`. */
  readonly operation: AdmissionOperation;
  /** '' for the object itself. */
  readonly subresource: string;
}

/** What the client said beside the object; a webhook is shown it. */
export interface AdmissionOptions {
  /** Whether nothing will be stored, so that a plug-in must have no side effects. */
  readonly dryRun: boolean;
  /** undefined: the client named none, or a delete, which has none. */
  readonly fieldManager?: string;
  /** `Ignore`, `Warn` or `Strict`; undefined for deletes. */
  readonly fieldValidation?: string;
}

/**
 * What a request asks of admission. `New` and `Old` are the types of its objects, where a plug-in
 * looks at certain kinds only; see kind-steps.ts.
 */
interface Admitted<
  New = KubeObject | undefined,
  Old = KubeObject | undefined,
> extends AdmissionPlace {
  readonly request: AuthenticatedRequest;
  /** '' while a name is still to be generated, and for a collection. */
  readonly name: string;
  /** '' for cluster scope. */
  readonly namespace: string;
  /** What the request speaks of: of `deployments/scale` that is `autoscaling/v1, Scale`. */
  readonly kind: GroupVersionKind;
  readonly object: New;
  /** Not to be changed. */
  readonly oldObject: Old;
  readonly options: AdmissionOptions;
  readonly attempt: WriteAttempt;
  readonly objects: ObjectReads;
  /** Of what the write is about; left out: little. Work on more than 256 KiB is done in slices. */
  readonly sizeBytes?: number;
}

export class AdmissionAttributes<
  New = KubeObject | undefined,
  Old = KubeObject | undefined,
> implements Admitted<New, Old> {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly operation: AdmissionOperation;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
  readonly kind: GroupVersionKind;
  /** Undefined for a delete. A mutating plug-in changes it, or puts another in its place. */
  object: New;
  /** Undefined for a create and a connect. Not to be changed. */
  readonly oldObject: Old;
  readonly options: AdmissionOptions;
  /** This attempt: what a plug-in keeps for it can be let go when it is over. */
  readonly attempt: WriteAttempt;
  /** What there is, as of the moment that the request is about. */
  readonly objects: ObjectReads;
  /** Of what the write is about, in bytes. */
  readonly sizeBytes: number;
  /** What must still be true in the log when the change takes effect. A plug-in adds to it. */
  readonly requires: Requirement[] = [];
  readonly reinvocation = new Reinvocation();

  constructor(admitted: Admitted<New, Old>) {
    this.request = admitted.request;
    this.served = admitted.served;
    this.operation = admitted.operation;
    this.subresource = admitted.subresource;
    this.name = admitted.name;
    this.namespace = admitted.namespace;
    this.kind = admitted.kind;
    this.object = admitted.object;
    this.oldObject = admitted.oldObject;
    this.options = admitted.options;
    this.attempt = admitted.attempt;
    this.objects = admitted.objects;
    this.sizeBytes = admitted.sizeBytes ?? 0;
  }
}

/** What a refusal tells of a write. */
type RefusedWrite = Pick<AdmissionAttributes, 'served' | 'name'> & {
  readonly object: Pick<KubeObject, 'metadata'> | undefined;
};

/**
 * The refusal of a plug-in: `pods "a" is forbidden: ` and the reason.
 *
 * In Kubernetes: NewForbidden, apiserver/pkg/admission/errors.go.
 */
export function refusedAt(write: RefusedWrite, why: string): Status {
  const { group, resource } = write.served.facts;
  return forbidden({ group, resource }, shownName(write), why);
}

/** In Kubernetes: extractResourceName. */
function shownName({ name, object }: RefusedWrite): string {
  if (name !== '') return name;
  const { name: own = '', generateName = '' } = object?.metadata ?? {};
  return own || generateName || 'Unknown';
}
