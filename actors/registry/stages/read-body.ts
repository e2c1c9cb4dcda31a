/** The body of a request, whole. */
import type { MaybePromise } from '../../../api/meta/maybe-promise.ts';
import { statusAnswer } from '../../request/answer.ts';
import type { AuthenticatedRequest, BodyRead } from '../../request/request.ts';
import { noted, type Stage } from '../stage.ts';
import type { HasBody, Received } from '../write.ts';
import { BODY_BYTES_MAX } from '../write-context.ts';

export const readBody: Stage<Received, Received & HasBody> = {
  name: 'read body',
  run(write) {
    const read = bodyOf(write.request);
    if (read instanceof Promise) return read.then((body) => entered(write, body));
    return entered(write, read);
  },
};

function entered(write: Received, body: BodyRead) {
  if (!body.ok) return statusAnswer(body.status);
  const { bytes } = body;
  return noted(write, { bytes, sizeBytes: bytes.length });
}

/** At once where it has come already. */
function bodyOf(request: AuthenticatedRequest): MaybePromise<BodyRead> {
  let come: BodyRead | undefined;
  let resolve: ((body: BodyRead) => void) | undefined;
  request.readBody(BODY_BYTES_MAX, (body) => {
    come = body;
    resolve?.(body);
  });
  return (
    come ??
    new Promise((resolved) => {
      resolve = resolved;
    })
  );
}
