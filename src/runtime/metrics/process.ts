import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { version } from '../../contract/version.ts'
import type { Metrics } from './registry.ts'

const resolution = 20

/** The process: memory, event loop, build. Returns a function that stops measuring. */
export function measureProcess(metrics: Metrics): () => void {
  const labels = { version, node: process.version }
  metrics.add({ name: 'panel_build_info', help: 'Always 1.', type: 'gauge', samples: () => [{ value: 1, labels }] })
  const started = Date.now() / 1000 - process.uptime()
  metrics.gauge('process_start_time_seconds', 'Unix time at which the process started.', () => started)
  metrics.gauge('process_resident_memory_bytes', 'Resident memory of the process.', () => process.memoryUsage.rss())
  metrics.gauge('panel_heap_used_bytes', 'JavaScript objects on the heap.', () => process.memoryUsage().heapUsed)
  measureProcessor(metrics)
  return measureLoop(metrics)
}

function measureProcessor(metrics: Metrics): void {
  const used = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  const busy = (): number => performance.eventLoopUtilization().active / 1000
  rising(metrics, 'process_cpu_seconds_total', 'CPU time used.', used)
  rising(metrics, 'panel_event_loop_busy_seconds_total', 'Time in which the event loop was busy.', busy)
}

function rising(metrics: Metrics, name: string, help: string, read: () => number): void {
  metrics.add({ name, help, type: 'counter', samples: () => [{ value: read() }] })
}

/** Timer delay since the last scrape, without the measuring interval itself. */
function measureLoop(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const samples = () => {
    const quantiles = [50, 99, 100].map((percent) => ({
      value: seconds(percent === 100 ? delay.max : delay.percentile(percent)),
      labels: { quantile: String(percent / 100) },
    }))
    delay.reset()
    return quantiles
  }
  const help = 'Event loop delay since the last scrape; quantile 1 is the maximum.'
  metrics.add({ name: 'panel_event_loop_delay_seconds', help, type: 'gauge', samples })
  return () => delay.disable()
}

const seconds = (nanoseconds: number): number =>
  Math.max(0, Math.min(nanoseconds, Number.MAX_SAFE_INTEGER) / 1e9 - resolution / 1000)
