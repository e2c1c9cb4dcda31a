/** What a fork is folded into: its own log, store and objects, each a layer on those of its parent. */
import type { EventLog } from '../../streams/event-log.ts';
import { LayeredEventLog } from '../../streams/layered-event-log.ts';
import type { FateReads, ObjectHistory, ObjectStore } from '../store/object-history.ts';
import { ObjectView } from '../objects/object-view.ts';
import type { FoldedLog } from '../views.ts';
import { inheritedObjects, type ForkParent, type Inheritance } from './inherited-objects.ts';
import { LayeredObjectStore } from './layered-object-store.ts';

/** A fork's own log and store, without what it inherits, and what it stands on. */
export interface OwnLayer extends Inheritance {
  readonly parent: ForkParent & { readonly store: ObjectHistory };
  readonly own: ObjectStore & FateReads;
  readonly ownLog: EventLog;
}

/** Copies nothing: what the parent had is looked up when it is first read. */
export function forkLayers(layer: OwnLayer): FoldedLog<EventLog> {
  const { parent, base, own, ownLog } = layer;
  const history = { history: parent.store, log: parent.log };
  return {
    log: new LayeredEventLog({ parent: parent.log, base, own: ownLog }),
    store: new LayeredObjectStore({ parent: history, base, own, ownLog }),
    objects: new ObjectView((resource, version) => inheritedObjects(layer, resource, version)),
  };
}
