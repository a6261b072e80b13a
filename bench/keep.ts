import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import type { Row } from './row.ts'
import { table } from './table.ts'

interface Run {
  /** How long it took. */
  readonly seconds: number
  readonly generator: string
  readonly rows: readonly Row[]
}

const at = (file: string) => new URL(file, import.meta.url)
const section = /(<!-- measured -->)[\s\S]*(<!-- end -->)/

/** Keeps a whole run: as JSON, and as the table in the README beside it. */
export function keep({ seconds, generator, rows }: Run): void {
  const machine = {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(at('results.json'), `${JSON.stringify({ date, machine, generator, seconds, rows }, null, 2)}\n`)
  const { processor, cores, memory_gb, node } = machine
  const where = `${date}, ${processor}, ${cores} cores, ${memory_gb} GB, Node ${node.slice(1)}, load from ${generator}.`
  const readme = readFileSync(at('README.md'), 'utf8')
  writeFileSync(at('README.md'), readme.replace(section, `$1\n\n${where}\n\n${table(rows)}\n\n$2`))
}
