import { describe, expect, it } from 'vitest';
import { givenRouted } from '../request/given.fixture.ts';
import { identified, UNKNOWN, type Authentication, type Authenticator } from './authenticator.ts';
import { unionAuthenticator } from './union-authenticator.ts';

const JANE = identified({ name: 'jane', uid: '', groups: [], extra: {} });
const OMAR = identified({ name: 'omar', uid: '', groups: [], extra: {} });
const NO: Authentication = { verdict: 'refused', reason: 'no' };

function says(answer: Authentication | Promise<Authentication>): Authenticator {
  return { authenticate: () => answer };
}

function asked(members: Authenticator[], stopsAtRefusal = false) {
  return unionAuthenticator(members, { stopsAtRefusal }).authenticate(givenRouted().request);
}

describe('unionAuthenticator', () => {
  it('believes the first that knows the user', () => {
    expect(asked([says(UNKNOWN), says(JANE), says(OMAR)])).toBe(JANE);
  });

  it('knows no user where none of them does', () => {
    expect(asked([says(UNKNOWN), says(UNKNOWN)])).toEqual(UNKNOWN);
    expect(asked([])).toEqual(UNKNOWN);
  });

  it('forgives a refusal if a later one knows the user', () => {
    expect(asked([says(NO), says(JANE)])).toBe(JANE);
    expect(asked([says(NO), says(UNKNOWN), says(NO)])).toEqual({
      verdict: 'refused',
      reason: 'no, no',
    });
  });

  it('or stops at it', () => {
    expect(asked([says(NO), says(JANE)], true)).toBe(NO);
  });

  it('goes on behind one that has to ask', async () => {
    const later = says(Promise.resolve(UNKNOWN));
    expect(await asked([says(NO), later, says(JANE)])).toBe(JANE);
    expect(await asked([says(NO), later, says(UNKNOWN)])).toEqual({
      verdict: 'refused',
      reason: 'no',
    });
  });

  it('takes one that failed for a refusal', async () => {
    const failing = { authenticate: () => Promise.reject(new Error('down')) };
    expect(await asked([failing, says(UNKNOWN)])).toEqual({ verdict: 'refused', reason: 'down' });
  });

  it('keeps the notes of every refusal for the audit, and makes none up', () => {
    const noted = (annotations: Record<string, string>): Authentication => ({ ...NO, annotations });
    const [one, two] = [noted({ a: '1' }), noted({ b: '2' })];
    expect(asked([says(NO), says(one)])).toMatchObject({ annotations: { a: '1' } });
    expect(asked([says(one), says(NO)])).toMatchObject({ annotations: { a: '1' } });
    expect(asked([says(one), says(two)])).toMatchObject({ annotations: { a: '1', b: '2' } });
    expect(asked([says(NO), says(NO)])).not.toHaveProperty('annotations');
  });
});
