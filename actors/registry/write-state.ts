/**
 * A write, from its beginning. All facts have their place in it from the start: an object whose
 * shape never changes is read faster, and stages note a dozen of them.
 */
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { Received } from './write.ts';

class WriteState implements Received {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly sizeBytes = 0;
  // What stages note; each says in its type what it needs of these.
  readonly options = undefined;
  readonly showing = undefined;
  readonly rules = undefined;
  readonly bytes = undefined;
  readonly sent = undefined;
  readonly key = undefined;
  readonly names = undefined;
  readonly generated = undefined;
  readonly attempt = undefined;
  readonly stored = undefined;
  readonly old = undefined;
  readonly candidate = undefined;
  readonly object = undefined;
  readonly attributes = undefined;
  readonly isPrepared = undefined;
  readonly requires = undefined;
  readonly json = undefined;
  readonly change = undefined;
  readonly answerOf = undefined;

  constructor(request: AuthenticatedRequest, served: ServedResource) {
    this.request = request;
    this.served = served;
  }
}

class ReadState implements Received {
  readonly request: AuthenticatedRequest;
  readonly served: ServedResource;
  readonly sizeBytes = 0;
  readonly listOptions = undefined;
  readonly selection = undefined;
  readonly asked = undefined;
  readonly waitsSince = undefined;
  readonly key = undefined;
  readonly exactly = undefined;
  readonly token = undefined;
  readonly since = undefined;
  readonly reached = undefined;
  readonly found = undefined;
  readonly page = undefined;
  readonly version = undefined;
  readonly list = undefined;

  constructor(request: AuthenticatedRequest, served: ServedResource) {
    this.request = request;
    this.served = served;
  }
}

/** A read, from its beginning. */
export function receivedRead(request: AuthenticatedRequest, served: ServedResource): Received {
  return new ReadState(request, served);
}

/** A write, from its beginning. */
export function receivedWrite(request: AuthenticatedRequest, served: ServedResource): Received {
  return new WriteState(request, served);
}
