/**
 * A trace as the records of a log: each object was made, changed and deleted in the second that the trace
 * says. A trace has neither statuses nor namespaces: those that its objects lie in are made at the beginning.
 */
import { formatJson } from '../../../api/json/json-text.ts';
import { type JsonObject, objectAt, stringAt } from '../../../api/json/json.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import { type Clock, formatTime, type Random } from '../../../api/meta/clock.ts';
import {
  type EventType,
  type LoggedEvent,
  pathOf,
  type ProposedEvent,
} from '../../../streams/event.ts';
import { RecordRewriter } from '../../../streams/replay/record-rewriter.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { type Trace, TraceError, type TraceEvent } from './trace.ts';
import { traceKind } from './trace-recorder.ts';

export interface TraceRecords {
  readonly records: readonly ProposedEvent[];
  /** Kinds that a log without their definition cannot hold, and how many changes of them are left out. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** @throws TraceError its objects lie in no namespace, or have no name. */
export function recordsOfTrace(
  trace: Trace,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): TraceRecords {
  const writer = new TraceWriter(clock, random);
  const [first] = trace.events;
  if (first !== undefined) writer.addNamespaces(trace.events, first.ts);
  for (const event of trace.events) writer.add(event, event === first);
  return writer;
}

class TraceWriter implements TraceRecords {
  readonly records: ProposedEvent[] = [];
  readonly leftOut = new Map<string, number>();
  readonly #storages: ReadonlyMap<string, string>;
  readonly #random: Random;
  readonly #rewriter: RecordRewriter;
  /** By resource and path, what the server of the object gave it when it was made. */
  readonly #given = new Map<string, { readonly uid: string; readonly creationTimestamp: string }>();

  constructor(clock: Clock, random: Random) {
    this.#storages = storagesOf(clock);
    this.#random = random;
    this.#rewriter = new RecordRewriter(`trace-${random.uuid()}`);
  }

  addNamespaces(events: readonly TraceEvent[], ts: number): void {
    const objects = events.flatMap(({ applied }) => applied);
    const names = new Set(objects.map((one) => stringAt(objectAt(one, 'metadata'), 'namespace')));
    for (const name of [...names].sort()) {
      if (name === '') throw new TraceError('an object of the trace lies in no namespace');
      const labels = { 'kubernetes.io/metadata.name': name };
      const finalizers = ['kubernetes'];
      const namespace = {
        kind: 'Namespace',
        apiVersion: 'v1',
        metadata: { name, labels },
        spec: { finalizers },
        status: { phase: 'Active' },
      };
      this.#write('added', namespace, { ts, verb: 'list' });
    }
  }

  add({ ts, applied, deleted }: TraceEvent, isFirst: boolean): void {
    for (const object of applied) this.#write('added', object, { ts, verb: isFirst ? 'list' : '' });
    for (const object of deleted) this.#write('deleted', object, { ts, verb: '' });
  }

  #write(
    type: EventType,
    object: JsonObject,
    { ts, verb }: { readonly ts: number; readonly verb: string },
  ): void {
    const kind = traceKind(object);
    const resource = this.#storages.get(kind);
    if (resource === undefined) {
      this.leftOut.set(kind, (this.leftOut.get(kind) ?? 0) + 1);
      return;
    }
    const metadata = objectAt(object, 'metadata') ?? {};
    const name = stringAt(metadata, 'name');
    if (name === '') throw new TraceError(`a ${kind} of the trace has no name`);
    const path = pathOf(stringAt(metadata, 'namespace'), name);
    const key = `${resource} ${path}`;
    const creationTimestamp = formatTime(ts * 1_000);
    const given = this.#given.get(key) ?? { uid: this.#random.uuid(), creationTimestamp };
    if (type === 'deleted') this.#given.delete(key);
    else this.#given.set(key, given);
    const whole = { ...object, metadata: { ...metadata, ...given } };
    this.records.push(
      this.#rewriter.change(this.#recordOf(type, whole, { resource, path, ts, verb })),
    );
  }

  #recordOf(
    type: EventType,
    object: JsonObject,
    of: {
      readonly resource: string;
      readonly path: string;
      readonly ts: number;
      readonly verb: string;
    },
  ): LoggedEvent {
    return {
      writer: '',
      sequence: 0,
      type,
      resource: of.resource,
      path: of.path,
      previousResourceVersion: resourceVersion(0),
      requires: [],
      json: Buffer.from(formatJson(object)),
      time: of.ts * 1_000,
      uid: stringAt(objectAt(object, 'metadata'), 'uid'),
      user: '',
      verb: of.verb,
      auditID: '',
      fieldManager: '',
      resourceVersion: this.#rewriter.next,
    };
  }
}

/** By kind, where the log keeps its objects, in the version that it stores. */
function storagesOf(clock: Clock): ReadonlyMap<string, string> {
  const stored = builtInResources(clock).filter(
    ({ facts, conversion, definition }) =>
      conversion === undefined && facts.group === definition.storageFacts.group,
  );
  return new Map(
    stored.map(({ apiVersion, facts, definition }) => [
      `${apiVersion}.${facts.kind}`,
      definition.storage,
    ]),
  );
}
