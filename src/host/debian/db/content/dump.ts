import type { Dump } from '../../../backup/databases.ts'
import { plain } from '../../../parts/db/actual.ts'
import { ProgramError } from '../../../programs/error.ts'
import type { Sql } from '../client.ts'
import { definersIn } from './definers.ts'
import { type ProcessExit, readFrom } from './process.ts'
import { withoutDefiners } from './statements.ts'

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
  '--default-character-set=utf8mb4',
  '--max-allowed-packet=1G',
]

/** A database's content, as one snapshot if its tables are transactional. */
export function dumpOf(
  sql: Sql,
  root: readonly string[],
  name: string,
  { signal, forOthers }: { readonly signal?: AbortSignal | undefined; readonly forOthers?: true | undefined } = {},
): Dump {
  const result = { bytes: 0, warnings: [] as string[], definers: [] as Awaited<ReturnType<typeof definersIn>> }
  const check = ({ code, output }: ProcessExit) => {
    if (code === 0) return
    const [first = ''] = output
    throw new ProgramError('stage', {
      program: dumper,
      tried: `The database ${name} could not be saved by mariadb-dump`,
      output: first,
      end: `it ended with code ${code}`,
    })
  }
  async function* bytes(): AsyncGenerator<Buffer> {
    const left = await unusableViews(sql, name)
    result.warnings.push(
      ...left.map((view) => `the view ${view} is not saved: it refers to something that no longer exists`),
    )
    result.warnings.push(...(await changingTables(sql, name)))
    result.definers = (await definersIn(sql, name)).filter((one) => one.kind !== 'VIEW' || !left.includes(one.name))
    const args = [
      ...root,
      ...words,
      ...(forOthers ? [] : ['--skip-comments']),
      ...left.map((view) => `--ignore-table=${name}.${view}`),
      name,
    ]
    const dumped = readFrom({ program: dumper, args, signal }, check)
    for await (const chunk of forOthers ? withoutDefiners(dumped) : dumped) {
      result.bytes += chunk.length
      yield chunk
    }
  }
  return { bytes: bytes(), result: () => result }
}

/** Objects with these errors would make the dump, and a restore, fail. */
const unusable = ['references invalid', 'specified as a definer']
  .map((words) => `Comment LIKE '%${words}%'`)
  .join(' OR ')

const unusableViews = (sql: Sql, name: string): Promise<string[]> =>
  namesOf(sql, `SHOW TABLE STATUS FROM \`${name}\` WHERE Engine IS NULL AND (${unusable});`)

/** The first column of each row. */
const namesOf = async (sql: Sql, query: string): Promise<string[]> =>
  (await sql([query])).split('\n').flatMap((row) => (row === '' ? [] : plain(row.split('\t')[0]!)))

const MAX_WARNINGS = 10

/** Tables without transactions: writes during the dump may be saved in part. */
async function changingTables(sql: Sql, name: string): Promise<string[]> {
  const tables = await namesOf(sql, `SHOW TABLE STATUS FROM \`${name}\` WHERE Engine <> 'InnoDB';`)
  if (tables.length === 0) return []
  const more = tables.length > MAX_WARNINGS ? ` and ${tables.length - MAX_WARNINGS} more` : ''
  return [`not InnoDB, so not saved as of one moment: ${tables.slice(0, MAX_WARNINGS).join(', ')}${more}`]
}
