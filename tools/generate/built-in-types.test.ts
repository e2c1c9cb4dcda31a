import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGenerated } from '../../api/generated/read-generated.ts';
import { allTypeIds } from '../../api/scheme/type-facts.ts';
import { generateTypes } from './built-in-types.ts';
import { findKubernetes } from './golden.fixture.ts';
import { goPackage } from './go-modules.ts';

const kubernetes = findKubernetes();

describe.skipIf(kubernetes === undefined)('the committed facts', () => {
  it('are what the modules say today', () => {
    expect(generateTypes() === readGenerated('types.json')).toBe(true);
  });

  it('have every model name that upstream declares for the packages', () => {
    const ids = new Set(allTypeIds());
    const folder = goPackage('k8s.io/api/core/v1');
    const declared = readFileSync(join(folder, 'zz_generated.model_name.go'), 'utf8');
    const names = [...declared.matchAll(/return "([^"]+)"/g)].map(([, name = '']) => name);
    // List is a name for the List of meta/v1, which stands for it.
    const missing = names.filter((name) => !ids.has(name) && !name.endsWith('.v1.List'));
    expect({ known: names.length > 200, missing }).toEqual({ known: true, missing: [] });
  });
});
