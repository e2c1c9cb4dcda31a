import { describe, expect, it } from 'vitest';
import { type FieldSchema, namedElements, schemaOfObject } from './field-path.ts';

function at(schema: FieldSchema | undefined, ...path: readonly string[]): FieldSchema | undefined {
  return path.reduce((found, step) => (step === '[]' ? found?.items : found?.field(step)), schema);
}

describe('what tells elements of a list apart', () => {
  const pod = schemaOfObject({ kind: 'Pod', apiVersion: 'v1' });

  it('is what their type says, in lists that lie in lists too', () => {
    expect(at(pod, 'spec', 'containers')?.listKeys).toEqual(['name']);
    expect(at(pod, 'spec', 'containers', '[]', 'ports')?.listKeys).toEqual([
      'containerPort',
      'protocol',
    ]);
    expect(at(pod, 'spec', 'containers', '[]', 'args')?.listKeys).toEqual([]);
  });

  it('is the key of a strategic merge where the type has no other', () => {
    expect(at(pod, 'status', 'hostIPs')?.listKeys).toEqual(['ip']);
  });

  it('is nothing where an element has none of the keys, or two have the same', () => {
    const ports = at(pod, 'spec', 'containers', '[]', 'ports');
    const names = (list: object[]) => namedElements(list as never[], ports)?.size;
    expect(names([{ containerPort: 1, protocol: 'TCP' }, { containerPort: 1 }])).toBe(2);
    expect(names([{ containerPort: 1 }, { name: 'x' }])).toBeUndefined();
    expect(names([{ containerPort: 1 }, { containerPort: 1 }])).toBeUndefined();
  });
});
