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

export function receivedWrite(request: AuthenticatedRequest, served: ServedResource): Received {
  return new WriteState(request, served);
}
