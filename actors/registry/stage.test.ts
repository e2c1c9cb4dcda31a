import { describe, expect, it } from 'vitest';
import { type Stage, stages, writePath } from './stage.ts';
import {
  type HasAttempt,
  type HasGeneratedName,
  type HasObject,
  type HasOptions,
  noted,
  type Received,
  receivedWrite,
  type WriteOptions,
} from './write.ts';
import { encodeNew } from './stages/encode.ts';
import { mutateNew, validateObject } from './stages/admit.ts';
import { prepareNew } from './stages/prepare.ts';
import { keyOfUrl } from './stages/place-object.ts';
import { givenAuthenticated } from '../request/given.fixture.ts';

type Begun = Received & HasAttempt & HasOptions<WriteOptions> & HasObject & HasGeneratedName;

interface HasGreeting {
  readonly greeting: string;
}

const greet: Stage<Received, Received & HasGreeting> = {
  name: 'greet',
  run: (write) => noted(write, { greeting: 'hello' }),
};

const answerGreeting: Stage<Received & HasGreeting, Received & HasGreeting> = {
  name: 'answer',
  run: ({ greeting }) => ({
    kind: 'Document',
    code: 200,
    headers: {},
    body: Buffer.from(greeting),
  }),
};

describe('an order of stages', () => {
  it('is refused by the compiler where a stage would meet a write too early', () => {
    const right = stages<Begun>()(mutateNew, prepareNew, validateObject, encodeNew);
    // @ts-expect-error What is not admitted yet has no attributes that could be validated.
    const tooEarly = stages<Begun>()(prepareNew, validateObject, mutateNew, encodeNew);
    // @ts-expect-error Nothing is encoded that was not validated.
    const unvalidated = stages<Begun>()(mutateNew, prepareNew, encodeNew);
    expect([right, tooEarly, unvalidated].map((path) => path.length)).toEqual([4, 4, 3]);
  });

  it('is refused where attempts begin without a key, or end without a change', () => {
    const keyed = writePath('test').once(keyOfUrl);
    // @ts-expect-error Nothing is proposed.
    const idle: { readonly unless: unknown } = keyed.eachAttempt(greet);
    // @ts-expect-error No write can wait for its turn.
    const keyless: { readonly unless: unknown } = writePath('test').once(greet).eachAttempt(greet);
    expect([idle, keyless]).toHaveLength(2);
  });

  it('finds on the write what the stages before it have noted', () => {
    const { request } = givenAuthenticated({ url: '/api', method: 'GET' });
    const write = receivedWrite(request, undefined as never);
    expect(greet.run(write, undefined as never, undefined as never)).toBe(write);
    const answer = answerGreeting.run(write as never, undefined as never, undefined as never);
    expect(answer).toMatchObject({ body: Buffer.from('hello') });
  });
});
