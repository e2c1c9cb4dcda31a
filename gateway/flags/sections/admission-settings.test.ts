import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAdmissionConfiguration } from '../../configuration/admission-configuration.ts';
import { checkAdmissionOptions, type AdmissionSettings } from './admission-settings.ts';
import { parseServeOptions } from '../flags.ts';

function settings(enabled: readonly string[], disabled: readonly string[]): AdmissionSettings {
  return {
    allowPrivileged: false,
    enableAdmissionPlugins: enabled,
    disableAdmissionPlugins: disabled,
    admissionControl: undefined,
    admissionControlConfigFile: undefined,
    defaultNotReadyTolerationSeconds: 300,
    defaultUnreachableTolerationSeconds: 300,
  };
}

function refused(enabled: readonly string[], disabled: readonly string[] = []): string {
  try {
    checkAdmissionOptions(settings(enabled, disabled));
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('the flags of admission', () => {
  it('know every plug-in that Kubernetes has, and no other', () => {
    expect(refused(['NamespaceLifecycle'], ['PodSecurity', 'NodeRestriction'])).toBe('');
    expect(refused(['Foo'])).toBe('enable-admission-plugins plugin "Foo" is unknown');
    expect(refused([], ['Foo'])).toBe('disable-admission-plugins plugin "Foo" is unknown');
    expect(refused(['Foo'], ['Bar'])).toBe(
      '[enable-admission-plugins plugin "Foo" is unknown, disable-admission-plugins plugin "Bar" is unknown]',
    );
  });

  it('do not turn the same plug-in on and off', () => {
    const both = ['PodSecurity', 'NamespaceLifecycle'];
    expect(refused(both, both)).toBe(
      '[NamespaceLifecycle PodSecurity] in enable-admission-plugins and disable-admission-plugins overlapped',
    );
  });

  it('may be said the old way, and then not the new one', () => {
    const old = '--admission-control=LimitRanger,Foo';
    expect(() =>
      parseServeOptions([old, '--enable-admission-plugins=PodSecurity'], () => ''),
    ).toThrow(
      '[admission-control and enable-admission-plugins/disable-admission-plugins flags are ' +
        'mutually exclusive, admission-control plugin "Foo" is unknown]',
    );
    const { admission } = parseServeOptions(['--admission-control=LimitRanger'], () => '');
    expect(admission.admissionControl).toEqual(['LimitRanger']);
    const none = parseServeOptions(['--admission-control='], () => '');
    expect(none.admission.admissionControl).toEqual([]);
    expect(parseServeOptions([], () => '').admission.admissionControl).toBeUndefined();
  });

  it('are flags of serve', () => {
    const argv = ['--disable-admission-plugins', 'PodSecurity,LimitRanger'];
    const options = parseServeOptions(argv, () => '');
    expect(options.admission.disableAdmissionPlugins).toEqual(['PodSecurity', 'LimitRanger']);
    expect(() => parseServeOptions(['--enable-admission-plugins=Foo'], () => '')).toThrow(
      'enable-admission-plugins plugin "Foo" is unknown',
    );
  });
});

describe('the file of --admission-control-config-file', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'admission-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function read(text: string) {
    const file = join(folder, 'admission.yaml');
    writeFileSync(file, text);
    return readAdmissionConfiguration(file);
  }
  const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';

  it('gives what stands in it, and what stands in files that it names', () => {
    writeFileSync(join(folder, 'own.yaml'), 'kind: Configuration\nlimits: [1]\n');
    const found = read(
      `${HEAD}plugins:\n- name: PodSecurity\n  configuration: {kind: Inline}\n- name: EventRateLimit\n  path: own.yaml\n- name: ResourceQuota\n`,
    );
    expect(found.get('PodSecurity')?.content).toEqual({ kind: 'Inline' });
    expect(found.get('EventRateLimit')).toEqual({
      content: { kind: 'Configuration', limits: [1] },
      file: join(folder, 'own.yaml'),
    });
    expect(found.has('ResourceQuota')).toBe(false);
  });

  it('takes the files that two plug-ins had before there was a form', () => {
    const found = read('imagePolicy:\n  kubeConfigFile: /x\n');
    expect(found.get('ImagePolicyWebhook')?.content).toEqual({
      imagePolicy: { kubeConfigFile: '/x' },
    });
  });

  it.each([
    ['kind: Pod\napiVersion: v1\n', 'not "v1", "Pod"'],
    [`${HEAD}plugin: []\n`, 'unknown field "plugin"'],
    [`${HEAD}plugins:\n- path: x\n`, 'must have a name'],
    [`${HEAD}plugins:\n- name: A\n  path: nowhere.yaml\n`, 'no such file or directory'],
    ['[', 'admission.yaml'],
  ])('says what is wrong with %j', (text, why) => {
    expect(() => read(text)).toThrow(why);
  });
});
