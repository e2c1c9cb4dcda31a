import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { KindsServed } from './served-kinds.ts';
import { ServedResources } from './served-resources.ts';

const kinds = new KindsServed(new ServedResources(builtInResources(new ManualClock())));

describe('what is served', () => {
  it('is found by kind, in the version that is named', () => {
    expect(kinds.ofKind('apps/v1', 'Deployment')?.definition.storage).toBe('apps/deployments');
    expect(kinds.ofKind('autoscaling/v1', 'HorizontalPodAutoscaler')?.apiVersion).toBe(
      'autoscaling/v1',
    );
    expect(kinds.ofKind('apps/v2', 'Deployment')).toBeUndefined();
    expect(kinds.ofKind('v1', 'Deployment')).toBeUndefined();
  });

  it('is found by where it is stored, whichever group shows it', () => {
    expect(kinds.ofStorage('core/events')?.facts.resource).toBe('events');
    expect(kinds.ofStorage('core/nothing')).toBeUndefined();
  });

  it('does not own anything where it is never stored', () => {
    expect(kinds.ofKind('authentication.k8s.io/v1', 'TokenReview')).toBeUndefined();
  });
});
