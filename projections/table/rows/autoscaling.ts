/**
 * The row of a HorizontalPodAutoscaler, which is expected in the form of autoscaling/v2, whichever
 * version is asked for: v1 cannot say most metrics.
 *
 * In Kubernetes: printHorizontalPodAutoscaler and formatHPAMetrics, pkg/printers/internalversion.
 */
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../api/generated/kinds/autoscaling-v2.ts';
import { items } from '../../../api/json/go-values.ts';
import { ageOf, type Cell, listOf, nameOf } from '../cells.ts';

/** How many metrics the cell shows. */
const METRICS_MAX = 2;

export function horizontalPodAutoscalerCells(
  autoscaler: HorizontalPodAutoscaler,
  now: number,
): Cell[] {
  const { spec, status } = autoscaler;
  const { kind, name } = spec.scaleTargetRef;
  return [
    nameOf(autoscaler),
    `${kind}/${name}`,
    metricsCell(items(spec.metrics), items(status.currentMetrics)),
    spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec.maxReplicas,
    status.currentReplicas ?? 0,
    ageOf(autoscaler, now),
  ];
}

function metricsCell(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (metrics.length === 0) return '<none>';
  const shown = metrics.map((metric, index) => metricText(metric, statuses[index]));
  return listOf(shown, METRICS_MAX, ', ');
}

/** What a metric aims at, and what was measured; undefined where the source is missing. */
interface Aim {
  readonly target: MetricTarget | undefined;
  /** undefined: nothing was measured. */
  readonly current: MetricValueStatus | undefined;
}

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  switch (metric.type) {
    case 'External':
      return valueText(aimOf(metric.external, status?.external));
    case 'Object':
      return valueText(aimOf(metric.object, status?.object));
    case 'Pods': {
      const aim = aimOf(metric.pods, status?.pods);
      return `${measured(aim, 'averageValue')}/${amount(aim.target, 'averageValue')}`;
    }
    case 'Resource': {
      const aim = aimOf(metric.resource, status?.resource);
      return `${metric.resource?.name ?? ''}: ${resourceText(aim)}`;
    }
    case 'ContainerResource': {
      const aim = aimOf(metric.containerResource, status?.containerResource);
      return `${metric.containerResource?.name ?? ''}: ${resourceText(aim)}`;
    }
    default:
      return '<unknown type>';
  }
}

function aimOf(
  source: { readonly target: MetricTarget } | undefined,
  status: { readonly current: MetricValueStatus } | undefined,
): Aim {
  return { target: source?.target, current: status?.current };
}

function valueText({ target, current }: Aim): string {
  if (target?.averageValue === undefined) {
    return `${measured({ target, current }, 'value')}/${amount(target, 'value')}`;
  }
  return `${current?.averageValue ?? '<unknown>'}/${target.averageValue} (avg)`;
}

function resourceText({ target, current }: Aim): string {
  if (target?.averageValue !== undefined) {
    return `${measured({ target, current }, 'averageValue')}/${target.averageValue}`;
  }
  return `${percent(current, '<unknown>')}/${percent(target, '<auto>')}`;
}

function percent(of: MetricTarget | MetricValueStatus | undefined, otherwise: string): string {
  const utilization = of?.averageUtilization;
  return utilization === undefined ? otherwise : `${String(utilization)}%`;
}

/** Only whole objects can be missing a measurement; a missing field of one reads <nil>. */
function measured({ current }: Aim, field: 'value' | 'averageValue'): string {
  return current === undefined ? '<unknown>' : amount(current, field);
}

/** As Go prints a pointer to a quantity. */
function amount(
  of: MetricTarget | MetricValueStatus | undefined,
  field: 'value' | 'averageValue',
): string {
  return of?.[field] ?? '<nil>';
}
