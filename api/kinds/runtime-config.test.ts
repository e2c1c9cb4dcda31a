import { describe, expect, it } from 'vitest';
import { ManualClock } from '../meta/manual-clock.fixture.ts';
import { builtInResources } from './built-in.ts';
import { enabledResources, parseRuntimeConfig } from './runtime-config.ts';

const ALL = builtInResources(new ManualClock());

function enabled(...texts: string[]): string[] | string {
  const config = parseRuntimeConfig(texts);
  if (typeof config === 'string') return config;
  const resources = enabledResources(ALL, config);
  if (typeof resources === 'string') return resources;
  return resources.map(({ apiVersion, facts }) => `${apiVersion}/${facts.resource}`);
}

describe('--runtime-config', () => {
  it('leaves everything on where nothing is said', () => {
    expect(enabled()).toHaveLength(ALL.length);
    expect(enabled('')).toHaveLength(ALL.length);
  });

  it('switches off a version, but for what is named in it', () => {
    const left = enabled('apps/v1=false', 'apps/v1/deployments=true');
    expect(left).toContain('apps/v1/deployments');
    expect(left).not.toContain('apps/v1/statefulsets');
    expect(left).toContain('v1/pods');
  });

  it('switches off a resource alone', () => {
    const left = enabled('api/v1/componentstatuses=false');
    expect(left).not.toContain('v1/componentstatuses');
    expect(left).toHaveLength(ALL.length - 1);
  });

  it('lets the more particular win', () => {
    expect(enabled('api/all=false', 'api/v1=true')).toEqual(
      ALL.filter(({ apiVersion }) => apiVersion === 'v1').map(
        ({ facts }) => `v1/${facts.resource}`,
      ),
    );
    expect(enabled('api/all=false', 'api/ga=true')).toContain('apps/v1/deployments');
    expect(enabled('api/beta=false')).toContain('apps/v1/deployments');
  });

  it.each([
    ['api/all=false', 'invalid key with only api/all=false'],
    ['nosuch/v1=true', 'unknown api groups nosuch'],
    ['apps/v7=true', 'group version apps/v7 that has not been registered'],
    ['v1=true', 'runtime-config invalid key v1'],
    ['apps/v1=maybe', 'invalid value of apps/v1: maybe'],
  ])('refuses %s', (text, sentence) => {
    expect(enabled(text)).toBe(sentence);
  });
});
