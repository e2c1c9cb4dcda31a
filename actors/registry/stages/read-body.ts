/** The body of a request, whole. */
import { statusAnswer } from '../../request/answer.ts';
import type { BodyRead } from '../../request/request.ts';
import { noted, waitingStage } from '../stage.ts';
import type { HasBody, Received } from '../write.ts';
import { BODY_BYTES_MAX } from '../write-context.ts';

export const readBody = waitingStage<Received, Received & HasBody, BodyRead>('read body', {
  find: ({ request }) => request.readBody(BODY_BYTES_MAX),
  take(write, body) {
    if (!body.ok) return statusAnswer(body.status);
    const { bytes } = body;
    return noted(write, { bytes, sizeBytes: bytes.length });
  },
});
