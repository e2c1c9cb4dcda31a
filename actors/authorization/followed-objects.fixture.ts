/** For tests of indexes: tells them of objects as the fold would. */
import { objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import { FollowedObjects } from '../../projections/followed-objects.ts';
import { ObjectView } from '../../projections/objects/object-view.ts';
import { storedObject } from '../../projections/objects/stored-object.ts';
import { pathOf, type EventType, type LoggedEvent } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

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
      json: Buffer.from(JSON.stringify(object)),
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
