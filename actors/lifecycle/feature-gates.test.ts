import { describe, expect, it } from 'vitest';
import { FeatureGates, parseFeatureGates } from './feature-gates.ts';

describe('feature gates', () => {
  it('are as upstream has them where nothing is said', () => {
    const gates = new FeatureGates();
    expect(gates.isOn('UnauthenticatedHTTP2DOSMitigation')).toBe(true);
    expect(gates.isOn('CBORServingAndStorage')).toBe(false);
    expect([...gates.entries()]).toContainEqual({ name: 'WatchList', stage: 'BETA', isOn: true });
  });

  it('can be changed where there are two ways', () => {
    const gates = parseFeatureGates(['UnauthenticatedHTTP2DOSMitigation=false', ' WatchList=t']);
    expect(gates).toBeInstanceOf(FeatureGates);
    if (typeof gates === 'string') return;
    expect(gates.isOn('UnauthenticatedHTTP2DOSMitigation')).toBe(false);
    expect(gates.isOn('WatchList')).toBe(true);
  });

  it.each([
    ['NoSuchThing=true', 'unrecognized feature gate: NoSuchThing'],
    ['constructor=true', 'unrecognized feature gate: constructor'],
    ['WatchList', 'missing bool value for WatchList'],
    [
      'WatchList=maybe',
      'invalid value of WatchList=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      'RetryGenerateName=false',
      'cannot set feature gate RetryGenerateName to false, feature is locked to true',
    ],
  ])('refuse %s', (text, sentence) => {
    expect(parseFeatureGates([text])).toBe(sentence);
  });
});
