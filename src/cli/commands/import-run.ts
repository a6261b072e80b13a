import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { exit } from '../../shared/exit.ts'
import { CliError, codeOf, usage } from '../errors.ts'
import { clientOf, type Invocation, textOption } from '../invocation.ts'
import { printTable } from '../output/print.ts'
import { viewOf } from '../output/view.ts'
import type { Client } from '../request/client.ts'
import { isId } from '../request/resolve.ts'
import { operationOf } from '../table.ts'
import { note } from '../terminal.ts'

interface Step {
  readonly step: string
  readonly status: string
}

interface ImportBody {
  readonly id: string
  readonly username: string
  readonly status: string
  readonly error?: string
  readonly steps: readonly Step[]
}

const POLL_MS = 500
const ended = ['ready', 'blocked', 'imported', 'failed', 'active']

/** Runs imports, of archives on the server or of what was inspected, and follows them to their ends. */
export async function run(invocation: Invocation): Promise<void> {
  const { positionals } = invocation
  if (positionals.length === 0)
    throw usage('a file or an import is needed', 'panel import run /root/cpmove-alice.tar.gz')
  const client = clientOf(invocation)
  const begun: ImportBody[] = []
  for (const word of positionals) begun.push(await begin(invocation, client, word))
  const follows = invocation.option('wait') !== false
  const done = follows ? await Promise.all(begun.map((one) => followed(client, one))) : begun
  await printTable(viewOf(invocation, operationOf('listImports')), done as unknown as Record<string, unknown>[])
  if (!follows)
    throw new CliError(exit.stillRunning, { type: 'panel:problems/still-running', title: 'the imports run on' })
  report(done, invocation.option('dry-run') === true)
}

const isFile = (word: string): boolean => word.includes('/') || /\.(?:tar|tgz|gz|zst)$/.test(word)

/** Its archive has one name here: what was typed. */
const aboutFile = (error: unknown, word: string): unknown => {
  if (!(error instanceof CliError) || !error.problem.fields) return error
  const fields = Object.entries(error.problem.fields)
  const named = fields.map(([name, reason]) => [['path', 'upload_id'].includes(name) ? word : name, reason])
  return new CliError(error.exit, { ...error.problem, fields: Object.fromEntries(named) })
}

async function begin(invocation: Invocation, client: Client, word: string): Promise<ImportBody> {
  const dry_run = invocation.option('dry-run') === true
  if (!isFile(word)) {
    const id = await idOf(client, word)
    return importIn(await client.call({ method: 'POST', path: `/imports/${id}/run`, body: { dry_run } }))
  }
  const body = { run: !dry_run, ...(await optionsOf(invocation, client)) }
  const create = (archive: object) => client.call({ method: 'POST', path: '/imports', body: { ...archive, ...body } })
  try {
    return importIn(await create({ path: resolve(word) }))
  } catch (error) {
    if (!existsSync(word) || !isElsewhere(error)) throw aboutFile(error, word)
  }
  const { uploadFile } = await import('../run/upload.ts')
  const { id } = await uploadFile(invocation, client, undefined, word)
  return importIn(
    await create({ upload_id: id }).catch((error: unknown) => {
      throw aboutFile(error, word)
    }),
  )
}

/** The server cannot read the file by its path: it is here alone, or outside of import_dirs. */
const isElsewhere = (error: unknown): boolean =>
  error instanceof CliError &&
  (['forbidden', 'token-scope'].includes(codeOf(error.problem)) ||
    /^(?:must be (?:below|an absolute path)|does not exist|cannot be opened)/.test(
      error.problem.fields?.['path'] ?? '',
    ))

const importIn = ({ body }: { readonly body: unknown }): ImportBody => (body as { import: ImportBody }).import

/** The newest import with a username, or an id. */
async function idOf(client: Client, word: string): Promise<string> {
  if (isId(word)) return word
  const { body } = await client.call({ method: 'GET', path: `/imports?q=${encodeURIComponent(word)}&order=desc` })
  const found = (body as { items: ImportBody[] }).items.find(({ username }) => username === word)
  if (found) return found.id
  throw new CliError(exit.notFound, { type: 'panel:problems/not-found', title: `there is no import ${word}` })
}

async function optionsOf(invocation: Invocation, client: Client): Promise<object> {
  const [as, domain, skip, map] = ['as', 'domain', 'skip', 'map'].map((name) => textOption(invocation, name))
  const [plan, owner] = ['package', 'owner'].map((name) => textOption(invocation, name))
  return {
    ...(as !== undefined && { as }),
    ...(domain !== undefined && { domain }),
    ...(skip !== undefined && { skip: skip.split(',').map((one) => one.trim()) }),
    ...(map !== undefined && { map: mapIn(map) }),
    ...(plan !== undefined && { package_id: await named(client, 'packages', 'name', plan) }),
    ...(owner !== undefined && owner !== 'root' && { owner_id: await named(client, 'accounts', 'username', owner) }),
  }
}

async function named(client: Client, collection: string, field: string, name: string): Promise<string> {
  if (isId(name)) return name
  const { body } = await client.call({ method: 'GET', path: `/${collection}?q=${encodeURIComponent(name)}` })
  const found = (body as { items: Record<string, string>[] }).items.find((one) => one[field] === name)
  if (found) return found['id']!
  throw new CliError(exit.notFound, { type: 'panel:problems/not-found', title: `${name} is not in ${collection}` })
}

/** `domains:old=new,databases:x=null` */
export function mapIn(text: string): Record<string, Record<string, string | null>> {
  const map: Record<string, Record<string, string | null>> = {}
  for (const entry of text.split(',')) {
    const [, kind, from, to] = /^([a-z_]+):(.+?)=(.+)$/.exec(entry.trim()) ?? []
    if (kind === undefined)
      throw usage(`--map takes KIND:OLD=NEW, not ${entry}`, '--map domains:old.example=new.example')
    map[kind] = { ...map[kind], [from!]: to === 'null' ? null : to! }
  }
  return map
}

async function followed(client: Client, begun: ImportBody): Promise<ImportBody> {
  let seen = ''
  for (
    let one = begun;
    ;
    one = (await client.call({ method: 'GET', path: `/imports/${begun.id}` })).body as ImportBody
  ) {
    const step = one.steps.find(({ status }) => status === 'running')?.step ?? ''
    if (step !== seen && step !== '') note(`${one.username || begun.id}: ${step}`)
    seen = step
    if (ended.includes(one.status)) return one
    await wait(POLL_MS)
  }
}

/** The last line counts; a failure outweighs a conflict. */
function report(all: readonly ImportBody[], dryRun: boolean): void {
  const count = (status: string) => all.filter((one) => one.status === status).length
  const parts = (dryRun ? ['ready', 'blocked', 'failed'] : ['imported', 'blocked', 'failed']).flatMap((status, at) =>
    at === 0 || count(status) > 0 ? `${count(status)} ${status}` : [],
  )
  note(parts.join(', '))
  const failed = all.find(({ status }) => status === 'failed')
  if (failed)
    throw new CliError(exit.jobFailed, {
      type: 'panel:problems/job-failed',
      title: `the import of ${failed.username || failed.id} failed`,
      ...(failed.error !== undefined && { detail: failed.error }),
    })
  const blocked = all.find(({ status }) => status === 'blocked')
  if (blocked)
    throw new CliError(exit.conflict, {
      type: 'panel:problems/blocked',
      title: `conflicts prevent the import of ${blocked.username || blocked.id}`,
      hint: `panel import report ${blocked.id} --outcome conflict`,
    })
}
