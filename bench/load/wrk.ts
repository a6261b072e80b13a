import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Load, Shot } from './load.ts'

const run = promisify(execFile)
const script = new URL('./create.lua', import.meta.url).pathname

/** One thread of wrk: on two cores a second one would take from the server. */
export async function runWrk(shot: Shot & { connections: number; seconds: number }): Promise<Load> {
  const options = ['-t1', `-c${shot.connections}`, `-d${shot.seconds}s`, '--latency', '--timeout', '10s']
  const headers = shot.token ? ['-H', `Authorization: Bearer ${shot.token}`] : []
  const create = shot.createFrom === undefined ? [] : ['-s', script]
  const env = { ...process.env, CREATE_FROM: String(shot.createFrom ?? 0) }
  const { stdout } = await run('wrk', [...options, ...headers, ...create, shot.url], { env })
  return read(stdout)
}

function read(report: string): Load {
  const number = (pattern: RegExp) => Number(pattern.exec(report)?.[1] ?? 0)
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50: milliseconds(report, '50%'),
    p99: milliseconds(report, '99%'),
    failed: number(/Non-2xx or 3xx responses: (\d+)/) + number(/Socket errors:.*timeout (\d+)/),
  }
}

const units: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 }

function milliseconds(report: string, percentile: string): number {
  const [, figure, unit] = new RegExp(`^\\s+${percentile}\\s+([\\d.]+)(us|ms|s)`, 'm').exec(report) ?? []
  return Number(figure ?? 0) * (units[unit ?? 'ms'] ?? 1)
}
