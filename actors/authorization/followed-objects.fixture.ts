/** For tests of indexes: tells them of objects as the fold would. */
import { objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';
import { FollowedObjects } from '../../projections/followed-objects.ts';
import { ObjectView } from '../../projections/objects/object-view.ts';
import { storedObject } from '../../projections/objects/stored-object.ts';
import { pathOf, type EventType, type LoggedEvent } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

/** The types of those whose readers rely on what Go always writes. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['core/pods', 'io.k8s.api.core.v1.Pod'],
  ['core/persistentvolumes', 'io.k8s.api.core.v1.PersistentVolume'],
  ['storage.k8s.io/volumeattachments', 'io.k8s.api.storage.v1.VolumeAttachment'],
  ['resource.k8s.io/resourceslices', 'io.k8s.api.resource.v1.ResourceSlice'],
]);

/** As its codec gives it to what is stored. */
function decoded(resource: string, object: JsonObject): JsonObject {
  const typeId = TYPES.get(resource);
  if (typeId === undefined) return object;
  const read = typedCodec(typeId).decode(object);
  if (!read.ok) throw new Error(read.message);
  return read.value;
}

export function followedObjects() {
  const followed = new FollowedObjects(new ObjectView());
  let version = 0;
  const tell = (type: EventType, resource: string, object: JsonObject): void => {
    version += 1;
    const metadata = objectAt(object, 'metadata');
    const path = pathOf(stringAt(metadata, 'namespace'), stringAt(metadata, 'name'));
    const resourceVersion = version as ResourceVersion; // A position in no log.
    const logged: LoggedEvent = {
      writer: 'test',
      sequence: version,
      type,
      resource,
      path,
      previousResourceVersion: resourceVersion,
      requires: [],
      json: Buffer.from(JSON.stringify(decoded(resource, object))),
      time: 0,
      uid: '',
      user: '',
      verb: '',
      auditID: '',
      fieldManager: '',
      resourceVersion,
    };
    followed.apply({ ...logged, type, object: storedObject(logged), previous: undefined });
  };
  return {
    followed,
    /** @param resource as the log names it. */
    told: (resource: string, object: JsonObject): void => {
      tell('modified', resource, object);
    },
    gone: (resource: string, object: JsonObject): void => {
      tell('deleted', resource, object);
    },
  };
}
