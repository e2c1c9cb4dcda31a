/**
 * What one object may do, as a client can know it: a register with compare-and-set by version,
 * that can be created and deleted, and that waits for its finalizers once it is being deleted.
 *
 * Where an answer was lost the model does not know the version or the uid; the next answer that
 * shows them makes them known. Versions only rise, which is most of what keeps the search short.
 */
import type { Content, Operation, Request } from './history.ts';
import type { Model } from './linearizability.ts';
import { type SeenObject, type TextMap, textOfMap } from './seen-object.ts';

export interface ObjectState {
  readonly isPresent: boolean;
  /** '': not known. */
  readonly uid: string;
  /** Not less than this, and if it is known just this; of what is absent, of its deletion. */
  readonly version: number;
  readonly isVersionKnown: boolean;
  readonly data: TextMap;
  readonly labels: TextMap;
  readonly finalizers: readonly string[];
  readonly isDeleting: boolean;
}

const NOTHING = {
  isPresent: false,
  uid: '',
  data: {},
  labels: {},
  finalizers: [],
  isDeleting: false,
} as const;

export const objectModel: Model<ObjectState, Operation> = {
  initial: { ...NOTHING, version: 0, isVersionKnown: true },

  step(state, operation) {
    if (operation.outcome === 'unknown') return written(state, operation.request)?.next;
    if (operation.outcome === 'ok') return acknowledged(state, operation);
    return isRefusalRight(state, operation) ? state : undefined;
  },

  rankOf: ({ object }) => object?.version,

  keyOf({ isPresent, uid, version, isVersionKnown, data, ...rest }) {
    const shape = `${isPresent ? 'is' : 'no'} ${uid} ${isVersionKnown ? '=' : '>'}${String(version)}`;
    const { labels, finalizers, isDeleting } = rest;
    const how = `${finalizers.join()} ${String(isDeleting)}`;
    return `${shape} ${textOfMap(data)} ${textOfMap(labels)} ${how}`;
  },
};

/** Whether it says something of one object's present: lists and reads of the past do not. */
export function isJudged({ request, outcome, status }: Operation): boolean {
  if (request.kind === 'list' || request.path === '') return false;
  if (request.kind === 'get') return request.moment === '' && [200, 404].includes(status);
  if (outcome === 'refused') return [404, 409, 422].includes(status);
  return outcome !== 'unsent';
}

function acknowledged(state: ObjectState, { request, object }: Operation): ObjectState | undefined {
  if (request.kind === 'list') return state;
  if (request.kind === 'get') return object === undefined ? undefined : shown(state, object);
  const write = written(state, request);
  if (write === undefined) return undefined;
  // A delete that is done at once is answered without the object.
  if (object === undefined) return write.next.isPresent ? undefined : write.next;
  const answered = shown(write.last, object);
  if (answered === undefined || write.next.isPresent) return answered;
  return { ...NOTHING, version: object.version, isVersionKnown: true };
}

/** The state with what the object shows, if it can be this one. */
function shown(state: ObjectState, object: SeenObject): ObjectState | undefined {
  const { isPresent, uid, version, isVersionKnown, data, labels, finalizers, isDeleting } = state;
  const isSame =
    isPresent &&
    (uid === '' || uid === object.uid) &&
    (isVersionKnown ? object.version === version : object.version >= version) &&
    textOfMap(data) === textOfMap(object.data) &&
    textOfMap(labels) === textOfMap(object.labels) &&
    finalizers.join() === object.finalizers.join() &&
    isDeleting === object.isDeleting;
  if (!isSame) return undefined;
  return { ...state, uid: object.uid, version: object.version, isVersionKnown: true };
}

function isRefusalRight(state: ObjectState, { request, status }: Operation): boolean {
  if (request.kind === 'list') return true;
  if (status === 404) return request.kind !== 'create' && !state.isPresent;
  if (!state.isPresent) return false;
  if (request.kind === 'create') return status === 409;
  if (status === 422) return request.kind === 'patch' && isTestFailed(state, request.test);
  return status === 409 && isConditionFailed(state, request);
}

