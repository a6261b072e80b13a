import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { usage } from '../errors.ts'
import { accountOf } from '../input/local-account.ts'
import { clientOf, type Invocation } from '../invocation.ts'
import { filledPath } from '../request/plan.ts'
import { downloadTo } from '../run/resume.ts'
import { operationOf } from '../table.ts'

/** Downloads an account's file, or its missing part. */
export async function run(invocation: Invocation): Promise<void> {
  const [path = '', provided] = invocation.positionals
  const file = provided ?? basename(path)
  if (file === '') throw usage('a path is needed', 'panel files download sites/site.zip')
  const client = clientOf(invocation)
  const id = await accountOf(invocation, client)
  const pathOf = (operation: string): string => filledPath(operationOf(operation).path, { id })
  const query = { path }
  const { body } = await client.call({ method: 'GET', path: pathOf('statFile'), query })
  const { etag } = body as { etag?: string }
  if (etag === undefined) throw usage(`${path} is not a regular file`)
  const request = { method: 'GET', path: pathOf('readFile'), query }
  await downloadTo({ client, invocation, request, file, partial: partialOf(file, etag), etag })
}

/** Named by the file's version; partial downloads of other versions are deleted. */
function partialOf(file: string, etag: string): string {
  const name = (version: string): string => `${basename(file)}.${version}.partial`
  const own = name(createHash('sha256').update(etag).digest('hex').slice(0, 8))
  const others = readdirSync(dirname(file)).filter(
    (one) =>
      one !== own &&
      one.startsWith(`${basename(file)}.`) &&
      /^\.[0-9a-f]{8}\.partial$/.test(one.slice(basename(file).length)),
  )
  for (const other of others) rmSync(join(dirname(file), other), { force: true })
  return join(dirname(file), own)
}
