import { describe, expect, it } from 'vitest';
import { internalDiff, internalForm } from './internal-struct.ts';

describe("a value in Go's form", () => {
  it('shows under Go names also what is not set', () => {
    expect(internalForm('ObjectReference', { kind: 'Pod', name: 'a' })).toEqual({
      Kind: 'Pod',
      Namespace: '',
      Name: 'a',
      UID: '',
      APIVersion: '',
      ResourceVersion: '',
      FieldPath: '',
    });
    expect(internalForm('*ObjectReference', undefined)).toBeNull();
    expect(internalForm('[]string', undefined)).toBeNull();
  });

  it('keeps what a pod says of its host with the security context', () => {
    const form = internalForm('PodSpec', { hostNetwork: true, containers: [] });
    expect(form).toMatchObject({ SecurityContext: { HostNetwork: true, HostPID: false } });
  });

  it('is compared line by line', () => {
    const diff = internalDiff('DeploymentStrategy', { type: 'Recreate' }, { type: 'Other' });
    expect(diff).toBe(
      '@@ -1,4 +1,4 @@\n {\n- "Type": "Recreate",\n+ "Type": "Other",\n  "RollingUpdate": null\n }\n',
    );
  });

  it('of an unknown type is a fault of ours', () => {
    expect(() => internalForm('Nothing', {})).toThrow('no layout of Nothing');
  });
});
