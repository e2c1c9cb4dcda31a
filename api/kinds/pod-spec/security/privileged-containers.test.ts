import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { ManualClock } from '../../../meta/manual-clock.fixture.ts';
import { builtInResources } from '../../built-in.ts';
import { privilegedPodsCases } from '../../rule-cases/privileged-pods.fixture.ts';
import { received, shownErrors, type RuleCase } from '../../rule-cases/judge.fixture.ts';

const allowed = builtInResources(new ManualClock(), { allowPrivileged: true });

/** What is wrong with it where privileged containers are allowed. */
function errorsOf(rule: RuleCase): readonly string[] {
  const { apiVersion, kind } = rule.object;
  const served = allowed.find((one) => one.apiVersion === apiVersion && one.facts.kind === kind);
  if (served === undefined) throw new Error(`nothing serves ${rule.when}`);
  const { strategy } = served.definition;
  const object = given(rule.object);
  if (rule.old === undefined) {
    strategy.prepareForCreate(object);
    return shownErrors(strategy.validate(object));
  }
  const rules = rule.do === 'update' ? strategy : strategy.subresources.get(rule.do);
  if (rules === undefined) throw new Error(`there is no ${rule.do}`);
  return shownErrors(rules.validateUpdate(object, given(rule.old)));
}

function given(object: RuleCase['object']): KubeObject {
  const decoded = received(object);
  if (decoded === undefined) throw new Error('it does not decode');
  return decoded;
}

describe('a server that allows privileged containers', () => {
  it.each(privilegedPodsCases.map((rule) => [rule.when, rule] as const))(
    'refuses for nothing else when %s',
    (_when, rule) => {
      const others = rule.errors.filter((error) => !error.endsWith('by cluster policy'));
      expect(errorsOf(rule)).toEqual(others);
    },
  );
});
