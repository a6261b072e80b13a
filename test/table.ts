import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tableFiles } from '../src/generate/parts.ts'

const folder = fileURLToPath(new URL('../dist/table', import.meta.url))

/** Before all tests: the command line under test reads the table of the contract under test. */
export default function writeTable(): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of tableFiles()) {
    const file = join(folder, `${name}.${process.pid}`)
    writeFileSync(file, text)
    renameSync(file, join(folder, name))
  }
}
