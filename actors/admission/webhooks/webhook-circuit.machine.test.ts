import { expect, test } from 'vitest';

import { testClock } from '../../request/given.fixture.ts';
import { webhookCircuit } from './webhook-circuit.machine.ts';

function given() {
  const clock = testClock();
  const circuit = webhookCircuit(clock);
  const swallowed = (times: number): void => {
    for (let time = 0; time < times; time += 1) {
      expect(circuit.admits()).toBe(true);
      circuit.ended(false);
    }
  };
  return { clock, circuit, swallowed };
}

test('it opens when no connection was taken five times in a row', () => {
  const { circuit, swallowed } = given();
  swallowed(4);
  circuit.ended(true);
  swallowed(4);
  expect(circuit.state).toBe('closed');
  swallowed(1);
  expect(circuit.state).toBe('open');
  expect(circuit.admits()).toBe(false);
});

test('soon one call may try, and what becomes of it decides', () => {
  const { clock, circuit, swallowed } = given();
  swallowed(5);
  clock.advance(500);
  expect(circuit.admits()).toBe(true);
  expect(circuit.admits()).toBe(false);
  circuit.ended(false);
  expect(circuit.state).toBe('open');
  clock.advance(500);
  expect(circuit.admits()).toBe(true);
  circuit.ended(true);
  expect(circuit.state).toBe('closed');
  expect(circuit.admits()).toBe(true);
});

test('an answer to an older call closes it', () => {
  const { circuit, swallowed } = given();
  expect(circuit.admits()).toBe(true);
  swallowed(5);
  circuit.ended(true);
  expect(circuit.state).toBe('closed');
});
