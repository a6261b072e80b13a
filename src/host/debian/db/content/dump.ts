import type { Dump } from '../../../backup/databases.ts'
import { HostError } from '../../../error.ts'
import { plain } from '../../../parts/db/actual.ts'
import type { Sql } from '../client.ts'
import { definersIn } from './definers.ts'
import { type Ended, readFrom } from './process.ts'

export const dumper = '/usr/bin/mariadb-dump'

const words = [
  '--single-transaction',
  '--quick',
  '--routines',
  '--triggers',
  '--events',
  '--hex-blob',
  '--no-autocommit',
  '--skip-add-locks',
  '--skip-comments',
  '--default-character-set=utf8mb4',
  '--max-allowed-packet=1G',
  // Views that cannot be used must not keep the rest from being saved.
  '--force',
]

/** Views of what is gone, and of users that are gone. */
const unusable = /\((?:1356|1449)\)$/

/** The content of a database, as one state of it where its tables know transactions. */
export function dumpOf(sql: Sql, root: readonly string[], name: string, signal?: AbortSignal): Dump {
  const told = { bytes: 0, warnings: [] as string[], definers: [] as Awaited<ReturnType<typeof definersIn>> }
  const judge = ({ code, said }: Ended) => {
    const faults = said.filter((line) => !unusable.test(line))
    const [fault] = faults
    if (fault !== undefined) throw new HostError('stage', plainFault(fault))
    if (code !== 0 && said.length === 0) throw new HostError('stage', `${dumper} ended with code ${code}`)
    told.warnings.push(...said.map((line) => `a view was not saved: ${plainFault(line)}`))
  }
  async function* bytes(): AsyncGenerator<Buffer> {
    told.warnings.push(...(await changingTables(sql, name)))
    told.definers = await definersIn(sql, name)
    for await (const chunk of readFrom({ program: dumper, args: [...root, ...words, name], signal }, judge)) {
      told.bytes += chunk.length
      yield chunk
    }
  }
  return { bytes: bytes(), told: () => told }
}

const plainFault = (line: string): string => line.replace(/^mariadb-dump: /, '').slice(0, 500)

const most = 10

/** What is written to them while they are saved may be in a backup by half. */
async function changingTables(sql: Sql, name: string): Promise<string[]> {
  const rows = await sql([
    `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${name}' AND TABLE_TYPE = 'BASE TABLE' AND ENGINE <> 'InnoDB';`,
  ])
  const tables = rows.split('\n').filter(Boolean).map(plain)
  if (tables.length === 0) return []
  const more = tables.length > most ? ` and ${tables.length - most} more` : ''
  return [`not InnoDB, so not saved as of one moment: ${tables.slice(0, most).join(', ')}${more}`]
}
