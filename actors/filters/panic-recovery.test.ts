import { expect, it } from 'vitest';
import { startActor } from '../request/actor.ts';
import { faultsTo } from '../request/faults.ts';
import { codeOf, givenReceived, messageOf, testLogger } from '../request/given.fixture.ts';
import { panicRecovery } from './panic-recovery.ts';

it('answers 500 for a next actor that throws, and goes on living', () => {
  const logger = testLogger();
  const faults = faultsTo(logger);
  let throws = true;
  const entered: unknown[] = [];
  const next = {
    send(message: unknown) {
      if (throws) throw new Error('secret detail');
      entered.push(message);
    },
  };
  const filter = startActor(panicRecovery({ faults }, next));

  const broken = givenReceived();
  filter.send(broken.request);
  expect(codeOf(broken.answers[0])).toBe(500);
  expect(messageOf(broken.answers[0])).toContain(
    'This request caused apiserver to panic. Look in the logs for details.',
  );
  expect(JSON.stringify(broken.answers)).not.toContain('secret detail');
  expect(faults.count).toBe(1);
  expect(logger.lines).toHaveLength(1);

  throws = false;
  const whole = givenReceived();
  filter.send(whole.request);
  expect(entered).toEqual([whole.request]);
});
