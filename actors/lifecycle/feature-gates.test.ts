import { describe, expect, it } from 'vitest';
import { readGenerated } from '../../api/generated/read-generated.ts';
import { FeatureGates, parseFeatureGates } from './feature-gates.ts';

interface Fact {
  readonly name: string;
  readonly default: boolean;
  readonly stage?: string;
  readonly locked?: boolean;
}

const facts = JSON.parse(readGenerated('feature-gates.json')) as Fact[];

function gatesOf(...texts: string[]): FeatureGates {
  const gates = parseFeatureGates(texts);
  if (typeof gates === 'string') throw new Error(gates);
  return gates;
}

function on(gates: FeatureGates, name: string): boolean | undefined {
  return [...gates.entries()].find((entry) => entry.name === name)?.isOn;
}

describe('feature gates', () => {
  it('are those of upstream, and as upstream has them where nothing is said', () => {
    const entries = [...new FeatureGates().entries()];
    const wanted = facts.map(({ name, stage = '', default: isOn }) => ({ name, stage, isOn }));
    expect(entries).toEqual(wanted);
    expect(entries.length).toBeGreaterThan(230);
    expect(entries).toContainEqual({ name: 'WatchList', stage: 'BETA', isOn: true });
  });

  it.each(facts)('$name can be set to its default', ({ name, default: isOn }) => {
    expect(
      gatesOf(`${name}=${String(isOn)}`)
        .warnings()
        .filter((one) => !/All/.test(one)),
    ).toEqual([]);
  });

  it.each(facts)('$name can be changed, unless upstream has locked it', (fact) => {
    const { name, default: isOn, locked = false } = fact;
    const gates = parseFeatureGates([`${name}=${String(!isOn)}`]);
    const refusal = `cannot set feature gate ${name} to ${String(!isOn)}, feature is locked to ${String(isOn)}`;
    if (locked) expect(gates).toBe(refusal);
    else if (typeof gates === 'string') expect(gates).toContain('but depends on features');
    else expect(on(gates, name)).toBe(!isOn);
  });

  it('can be changed where there are two ways, without a warning', () => {
    const gates = gatesOf('UnauthenticatedHTTP2DOSMitigation=false', ' WatchList=t');
    expect(gates.isOn('UnauthenticatedHTTP2DOSMitigation')).toBe(false);
    expect(gates.isOn('WatchList')).toBe(true);
    expect(gates.warnings()).toEqual([]);
  });

  it('of an API server, with one way here, are warned of; those of other components are not', () => {
    const gates = gatesOf(
      'PodLogsQuerySplitStreams=true',
      'WatchCacheInitializationPostStartHook=false',
    );
    expect(gates.warnings()[0]).toBe(
      'without effect: --feature-gates=PodLogsQuerySplitStreams=true: the feature is not there',
    );
    expect(gatesOf('SizeBasedListCostEstimate=false').warnings()).toEqual([
      'without effect: --feature-gates=SizeBasedListCostEstimate=false: the feature cannot be switched off',
    ]);
    expect(gatesOf('MemoryQoS=true', 'SchedulerAsyncAPICalls=true').warnings()).toEqual([]);
  });

  it('of a stage are set together, and by their names before that', () => {
    const gates = gatesOf('AllBeta=false', 'WatchList=true');
    expect(gates.isOn('OpenAPIEnums')).toBe(false);
    expect(gates.isOn('WatchList')).toBe(true);
    expect(on(gates, 'RetryGenerateName')).toBe(true);
    const alpha = gatesOf('AllAlpha=true');
    expect(alpha.isOn('LoggingAlphaOptions')).toBe(true);
    expect(on(alpha, 'StorageVersionMigrator')).toBe(false);
    expect([...gates.warnings(), ...alpha.warnings()]).toHaveLength(2);
  });

  it('that upstream will remove are told of in its words', () => {
    const outdated = gatesOf('MutatingAdmissionPolicy=true', 'KMSv1=true', 'WatchList=true');
    const text = 'feature gate. It will be removed in a future release.';
    expect(outdated.outdated()).toEqual([
      { featureGate: 'MutatingAdmissionPolicy', value: true, text: `Warning: setting GA ${text}` },
      { featureGate: 'KMSv1', value: true, text: `Warning: setting deprecated ${text}` },
    ]);
  });

  it('may stand behind the name of the component', () => {
    expect(gatesOf('kube:WatchList=false').isOn('WatchList')).toBe(false);
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
    ['wardle:Feature=true', 'component not registered: wardle'],
    [
      'kube:WatchList=true,WatchList=true',
      'set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use',
    ],
    [
      'GangScheduling=true',
      'GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]',
    ],
  ])('refuse %s', (text, sentence) => {
    expect(parseFeatureGates(text.split(','))).toBe(sentence);
  });
});
