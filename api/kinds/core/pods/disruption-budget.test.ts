import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../json/json.ts';
import { decodedAs } from '../../decoded.fixture.ts';
import { budgetObjection } from './disruption-budget.ts';

function budget(status: JsonObject) {
  return decodedAs('policy/v1/poddisruptionbudgets', {
    metadata: { name: 'b', generation: 2 },
    status: { observedGeneration: 2, disruptionsAllowed: 0, ...status },
  });
}

function notAllowed(reason: string, message: string): JsonObject {
  return { conditions: [{ type: 'DisruptionAllowed', status: 'False', reason, message }] };
}

const healthy = { currentHealthy: 3, desiredHealthy: 2 };
const none = 'The disruption budget b does not allow evicting pods currently';

describe('budgetObjection', () => {
  it.each<[JsonObject, string]>([
    [
      { currentHealthy: 1, desiredHealthy: 2 },
      'The disruption budget b needs 2 healthy pods and has 1 currently',
    ],
    [healthy, none],
    [{ ...healthy, ...notAllowed('Paused', 'not today') }, `${none} (Paused): not today`],
    [{ ...healthy, ...notAllowed('Paused', '') }, none],
    [notAllowed('SyncFailed', 'no scale'), `${none} because it failed sync: no scale`],
  ])('of %j says why', (status, message) => {
    const objection = budgetObjection(budget(status));
    expect(objection?.code).toBe(429);
    expect(objection?.details?.causes).toEqual([{ reason: 'DisruptionBudget', message }]);
  });

  it('knows what can only be a mistake', () => {
    expect(budgetObjection(budget({ disruptionsAllowed: -1 }))).toMatchObject({
      code: 403,
      message: 'poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative',
    });
    const names = Array.from({ length: 2_001 }, (_, index) => [`p${String(index)}`, null]);
    const disruptedPods = Object.fromEntries(names) as JsonObject;
    expect(budgetObjection(budget({ disruptionsAllowed: 1, disruptedPods }))?.code).toBe(403);
  });

  it('has none while disruptions are allowed', () => {
    expect(budgetObjection(budget({ disruptionsAllowed: 1 }))).toBeUndefined();
  });
});