/** Whether the object, which is there, can be another than the request wants. */
function isConditionFailed(state: ObjectState, request: Request): boolean {
  if (request.kind === 'update' || request.kind === 'patch' || request.kind === 'delete') {
    const { version } = request;
    if (version !== undefined && !(state.isVersionKnown && state.version === version)) return true;
  }
  if (request.kind === 'update' || request.kind === 'delete') {
    return request.uid !== undefined && (state.uid === '' || state.uid !== request.uid);
  }
  return false;
}

function isTestFailed(
  { data }: ObjectState,
  test: { readonly field: string; readonly value: string } | undefined,
): boolean {
  return test !== undefined && data[test.field] !== test.value;
}

/** Whether nothing stands against it; what is not known does not. */
function mayTakeEffect(state: ObjectState, request: Request): boolean {
  if (request.kind === 'create') return !state.isPresent;
  if (request.kind === 'list' || request.kind === 'get' || !state.isPresent) return false;
  if (request.version !== undefined && !canBeVersion(state, request.version)) return false;
  if (request.kind === 'patch') return !isTestFailed(state, request.test);
  return request.uid === undefined || state.uid === '' || state.uid === request.uid;
}

function canBeVersion({ version, isVersionKnown }: ObjectState, wanted: number): boolean {
  return isVersionKnown ? wanted === version : wanted >= version;
}

interface Written {
  readonly next: ObjectState;
  /** What the client is shown: the next state, or the last one of what is gone with it. */
  readonly last: ObjectState;
}

/** What the write makes of the state, if it can take effect; its version is not known. */
function written(state: ObjectState, request: Request): Written | undefined {
  if (!mayTakeEffect(state, request)) return undefined;
  if (request.kind === 'get' || request.kind === 'list') return { next: state, last: state };
  if (request.kind === 'delete') return deleted(state, request.version);
  if (request.kind === 'create') {
    const content = contentAfter(NOTHING, request.content, true);
    const next = { ...NOTHING, ...content, isPresent: true, ...after(state) };
    return { next, last: next };
  }
  const content = contentAfter(state, request.content, request.kind === 'update');
  const last = { ...state, ...content, ...after(state, request.version) };
  const isGone = state.isDeleting && last.finalizers.length === 0;
  if (isGone) return { next: { ...last, ...NOTHING }, last };
  return isAlike(state, last) ? { next: state, last: state } : { next: last, last };
}

/** What is held by finalizers stays, and says that it is going. */
function deleted(state: ObjectState, wanted: number | undefined): Written {
  const last = { ...state, isDeleting: true, ...after(state, wanted) };
  if (state.finalizers.length === 0) return { next: { ...last, ...NOTHING }, last };
  // Told a second time it may move its deletionTimestamp, or not change at all.
  const again = { ...state, isVersionKnown: false };
  return state.isDeleting ? { next: again, last: again } : { next: last, last };
}

/**
 * A version that no client has been told yet. What was not known before gets no greater bound: so two
 * lost writes, one over the other, leave the state of the second, and the search ends soon.
 */
function after(
  { version, isVersionKnown }: ObjectState,
  wanted = 0,
): Pick<ObjectState, 'version' | 'isVersionKnown'> {
  const least = isVersionKnown ? version + 1 : version;
  return { version: Math.max(least, wanted + 1), isVersionKnown: false };
}

function contentAfter(
  state: Pick<ObjectState, 'data' | 'labels' | 'finalizers'>,
  { data, labels, finalizers }: Content,
  replaces: boolean,
): Pick<ObjectState, 'data' | 'labels' | 'finalizers'> {
  if (replaces) return { data, labels: labels ?? {}, finalizers: finalizers ?? [] };
  return {
    data: { ...state.data, ...data },
    labels: { ...state.labels, ...labels },
    finalizers: finalizers ?? state.finalizers,
  };
}

function isAlike(a: ObjectState, b: ObjectState): boolean {
  return (
    a.isPresent === b.isPresent &&
    a.isDeleting === b.isDeleting &&
    a.finalizers.join() === b.finalizers.join() &&
    textOfMap(a.data) === textOfMap(b.data) &&
    textOfMap(a.labels) === textOfMap(b.labels)
  );
}
