import { describe, expect, it } from 'vitest';

import {
  malformed,
  patchFailureStatus,
  PatchProblem,
  unexpected,
  unprocessable,
} from './patch-result.ts';

describe('the answer to a patch that failed', () => {
  it('says that the patch is malformed', () => {
    expect(patchFailureStatus(malformed('bad'))).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'bad',
    });
  });

  it('does not say why the patch does not fit', () => {
    expect(patchFailureStatus(unprocessable('because'))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    });
  });

  it('says that the patch is too large', () => {
    expect(patchFailureStatus(new PatchProblem(413, 'many'))).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: many',
    });
  });

  it('has no reason where upstream has none', () => {
    const status = patchFailureStatus(unexpected('map: map[] does not contain …'));
    expect(status).toMatchObject({ code: 500, message: 'map: map[] does not contain …' });
    expect(status).not.toHaveProperty('reason');
  });
});
